"""One runner's pipelines in one session: whether they run, and the threads that stand for TF1's.

TF1 filled a queue from one thread for each enqueue op, and had one more that closed the queue when the coordinator
stopped. A compiled pipeline needs none of the first kind, but programs look at them: they join them, ask whether they
live, count them. So they exist, named as TF1's, and wait for what TF1's waited for.

Rule 1: every change of the state is a row of ``TRANSITIONS``. About to write ``if self._state ==`` elsewhere? Add a
        row here instead.
Rule 2: a stop ends the sources first. Steps that are running get what the pipelines still hold; then, before the
        thread that closes has ended, so does every other draw. A pipeline that nothing was drawn from yet still
        delivers as much as TF1's queue would have held by then, unless it has failed.
Guarantees: every thread ends when the pipelines are stopped or the session is closed; those that stand for enqueue ops
also when the data end or a pipeline fails.
Assumptions: the ops run in no time; what may wait in them is woken by them (see ``gates``).
Locks: ``_changed`` guards the state, ``_lock`` who stops what. No op runs, and no callback is called, under them.
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
from queuecompat._session.steps import sessions
from queuecompat._session.steps.session_state import SessionState

__all__ = ["STATES", "TRANSITIONS", "Activity", "Ops", "Work", "refused", "threads_of"]

# While a stop waits for the steps that are running, in seconds: without any step, and without the end of one.
IDLE = 0.02
STUCK = 1.0
# After so many steps a stop waits no longer.
LONGEST_DRAIN = 1000

STATES = ("new", "running", "stopping", "ended", "failed", "aborting", "stopped", "closed")

# From a state and what happens in it to the next state; what is not here changes nothing.
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
    ("ended", "stop"): "stopped",
    ("ended", "session closes"): "closed",
    ("stopped", "session closes"): "closed",
}


@dataclasses.dataclass(frozen=True, eq=False)
class Ops:
    """The ops that end a runner's pipelines: each runs alone, or in its phase of a step (``phases``).

    Args:
      stop: the sources end; what is held is still delivered.
      close: nothing is delivered any more.
      drains: whether what is held comes to an end after *stop*.
      cancel: the program's own, in place of TF1's that closes the queue; None: it passed none.
      has_begun: whether the pipelines had been drawn from before *stop*, which is run with it; None: that is not known.
    """

    stop: Sequence[tf.Operation]
    close: Sequence[tf.Operation]
    drains: bool
    cancel: Optional[tf.Operation]
    has_begun: Optional[tf.Tensor] = None


# Guards which activities of a session no thread has taken in hand to stop them.
_lock = threading.Lock()


class Activity:
    """The pipelines of one runner in *session*; does not keep the session alive.

    Args:
      ops: returns the ops, as they are when they are needed.
    Attributes:
      has_threads: whether its threads have been made; not yet, where it started in one step with others.
    """

    def __init__(self, session: tf.compat.v1.Session, ops: Callable[[], Ops]) -> None:
        # A session may live until Python takes the modules apart, this one included: nothing waits any more then.
        is_over = sys.is_finalizing
        self._session = weakref.ref(session, lambda _: None if is_over() else self._close())
        self._ops = ops
        self._changed = threading.Condition()
        self._state = "new"
        self.has_threads = True
        self._sessions_state = sessions.state_of(session)
        with _lock:
            self._sessions_state.unstopped.append(self)
        self.coordinators: List[tf.train.Coordinator] = []
        sessions.before_close(session, self._close)

    @property
    def state(self) -> str:
        return self._state

    @property
    def is_live(self) -> bool:
        """Whether threads of it may be waiting: not before the start, and not after the end."""
        return self._state in ("running", "stopping", "aborting")

    def happens(self, event: str) -> bool:
        """Makes the transition, if there is one; whether there was."""
        with self._changed:
            following = TRANSITIONS.get((self._state, event))
            if following is None:
                return False
            self._state = following
            self._changed.notify_all()
        self._sessions_state.wake_drains()
        return True

    def obey(self, coordinator: tf.train.Coordinator) -> None:
        """From now on a stop of *coordinator* stops the pipelines, and it learns of their failures."""
        self.coordinators.append(coordinator)
        sessions.on_stop(coordinator, self._stop)

    def has_begun_with_others(self, is_done: bool, coordinator: Optional[tf.train.Coordinator]) -> None:
        """The step is over in which it started with others; unless *is_done*, it has yet to be started alone."""
        if not is_done:
            self.has_threads = True
            self.happens("failure")
        elif coordinator is not None:
            self.obey(coordinator)

    def wait_for_the_end(self) -> None:
        """The work of a thread that stands for an enqueue op."""
        with self._changed:
            self._changed.wait_for(lambda: self._state not in ("new", "running"))

    def close_on_stop(self) -> None:
        """The work of the thread that closes.

        The first thread closes everything that is stopping in the session, in the same few steps: preparing a step that
        TensorFlow has not run before takes much longer than running it.
        """
        with self._changed:
            self._changed.wait_for(lambda: self._state in ("stopping", "aborting", "stopped", "closed"))
        led = self._led()
        if led:
            _close_all(led)
        with self._changed:
            self._changed.wait_for(lambda: not self._is_stopping)

    def _led(self) -> List[Activity]:
        """What stops together with this one, itself included; nothing if another thread has it in hand."""
        with _lock:
            unstopped: List[Activity] = self._sessions_state.unstopped
            led = [one for one in unstopped if one._is_stopping] if self in unstopped else []
            unstopped[:] = [one for one in unstopped if one is not self and one not in led]
        return led

    def _stop(self) -> None:
        self.happens("stop")

    def _close(self, session: Optional[tf.compat.v1.Session] = None) -> None:
        self.happens("session closes")

    @property
    def _is_stopping(self) -> bool:
        return self._state in ("stopping", "aborting")

    def _run(self, ops: Sequence[Any], feeds: Dict[tf.Tensor, Any]) -> Sequence[Any]:
        """What *ops* return, fed *feeds*; nothing where they cannot be run."""
        session = self._session()
        if session is None or not any(ops) or self._state == "closed":
            return []
        try:
            return sessions.run_unattended(session, list(ops), feed_dict=feeds)
        except (RuntimeError, tf.errors.OpError) as problem:
            # The session ends at the same time, or the program's own op failed: as in TF1, it is stopping anyway.
            logging.getLogger("queuecompat").debug("while stopping: %s", problem)
            return []


def _close_all(led: Sequence[Activity]) -> None:
    """Stops the pipelines of *led*, lets the running steps have what they hold, and closes them."""
    try:
        run, state = led[0]._run, led[0]._sessions_state
        ops = [one._ops() for one in led]
        has_steps = state.has_steps
        found = run(*_step(state, ops, "stops"))
        closed = [
            its
            for number, (one, its) in enumerate(zip(led, ops))
            # Where it cannot be asked whether anything was held, as if it was.
            if has_steps or one._state == "aborting" or not (found and its.has_begun is not None) or found[number][0]
        ]
        if any(its.drains for its in closed):
            state.wait_for_drain(lambda: not any(one._is_stopping for one in led), IDLE, STUCK, LONGEST_DRAIN)
        run(*_step(state, closed, "closes"))
        for its in ops:
            run([] if its.cancel is None else [its.cancel], {})
    finally:
        for one in led:
            one.happens("drained")


def _step(state: SessionState, ops: Sequence[Ops], phase: str) -> Tuple[Sequence[Any], Dict[tf.Tensor, Any]]:
    """What a run fetches and is fed that does *phase* of *ops*, a row for each: "stops" or "closes"."""
    if state.one_start is not None and state.one_start.ends(ops):
        return state.one_start.step(ops, phase)
    if phase == "closes":
        return [its.close for its in ops], {}
    return [[*([] if its.has_begun is None else [its.has_begun]), *its.stop] for its in ops], {}


@dataclasses.dataclass(frozen=True)
class Work:
    """What threads do: *begin* when they are started, in the thread that starts them; then one of the others."""

    begin: Callable[[], None]
    enqueue: Callable[[], None]
    close: Callable[[], None]


class RunnerThread(threading.Thread):
    """A thread of a runner; starting it starts the pipelines first, so that no step can come too early.

    Guarantees: once started it keeps no session alive. A daemon thread that had the last reference would delete the
    session while the process ends, and TensorFlow's threads would be killed in the midst of it.
    """

    def __init__(self, begin: Callable[[], None], work: Callable[[], None], name: str, daemon: bool) -> None:
        super().__init__(name=name, daemon=daemon, target=work)
        self._begin = [begin]

    def start(self) -> None:
        while self._begin:
            self._begin.pop()()
        super().start()


def threads_of(work: Work, names: QueueNames, daemon: bool, with_close: bool) -> List[threading.Thread]:
    """TF1's threads: one for each enqueue op of *names*, and the one that closes."""
    name = f"QueueRunnerThread-{names.queue}"
    threads: List[threading.Thread] = [
        RunnerThread(work.begin, work.enqueue, f"{name}-{op}", daemon) for op in names.enqueue
    ]
    if with_close:
        threads.append(RunnerThread(work.begin, work.close, f"{name}-close_on_stop", daemon))
    return threads


def refused(message: str, coordinator: Optional[Any], record: Callable[[BaseException], None]) -> None:
    """What a thread of TF1's does with a queue that was closed before: it fails."""
    try:
        raise tf.errors.CancelledError(None, None, message)
    except tf.errors.CancelledError as error:
        if coordinator is not None:
            coordinator.request_stop(error)
        else:
            tf.compat.v1.logging.error("Exception in QueueRunner: %s", error)
            record(error)
            raise
