"""Finds calls that do not return: which threads are inside one, and for how long. The base of the stall watches.

Waiting threads are found by looking at the stacks of all threads, so a call that returns costs nothing.

Rule 1: a watch has one thread, which ends with the last object that it watches, and at the end of the process.
Locks: ``_lock`` guards what is watched, and the thread. It is not held while stacks are looked at or stalls are told.
"""

from __future__ import annotations

import atexit
import gc
import sys
import threading
import time
import traceback
import types
import weakref
from typing import Any, Callable, Dict, Iterator, Optional, Set, Tuple

__all__ = ["INTERVAL", "PATIENCE", "CallWatch", "stacks"]

PATIENCE = 10.0  # seconds
INTERVAL = 1.0  # seconds between two looks


def stacks() -> Dict[int, types.FrameType]:
    """The top frame of each thread's stack, by thread id.

    Some versions of Python (3.11.7 is one) hold the lock of their list of threads meanwhile. A garbage collection could
    let a different thread run; if that one starts a thread, which needs the same lock, the process deadlocks. So the
    collector is off.
    """
    collects = gc.isenabled()
    gc.disable()
    try:
        return sys._current_frames()
    finally:
        if collects:
            gc.enable()


def _nothing() -> None:
    """The default for what the watch's thread does last."""


class CallWatch:
    """Watches calls of methods of the objects that it was given; subclasses decide what to report.

    Args:
      clock: returns a time in seconds, from any starting point.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Condition()
        # Weak references: an object that has been freed is no longer watched.
        self._watched: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()
        self._codes: Set[types.CodeType] = set()
        self._calls: Dict[int, Tuple[types.FrameType, float]] = {}
        self._thread: Optional[threading.Thread] = None
        self._is_over = False
        self._last: Callable[[], None] = _nothing

    def _watch(self, one: Any, code: types.CodeType, known: Any) -> None:
        """Starts to watch calls of the method with that *code* of the object *one*.

        *known* is stored for the object unless something is stored for it already.
        """
        with self._lock:
            self._watched.setdefault(one, known)
            self._codes.add(code)
            if self._thread is None and not self._is_over:
                self._thread = threading.Thread(target=self._look_on, name="queuecompat-stall-watch", daemon=True)
                self._thread.start()

    def look(self) -> None:
        """Looks at every thread once, and reports the calls that stall."""
        waiting = dict(self.waiting())
        now = self._clock()
        # The frame itself is kept, not its id, which a later frame could have, too.
        self._calls = {
            thread: (frame, self._calls[thread][1] if self._calls.get(thread, (None,))[0] is frame else now)
            for thread, frame in waiting.items()
        }
        for thread, (frame, since) in self._calls.items():
            if now - since >= PATIENCE:
                self._report(thread, frame, now - since)

    def end(self, last: Callable[[], None] = _nothing, seconds: Optional[float] = None) -> bool:
        """Ends the thread; nothing is watched from now on.

        Args:
          last: what the thread does before it ends. Not done if there is no thread, which ends with the last watched
            object.
          seconds: how long to wait for the thread's end; None: forever.
        Returns:
          Whether the thread has ended.
        """
        with self._lock:
            self._is_over, self._last = True, last
            self._lock.notify_all()
            thread = self._thread
        if thread is None:
            return True
        thread.join(seconds)
        return not thread.is_alive()

    def end_with_python(self) -> None:
        """Ends the watch before Python stops its threads: it must not be inside TensorFlow at that time."""
        atexit.register(self.end)

    def waiting(self) -> Iterator[Tuple[int, types.FrameType]]:
        """For each thread inside a watched call, its id and the frame of the call."""
        for thread, top in stacks().items():
            frame = next((one for one, _ in traceback.walk_stack(top) if one.f_code in self._codes), None)
            if frame is not None:
                yield thread, frame

    def _look_on(self) -> None:
        while True:
            with self._lock:
                self._lock.wait(INTERVAL)
                if self._is_over or not self._watched:
                    self._thread = None
                    self._calls = {}
                    break
            self.look()
        self._last()

    def _report(self, thread: int, frame: types.FrameType, seconds: float) -> None:
        """Reports that a call, whose frame is *frame*, has not returned for *seconds*."""
        raise NotImplementedError
