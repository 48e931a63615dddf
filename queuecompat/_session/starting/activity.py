"""The state of one runner's pipelines in one session, and the threads that stand for TF1's.

TF1 filled a queue from one thread for each enqueue op, and had one more thread that closed the queue when the
coordinator stopped. A compiled pipeline needs no threads of the first kind, but programs use them: they join them,
count them, and check whether they are alive. So they exist, have TF1's names, and wait for what TF1's waited for.

Rule 1: every change of the state is a row of ``TRANSITIONS``. About to write ``if self._state ==`` elsewhere? Add a row
        here instead.
Rule 2: a stop first ends the sources. Steps that are running still get what the pipelines hold; then every other draw
        ends, too, before the closing thread ends. A pipeline from which nothing was drawn yet still delivers as much as
        TF1's queue would have held by then, unless it has failed.
Guarantees: every thread ends when the pipelines are stopped or the session is closed; those that stand for enqueue ops
also end when the data end or a pipeline fails.
Assumptions: the ops that end pipelines do not block, and wake the draws that wait (see ``gates``).
Locks: ``_changed`` guards the state; ``_lock`` guards which thread stops which activities. No op runs, and no callback
is called, while either is held.
"""

from __future__ import annotations

import dataclasses
import logging
import sys
import threading
import weakref
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import tensorflow as tf

from queuecompat._plan.queue_names import QueueNames
from queuecompat._session.steps import coordinators, open_sessions, sessions
from queuecompat._session.steps.session_state import SessionState

__all__ = ["STATES", "TRANSITIONS", "Activity", "Ops", "Work", "refused", "threads_of"]

# How long a stop waits for running steps, in seconds: without any step running, and without any step ending.
IDLE = 0.02
STUCK = 1.0
# The number of steps after which a stop no longer waits.
LONGEST_DRAIN = 1000

STATES = ("new", "running", "stopping", "ended", "failed", "aborting", "stopped", "closed")

# From a state and an event to the next state. An event that has no row for a state changes nothing.
TRANSITIONS: Dict[Tuple[str, str], str] = {
    ("new", "start"): "running",
    ("new", "stop"): "stopping",
    ("new", "session closes"): "closed",
    ("running", "data end"): "ended",
    ("running", "failure"): "failed",
    ("running", "stop"): "stopping",
    ("running", "session closes"): "closed",
    ("stopping", "data end"): "stopped",
    ("stopping", "drained"): "stopped",
    ("stopping", "session closes"): "closed",
    ("failed", "stop"): "aborting",
    ("aborting", "data end"): "stopped",
    ("aborting", "drained"): "stopped",
    ("aborting", "session closes"): "closed",
    ("failed", "session closes"): "closed",
    # Of several threads that draw, one may be told of the end while another still explains the failure before it.
    ("ended", "failure"): "failed",
    ("ended", "stop"): "stopped",
    ("ended", "session closes"): "closed",
    ("stopped", "session closes"): "closed",
}


@dataclasses.dataclass(frozen=True, eq=False)
class Ops:
    """The ops that end a runner's pipelines. Each runs alone, or in its phase of a step (``phases``).

    Args:
      stop: end the sources; elements that the pipelines hold are still delivered.
      close: end all delivery.
      drains: whether the held elements run out after *stop*, so that waiting for running steps makes sense.
      cancel: the program's own op, in place of TF1's that closes the queue; None: the program passed none.
      has_begun: whether the pipelines had been drawn from before *stop*, in the same run; None: that is not known.
    """

    stop: Sequence[tf.Operation]
    close: Sequence[tf.Operation]
    drains: bool
    cancel: Optional[tf.Operation]
    has_begun: Optional[tf.Tensor] = None


# Guards ``SessionState.unstopped``: the activities that no thread has begun to stop.
_lock = threading.Lock()


class Activity:
    """The pipelines of one runner in *session*; does not keep the session alive.

    Args:
      ops: returns the current ops that end the pipelines; called when they are needed.
    Attributes:
      has_threads: whether its threads have been made; False after a joint start, until its runner makes them.
    """

    def __init__(self, session: tf.compat.v1.Session, ops: Callable[[], Ops]) -> None:
        # A session may live until Python tears down its modules, including this one; nothing waits any more by then.
        is_over = sys.is_finalizing
        self._session = weakref.ref(session, lambda _: None if is_over() else self._close())
        self._ops = ops
        self._changed = threading.Condition()
        self._state = "new"
        self.has_threads = True
        self._sessions_state = open_sessions.state_of(session)
        with _lock:
            self._sessions_state.unstopped.append(self)
        self.coordinators: List[tf.train.Coordinator] = []
        open_sessions.before_close(session, self._close)

    @property
    def state(self) -> str:
        return self._state

    @property
    def is_live(self) -> bool:
        """Whether threads of it may be waiting: after the start, and before the end."""
        return self._state in ("running", "stopping", "aborting")

    def transition(self, event: str) -> bool:
        """Makes the transition for *event*, if there is one.

        Returns:
          Whether there was a transition.
        """
        with self._changed:
            following = TRANSITIONS.get((self._state, event))
            if following is None:
                return False
            self._state = following
            self._changed.notify_all()
        self._sessions_state.wake_drains()
        return True

    def follow(self, coordinator: tf.train.Coordinator) -> None:
        """From now on a stop of *coordinator* stops the pipelines, and failures are reported to it."""
        self.coordinators.append(coordinator)
        coordinators.on_stop(coordinator, self._stop)

    def end_joint_start(self, is_done: bool, coordinator: Optional[tf.train.Coordinator]) -> None:
        """Ends its joint start with other activities.

        Unless *is_done*, the joint start failed, and it has to start alone.
        """
        if not is_done:
            self.has_threads = True
            self.transition("failure")
        elif coordinator is not None:
            self.follow(coordinator)

    def wait_for_the_end(self) -> None:
        """What a thread does that stands for an enqueue op: waits until the pipelines no longer run."""
        with self._changed:
            self._changed.wait_for(lambda: self._state not in ("new", "running"))

    def close_on_stop(self) -> None:
        """What the closing thread does: waits for a stop, and closes the pipelines.

        The first such thread closes everything in the session that is stopping, in the same few steps, because
        preparing a step that TensorFlow has not run before takes much longer than running it.
        """
        with self._changed:
            self._changed.wait_for(lambda: self._state in ("stopping", "aborting", "stopped", "closed"))
        claimed = self._claim_stopping()
        if claimed:
            _close_all(claimed)
        with self._changed:
            self._changed.wait_for(lambda: not self._is_stopping)

    def _claim_stopping(self) -> List[Activity]:
        """The activities that are stopped together with this one, including it; empty if another thread stops them."""
        with _lock:
            others = self._sessions_state.unstopped[:]
        # A coordinator notifies one activity after the other, so this thread may run before it has notified all.
        for one in others:
            if any(coordinator.should_stop() for coordinator in one.coordinators):
                one.transition("stop")
        with _lock:
            unstopped: List[Activity] = self._sessions_state.unstopped
            claimed = [one for one in unstopped if one._is_stopping] if self in unstopped else []
            unstopped[:] = [one for one in unstopped if one is not self and one not in claimed]
        return claimed

    def _stop(self) -> None:
        self.transition("stop")

    def _close(self, session: Optional[tf.compat.v1.Session] = None) -> None:
        self.transition("session closes")

    @property
    def _is_stopping(self) -> bool:
        return self._state in ("stopping", "aborting")

    def _run(self, ops: Sequence[Any], feeds: Dict[tf.Tensor, Any]) -> Sequence[Any]:
        """The results of *ops* for *feeds*; empty if they cannot be run."""
        session = self._session()
        if session is None or not any(ops) or self._state == "closed":
            return []
        try:
            return sessions.run_unattended(session, list(ops), feed_dict=feeds)
        except (RuntimeError, tf.errors.OpError) as problem:
            # The session is being closed, or the program's own op failed. As in TF1 this is ignored: a stop is under
            # way anyway.
            logging.getLogger("queuecompat").debug("while stopping: %s", problem)
            return []


def _close_all(activities: Sequence[Activity]) -> None:
    """Stops the pipelines of *activities*, lets running steps take the elements that they hold, and closes them."""
    try:
        run, state = activities[0]._run, activities[0]._sessions_state
        ops = [one._ops() for one in activities]
        has_steps = state.has_steps
        found = run(*_step(state, ops, "stops"))
        closed = [
            its
            for number, (one, its) in enumerate(zip(activities, ops))
            # If it is not known whether any elements were drawn, it is assumed that there were.
            if has_steps or one._state == "aborting" or not (found and its.has_begun is not None) or found[number][0]
        ]
        if any(its.drains for its in closed):
            state.wait_for_drain(lambda: not any(one._is_stopping for one in activities), IDLE, STUCK, LONGEST_DRAIN)
        run(*_step(state, closed, "closes"))
        for its in ops:
            run([] if its.cancel is None else [its.cancel], {})
    finally:
        for one in activities:
            one.transition("drained")


def _step(state: SessionState, ops: Sequence[Ops], phase: str) -> Tuple[Sequence[Any], Dict[tf.Tensor, Any]]:
    """The fetches, one row for each of *ops*, and the feeds of a run that does *phase*: "stops" or "closes"."""
    if state.joint_start_step is not None and state.joint_start_step.ends(ops):
        return state.joint_start_step.step(ops, phase)
    if phase == "closes":
        return [its.close for its in ops], {}
    return [[*([] if its.has_begun is None else [its.has_begun]), *its.stop] for its in ops], {}


@dataclasses.dataclass(frozen=True)
class Work:
    """What the threads of a runner do.

    Args:
      begin: called when a thread is started, in the thread that starts it.
      enqueue: the work of a thread that stands for an enqueue op.
      close: the work of the closing thread.
    """

    begin: Callable[[], None]
    enqueue: Callable[[], None]
    close: Callable[[], None]


class RunnerThread(threading.Thread):
    """A thread of a runner; ``start`` starts the pipelines first, so that no step can come too early.

    Guarantees: once started it keeps no session alive. If a daemon thread held the last reference, it would delete the
    session while the process ends, and TensorFlow's threads would be killed in the middle of that.
    """

    def __init__(self, begin: Callable[[], None], work: Callable[[], None], name: str, daemon: bool) -> None:
        # Without *daemon* it is what the thread that makes it is, as in TF1.
        super().__init__(name=name, daemon=daemon or None, target=work)
        self._begin = [begin]

    def start(self) -> None:
        while self._begin:
            self._begin.pop()()
        super().start()


def threads_of(work: Work, names: QueueNames, daemon: bool, with_close: bool) -> List[threading.Thread]:
    """TF1's threads: one for each enqueue op of *names*, and with *with_close* the closing thread."""
    name = f"QueueRunnerThread-{names.queue}"
    threads: List[threading.Thread] = [
        RunnerThread(work.begin, work.enqueue, f"{name}-{op}", daemon) for op in names.enqueue
    ]
    if with_close:
        threads.append(RunnerThread(work.begin, work.close, f"{name}-close_on_stop", daemon))
    return threads


def refused(message: str, coordinator: Optional[Any], record: Callable[[BaseException], None]) -> None:
    """Fails as TF1's threads do whose queue was closed earlier: with a CancelledError that says *message*.

    The error is passed to *coordinator*; without one, it is logged, passed to *record*, and raised.
    """
    try:
        raise tf.errors.CancelledError(None, None, message)
    except tf.errors.CancelledError as error:
        if coordinator is not None:
            coordinator.request_stop(error)
        else:
            tf.compat.v1.logging.error("Exception in QueueRunner: %s", error)
            record(error)
            raise
