"""Lets a step that comes before the start of the pipelines it draws from wait for that start.

In TF1 such a step waited in the queue until its runners filled it, and programs rely on that: their worker threads may
run steps before the main thread calls ``start_queue_runners``. So in any thread but the main one, the step waits for
the start. In the main thread it fails at once (QC301), since the main thread is the one that starts pipelines.

Rule 1: a step does not wait for tensors that are fed. It does wait for draws in all branches of a ``cond``, because it
        is not known beforehand which one is taken, and pipelines that alternate are started together.
Rule 2: a pipeline has started when all its runners have: a program may start the runner at its end first.
Rule 3: the graph itself (the guard of the runner) says whether a pipeline has started, since the start may be an op
        that the program runs by name. It is asked again whenever something may have started.
Rule 4: if no thread is left that could start anything, the step goes on, and fails (QC301). After ``PATIENCE`` seconds,
        threads that wait in a join no longer count as able to start anything: usually the main thread, which forgot to.
Guarantees: a wait ends with the start, with the session, or with the last thread that Python would wait for at exit.
Locks: none of its own; ``SessionState`` has the one that a wait needs. No op runs while it is held.
"""

from __future__ import annotations

import inspect
import sys
import threading
import time
import traceback
import types
from typing import Any, Callable, Collection, Iterator, Set

import tensorflow as tf

from queuecompat._native.waiting import INTERVAL, PATIENCE, stacks
from queuecompat._plan.stages import Stage
from queuecompat._session.starting.controls import runners_of
from queuecompat._session.steps import open_sessions
from queuecompat._session.steps.fetches import Draws, flat, ops_required_by
from queuecompat._session.steps.session_state import SessionState
from queuecompat.errors import layout

__all__ = ["EarlySteps"]

_JOIN = threading.Thread.join.__code__
_JOIN_ALL = inspect.unwrap(tf.train.Coordinator.join).__code__
# The threads whose steps are waiting, over all sessions.
_waiting: Set[int] = set()


class EarlySteps:
    """Makes the early steps of one graph wait.

    Args:
      draws: the draws of the graph.
      stage_of: returns the stage that the draw with a given name takes elements from.
    """

    def __init__(self, graph: tf.Graph, draws: Draws, stage_of: Callable[[str], Stage]) -> None:
        self._graph = graph
        self._draws = draws
        self._stage_of = stage_of

    def wait(self, session: tf.compat.v1.Session, fetches: Any, feeds: Any) -> None:
        """Waits until everything that a step running *fetches* draws from has started in *session*.

        Raises:
          tf.errors.CancelledError: the session was closed meanwhile.
        """
        draws = self._draws.required_by(fetches).draws
        if not draws:
            return
        state = open_sessions.state_of(session)
        if draws <= state.ready:
            return
        if feeds:
            draws = draws & ops_required_by(self._graph, fetches, set(self._names(feeds)))
        for draw in sorted(draws - state.ready):
            if not _wait_for(session, state, self._stage_of(draw)):
                return
            state.ready.add(draw)

    def _names(self, feeds: Any) -> Iterator[str]:
        """The names of the tensors that *feeds* replaces."""
        for fed in flat(list(feeds)):
            try:
                yield self._graph.as_graph_element(fed, allow_tensor=True, allow_operation=False).name
            except (KeyError, TypeError, ValueError):  # not in the graph: the step itself raises the error
                continue


def _wait_for(session: tf.compat.v1.Session, state: SessionState, stage: Stage) -> bool:
    """Waits until *stage* has started in *session*.

    Returns:
      True if it has started; False if no thread is left that could start it.
    Raises:
      tf.errors.CancelledError: the session was closed meanwhile.
    """
    runners, thread, since, is_reported = runners_of(stage), threading.get_ident(), time.monotonic(), False
    with state.early_step() as has_news:
        _waiting.add(thread)
        try:
            while True:
                has_started = all(runner.has_started_in(session) for runner in runners)
                if state.is_closed:
                    raise tf.errors.CancelledError(None, None, f"the session was closed before '{stage.name}' started")
                if has_started:
                    return True
                while not has_news(INTERVAL):
                    seconds = time.monotonic() - since
                    is_long = seconds >= PATIENCE
                    if not _may_start(_waiting | _joining() if is_long else _waiting):
                        return False
                    if is_long and not is_reported:
                        is_reported = True
                        _report(stage, seconds)
        finally:
            _waiting.discard(thread)


def _may_start(waiting: Collection[int]) -> bool:
    """Whether there is a live non-daemon thread that is not one of *waiting*."""
    return any(not one.daemon and one.is_alive() and one.ident not in waiting for one in threading.enumerate())


def _joining() -> Set[int]:
    """The threads that wait for other threads to end, without a timeout."""
    return {thread for thread, top in stacks().items() if _is_in_join(top)}


def _is_in_join(top: types.FrameType) -> bool:
    return any(
        frame.f_code is _JOIN_ALL or (frame.f_code is _JOIN and frame.f_locals.get("timeout") is None)
        for frame, _ in traceback.walk_stack(top)
    )


def _report(stage: Stage, seconds: float) -> None:
    words = layout(
        "QC315", stage.made_at, thread=threading.current_thread().name, seconds=round(seconds), stage=stage.name
    )
    print(words, file=sys.stderr, flush=True)
