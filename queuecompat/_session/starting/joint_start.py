"""The joint start of all pipelines of one graph: when it may be made, and when a call is one that it does the work of.

Each runner asks for it first (``begin``) when it is started. It begins if the call that is under way starts all runners
of the graph's collection and nothing of them has been started in the session; otherwise each runner starts alone.

Locks: ``SessionState.starting`` is held from the second look at what has begun to the note that it has; see
``one_start``. The graph is settled before it is taken.
"""

from __future__ import annotations

from typing import Callable, List, Optional

import tensorflow as tf

from queuecompat._session.starting.activity import Ops
from queuecompat._session.starting.compiled_runners import CompiledRunners
from queuecompat._session.starting.one_start import OneStart, Start
from queuecompat._session.starting.runners import PipelineRunner
from queuecompat._session.starting.starting_calls import StartingCall, starting_call
from queuecompat._session.steps import sessions

__all__ = ["JointStart"]


class JointStart:
    """That of the graph of *compiled_runners*.

    Args:
      prepare: called before a start; what was deferred while the graph was built is made.
      after: called with the session after a start.
    """

    def __init__(
        self,
        compiled_runners: CompiledRunners,
        prepare: Callable[[], None],
        after: Callable[[tf.compat.v1.Session], None],
    ) -> None:
        self._compiled_runners = compiled_runners
        self._prepare = prepare
        self._after = after
        self._step: Optional[OneStart] = None

    def refresh(self) -> None:
        """Makes its step again if what there is to start has changed."""
        runners = self._runners()
        starts, endings = _starts_of(runners), self._endings()
        if self._step is None or not self._step.is_of(starts, endings):
            is_possible = bool(starts) and all(start.once is not None for start in starts)
            is_of_one_task = is_possible and len({runner.placement.task for runner in runners}) == 1
            self._step = OneStart(runners[0].placement, starts, endings) if is_of_one_task else None

    def begin(self, session: tf.compat.v1.Session) -> None:
        """If the call that is under way starts all runners of the graph, everything of them is started in *session*."""
        call = starting_call()
        if call is None or call.runners != self._collection():
            return
        ours = [one for one in call.runners if isinstance(one, PipelineRunner)]
        if _any_has_begun(ours, session):
            return
        self._prepare()
        runners = self._runners()
        step = self._step
        if step is None or not step.is_of(_starts_of(runners), self._endings()):
            return
        if any(runner.services for runner in runners):
            return
        with sessions.state_of(session).starting:
            if step.has_begun(session) or _any_has_begun(ours, session):
                return
            is_done = _begin(step, session, call, ours, runners)
        if is_done:
            self._after(session)

    def _collection(self) -> List[tf.compat.v1.train.QueueRunner]:
        runners: List[tf.compat.v1.train.QueueRunner] = self._compiled_runners.graph.get_collection(
            tf.compat.v1.GraphKeys.QUEUE_RUNNERS
        )
        return runners

    def _endings(self) -> List[Ops]:
        """What ends those that a stop ends: what fills others' queues ends with these."""
        return [one.ending for one in self._collection() if isinstance(one, PipelineRunner)]

    def _runners(self) -> List[PipelineRunner]:
        """Ours that the graph's collection of runners starts: those that it has, and those that fill others' queues."""
        found: List[PipelineRunner] = []
        for one in self._collection():
            if isinstance(one, PipelineRunner):
                found.append(one)
            elif one in self._compiled_runners:
                found += self._compiled_runners.upstream_of(one)
        return list(dict.fromkeys(found))


def _begin(
    step: OneStart,
    session: tf.compat.v1.Session,
    call: StartingCall,
    ours: List[PipelineRunner],
    runners: List[PipelineRunner],
) -> bool:
    """Runs *step*, which starts *runners*, *ours* of them with threads; returns whether everything has started."""
    for runner in runners:
        runner.has_started = True
    activities = [one.begin_with_others(session) for one in ours]
    feeds = {tensor: value for runner in runners for tensor, value in runner.feeds.items()}
    is_done = False
    try:
        is_done = step.run(session, feeds)
    finally:
        for activity in activities:
            activity.has_begun_with_others(is_done, call.coordinator)
    return is_done


def _starts_of(runners: List[PipelineRunner]) -> List[Start]:
    return [start for runner in runners for start in runner.starts]


def _any_has_begun(runners: List[PipelineRunner], session: tf.compat.v1.Session) -> bool:
    return any(one.has_begun_in(session) for one in runners)
