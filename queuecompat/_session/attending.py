"""What attends to the steps of all sessions: it asks the back end of the session's graph, if the graph has one.

Importing this module is how graphs get a session's back end: it says so to the registry, which knows none itself.
"""

from __future__ import annotations

from typing import Any, Dict, Optional

import tensorflow as tf

from queuecompat._plan.registry import Pipelines
from queuecompat._session.backend import SessionBackend
from queuecompat._session.errors import cut_off
from queuecompat._session.exits import close_with_python
from queuecompat._session.steps import sessions

__all__ = ["adopt_graphs", "adoptions", "leave_graphs"]


class _Attending:
    """Attends to the steps of all sessions (``sessions.Attendant``).

    Attributes:
      adoptions: how many have asked that graphs are attended to that were built with TensorFlow's functions alone.
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
        running = sessions.innermost(session)
        backend = self._adopted(running.graph, runner) if isinstance(running, sessions.SESSIONS) else None
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
        """The back end of *graph*, which it is given now if it is to be adopted."""
        is_adopted = self.adoptions and Pipelines.find(graph) is None
        if is_adopted and (runner is not None or graph.get_collection(tf.compat.v1.GraphKeys.QUEUE_RUNNERS)):
            Pipelines(graph)
        return _backend_of(graph)


_attending = _Attending()


def adopt_graphs() -> None:
    """From now on, graphs with queue runners are attended to even if nothing in them was built with our functions."""
    sessions.attend(_attending)
    _attending.adoptions += 1


def leave_graphs() -> None:
    """Takes one ``adopt_graphs`` back; what has been adopted stays so."""
    _attending.adoptions -= 1


def adoptions() -> int:
    """How many calls of ``adopt_graphs`` have not been taken back."""
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
