"""The stall watch of datasets: a program that waits for an element that does not come is told, once, what is missing.

Only datasets that hang on something that may never come are watched: workers of tf.data's service, a Python function.
What waits is seen in the stacks of threads, so that nothing is done for an element. A loop that TensorFlow runs itself,
in a ``tf.function`` or in Keras's ``fit``, has no such stack.

Rule 1: one thread a process, which ends when the last iterator that it watches is gone, and when Python does.
"""

from __future__ import annotations

import atexit
import sys
import threading
import time
import types
import weakref
from typing import Any, Callable, Dict, Iterator, Optional, Tuple

from queuecompat.errors import layout

__all__ = ["PATIENCE", "WATCH", "IteratorWatch", "what_is_missing"]

PATIENCE = 10.0  # seconds
_INTERVAL = 1.0  # seconds between two looks


class IteratorWatch:
    """Looks after the iterators that it was given.

    Args:
      clock: seconds, from any beginning.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Condition()
        self._words: weakref.WeakKeyDictionary[Any, Callable[[int], str]] = weakref.WeakKeyDictionary()
        self._codes: set[types.CodeType] = set()
        self._waits: Dict[int, Tuple[types.FrameType, float]] = {}
        self._thread: Optional[threading.Thread] = None
        self._is_over = False

    def watch(self, iterator: Any, method: Callable[..., Any], words: Callable[[int], str]) -> None:
        """From now on calls of *method* of *iterator* are looked after; *words*: what is said after so many seconds."""
        with self._lock:
            self._words[iterator] = words
            self._codes.add(method.__code__)
            if self._thread is None and not self._is_over:
                self._thread = threading.Thread(target=self._look_on, name="queuecompat-iterator-watch", daemon=True)
                self._thread.start()

    def look(self) -> None:
        """Looks at every thread once, and tells what stalls."""
        now = self._clock()
        # The frame itself is kept, not its id: another one could get the same.
        self._waits = {
            thread: (frame, self._waits[thread][1] if self._waits.get(thread, (None,))[0] is frame else now)
            for thread, frame in self._waiting()
        }
        for frame, since in self._waits.values():
            if now - since >= PATIENCE:
                words = self._words.pop(frame.f_locals["self"], None)
                if words is not None:
                    print(words(round(now - since)), file=sys.stderr, flush=True)

    def end(self) -> None:
        """Ends the thread; nothing is watched any more."""
        with self._lock:
            self._is_over = True
            self._lock.notify_all()
            thread = self._thread
        if thread is not None:
            thread.join()

    def _look_on(self) -> None:
        while True:
            with self._lock:
                self._lock.wait(_INTERVAL)
                if self._is_over or not self._words:
                    self._thread = None
                    self._waits = {}
                    return
            self.look()

    def _waiting(self) -> Iterator[Tuple[int, types.FrameType]]:
        """For each thread that waits in an iterator, the frame of that call."""
        for thread, top in sys._current_frames().items():
            frame: Optional[types.FrameType] = top
            while frame is not None and frame.f_code not in self._codes:
                frame = frame.f_back
            if frame is not None:
                yield thread, frame


def what_is_missing(stage: str, made_at: str, waits_for: str, seconds: int) -> str:
    """The words of a stall."""
    return layout("QC310", made_at, stage=stage, seconds=seconds, waits_for=waits_for)


WATCH = IteratorWatch()
# Before Python takes the threads away.
atexit.register(WATCH.end)
