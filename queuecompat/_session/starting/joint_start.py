"""Decides when all pipelines of one graph can start in one step, a *joint start* (``joint_start_step``), and runs it.

Each runner that is started first calls ``begin``. The joint start is run if the current call of the program starts all
runners of the graph's collection, and nothing of them has been started in the session; otherwise each runner starts
alone.

Locks: ``SessionState.starting`` is held from the second check of what has begun until the start is noted; see
``joint_start_step``. The graph is settled before the lock is taken.
"""

from __future__ import annotations

from typing import Callable, List, Optional

import tensorflow as tf

from queuecompat._session.starting.activity import Ops
from queuecompat._session.starting.compiled_runners import CompiledRunners
from queuecompat._session.starting.joint_start_step import JointStartStep, Start
from queuecompat._session.starting.runners import PipelineRunner
from queuecompat._session.starting.starting_calls import StartingCall, starting_call
from queuecompat._session.steps import open_sessions

__all__ = ["JointStart"]


class JointStart:
    """The joint start of the graph of *compiled_runners*.

    Args:
      prepare: called before a start; makes what was deferred while the graph was built.
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
        self._step: Optional[JointStartStep] = None

    def refresh(self) -> None:
        """Rebuilds the step if the starts that it has to run have changed."""
        runners = self._runners()
        starts, endings = _starts_of(runners), self._endings()
        if self._step is None or not self._step.is_of(starts, endings):
            is_possible = bool(starts) and all(start.claim is not None for start in starts)
            is_of_one_task = is_possible and len({runner.placement.task for runner in runners}) == 1
            self._step = JointStartStep(runners[0].placement, starts, endings) if is_of_one_task else None

    def begin(self, session: tf.compat.v1.Session) -> None:
        """Starts everything of the graph in *session*, if the current call starts all runners of the graph."""
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
        with open_sessions.state_of(session).starting:
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
        """The ops that end the collection's own runners.

        These also end the pipelines that fill other runners' queues.
        """
        return [one.ending for one in self._collection() if isinstance(one, PipelineRunner)]

    def _runners(self) -> List[PipelineRunner]:
        """Our runners that a start of the collection starts.

        They are those in the collection itself, and those whose elements its compiled runners enqueue.
        """
        found: List[PipelineRunner] = []
        for one in self._collection():
            if isinstance(one, PipelineRunner):
                found.append(one)
            elif one in self._compiled_runners:
                found += self._compiled_runners.upstream_of(one)
        return list(dict.fromkeys(found))


def _begin(
    step: JointStartStep,
    session: tf.compat.v1.Session,
    call: StartingCall,
    ours: List[PipelineRunner],
    runners: List[PipelineRunner],
) -> bool:
    """Runs *step*, which starts *runners*; *ours*, those in the collection, also get threads.

    Returns:
      Whether everything has started.
    """
    for runner in runners:
        runner.has_started = True
    activities = [one.begin_with_others(session) for one in ours]
    feeds = {tensor: value for runner in runners for tensor, value in runner.feeds.items()}
    is_done = False
    try:
        is_done = step.run(session, feeds)
    finally:
        for activity in activities:
            activity.end_joint_start(is_done, call.coordinator)
    return is_done


def _starts_of(runners: List[PipelineRunner]) -> List[Start]:
    return [start for runner in runners for start in runner.starts]


def _any_has_begun(runners: List[PipelineRunner], session: tf.compat.v1.Session) -> bool:
    return any(one.has_begun_in(session) for one in runners)
