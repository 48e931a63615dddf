"""What is recorded of one session while it is open: its steps, what has started in it, and what waits for either.

For guarantees, assumptions and locks see ``SessionState``.
"""

from __future__ import annotations

import collections
import contextlib
import threading
from typing import Any, Callable, DefaultDict, Dict, Iterable, Iterator, List, Optional, Set

import tensorflow as tf

__all__ = ["JOINING", "BeforeClose", "SessionState"]

BeforeClose = Callable[[Any], None]  # takes the session
# The ids of the threads that are in ``Coordinator.join``.
JOINING: Set[int] = set()


class SessionState:
    """The state of one session.

    Attributes:
      unstopped: the activities that no coordinator has stopped yet; used by ``activity`` alone, which guards it.
      started: the ops that start pipelines and have run in it; guarded by *starting*. Both belong to
        ``joint_start_step``.
      joint_start_step: the ``JointStartStep`` that has run in it, if any.
      ready: the draws whose pipelines are known to have started; for ``early_steps``.
      is_closed: whether the session has ended.
      failed_fills: the first error of the threads that fill each of TensorFlow's own queues, by the queue's name.
      cut_off: from the draws whose pipelines a failed step may have cut off to the error of that step; for ``cut_off``.

    Guarantees: ``wait_for_drain`` returns when no step runs, or when none has ended for some time; it returns at once
    if no further step can come, because all threads that have run any are waiting in ``Coordinator.join``.
    Locks: ``_changed`` guards everything else; a step takes it only while a drain waits.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._running: DefaultDict[int, int] = collections.defaultdict(int)
        self._threads: Set[int] = set()  # the threads in which steps have run
        self._ended_steps = 0
        self._waiting_drains = 0
        self.callbacks_before_close: List[BeforeClose] = []
        self.unstopped: List[Any] = []
        self.started: Set[tf.Operation] = set()
        self.joint_start_step: Optional[Any] = None
        self.starting = threading.RLock()
        self.ready: Set[str] = set()
        self.is_closed = False
        self._news = threading.Condition()
        self._news_so_far = 0
        self._early_steps = 0
        self.failed_fills: Dict[str, BaseException] = {}
        self.cut_off: Dict[str, str] = {}

    @property
    def has_steps(self) -> bool:
        """Whether a step is running."""
        return bool(self._running)

    def enter(self) -> None:
        """To be called when a step begins, in its thread."""
        thread = threading.get_ident()
        self._running[thread] += 1
        self._threads.add(thread)
        self.wake_drains()

    def leave(self) -> None:
        """To be called when a step has ended, in its thread."""
        thread = threading.get_ident()
        if self._running[thread] == 1:
            del self._running[thread]
        else:
            self._running[thread] -= 1
        self._ended_steps += 1
        self.wake_drains()

    def wait_for_drain(self, is_over: Callable[[], bool], idle: float, stuck: float, longest: int) -> None:
        """Waits while steps go on running.

        Args:
          is_over: returns whether to end the wait; called after each step.
          idle: seconds without any running step after which the wait ends.
          stuck: seconds after which the wait ends if a step runs and none ends.
          longest: the number of steps after which it ends in any case.
        """
        with self._changed:
            self._waiting_drains += 1
            try:
                for _ in range(longest):
                    ended = self._ended_steps
                    if not self._changed.wait_for(lambda: is_over() or bool(self._running) or self._has_left(), idle):
                        return
                    if not self._running and self._has_left():
                        return
                    if not self._changed.wait_for(lambda e=ended: is_over() or self._ended_steps != e, stuck):  # type: ignore[misc]
                        return
                    if is_over():
                        return
            finally:
                self._waiting_drains -= 1

    def _has_left(self) -> bool:
        """Whether all threads that have run steps are now waiting in ``Coordinator.join``.

        A thread that has ended is assumed to go on: asking Python which threads are alive takes a lock, during which
        the garbage collector may call code that needs ``_changed``.
        """
        return self._threads <= JOINING

    def wake_drains(self) -> None:
        """To be called when a step has begun or ended, or when an *is_over* may have become true."""
        if self._waiting_drains:
            with self._changed:
                self._changed.notify_all()

    @contextlib.contextmanager
    def early_step(self) -> Iterator[Callable[[float], bool]]:
        """Yields a function with which a step waits for news about starts, for at most a number of seconds.

        The function returns whether there was news since its last call, or since the block was entered.
        """
        with self._news:
            self._early_steps += 1
            seen = self._news_so_far

        def has_news(seconds: float) -> bool:
            nonlocal seen
            with self._news:
                is_new = self._news.wait_for(lambda: self._news_so_far != seen, seconds)
                seen = self._news_so_far
            return is_new

        try:
            yield has_news
        finally:
            with self._news:
                self._early_steps -= 1

    def wake_early_steps(self) -> None:
        """To be called when something may have started, or when the session has ended."""
        if self._early_steps:
            with self._news:
                self._news_so_far += 1
                self._news.notify_all()

    def note_starts(self, ops: Iterable[tf.Operation]) -> None:
        """Notes that *ops*, which start pipelines, have run; the caller holds *starting*."""
        self.started.update(ops)
        self.wake_early_steps()
