"""Connects ``steps.sessions``, which intercepts the steps of all sessions, with the back end of each session's graph.

Importing this module registers ``SessionBackend`` as the default back end of every graph's ``Pipelines``; the registry
itself does not know any back end. A session whose graph has no back end is left alone.
"""

from __future__ import annotations

from typing import Any, Dict, Optional

import tensorflow as tf

from queuecompat._plan.registry import Pipelines
from queuecompat._session.backend import SessionBackend
from queuecompat._session.errors import cut_off
from queuecompat._session.exits import close_with_python
from queuecompat._session.steps import open_sessions, sessions

__all__ = ["adopt_graphs", "adoptions", "leave_graphs"]


class _Attending:
    """Attends to the steps of all sessions (``sessions.Attendant``): passes each call on to the graph's back end.

    Attributes:
      adoptions: calls of ``adopt_graphs`` that have not been taken back. While there are any, graphs that were built
        with TensorFlow's own functions alone get a back end, too.
    """

    adoptions = 0

    def before_step(self, session: tf.compat.v1.Session, fetches: Any) -> None:
        backend = self._adopted(session.graph)
        if backend is not None:
            backend.before_step(fetches)

    def wait_for_start(self, session: tf.compat.v1.Session, fetches: Any, feeds: Any) -> None:
        backend = _backend_of(session.graph)
        if backend is not None:
            backend.early_steps.wait(session, fetches, feeds)

    def session_of_runner(self, runner: tf.compat.v1.train.QueueRunner, session: Any) -> Any:
        running = open_sessions.innermost(session)
        backend = self._adopted(running.graph, runner) if isinstance(running, open_sessions.SESSIONS) else None
        return session if backend is None else backend.session_of_runner(runner, session)

    def before_finalize(self, graph: tf.Graph) -> None:
        backend = self._adopted(graph)
        if backend is not None:
            backend.settle_wholly()

    def after_step(self, session: tf.compat.v1.Session, fetch: Any) -> None:
        backend = _backend_of(session.graph)
        if backend is not None:
            backend.restoring.after_step(session, fetch)

    def feeds_instead(
        self, session: tf.compat.v1.Session, error: tf.errors.OpError, feeds: Any
    ) -> Optional[Dict[Any, Any]]:
        backend = _backend_of(session.graph)
        return None if backend is None else backend.restoring.feeds_instead(session, error, feeds)

    def delivered(self, session: tf.compat.v1.Session, fetches: Any) -> None:
        backend = _backend_of(session.graph)
        if backend is not None:
            cut_off.delivered(session, fetches, backend.explainer.draws)

    def explained(self, session: tf.compat.v1.Session, error: tf.errors.OpError, fetches: Any) -> BaseException:
        backend = _backend_of(session.graph)
        return error if backend is None else backend.explainer.explained(session, error, fetches)

    def _adopted(self, graph: tf.Graph, runner: Any = None) -> Optional[SessionBackend]:
        """The back end of *graph*; None if it has none.

        While adoption is on, a graph without a back end gets one here if it has queue runners or a *runner* is passed.
        """
        is_adopted = self.adoptions and Pipelines.find(graph) is None
        if is_adopted and (runner is not None or graph.get_collection(tf.compat.v1.GraphKeys.QUEUE_RUNNERS)):
            Pipelines(graph)
        return _backend_of(graph)


_attending = _Attending()


def adopt_graphs() -> None:
    """From now on, graphs with queue runners get a back end even if no function of ours built anything in them."""
    sessions.attend(_attending)
    _attending.adoptions += 1


def leave_graphs() -> None:
    """Takes one call of ``adopt_graphs`` back; graphs that already have a back end keep it."""
    _attending.adoptions -= 1


def adoptions() -> int:
    """The number of ``adopt_graphs`` calls that have not been taken back."""
    return _attending.adoptions


def _backend_of(graph: tf.Graph) -> Optional[SessionBackend]:
    pipelines = Pipelines.find(graph)
    backend = None if pipelines is None else pipelines.backend
    return backend if isinstance(backend, SessionBackend) else None


def _attended_backend(pipelines: Pipelines) -> SessionBackend:
    sessions.attend(_attending)
    return SessionBackend(pipelines)


Pipelines.default_backend = _attended_backend
close_with_python()
