"""Watches for stalls: if a program waits for an element that does not come, a message says, once, what is missing.

Only datasets that depend on something that may never come are watched: workers of a tf.data service, a Python function,
elements that are filtered or split into rows. A loop that TensorFlow runs itself, in a ``tf.function`` or in Keras's
``fit``, has no Python stack in which a stall could be seen.
"""

from __future__ import annotations

import sys
import types
from typing import Any, Callable

from queuecompat._native.waiting import CallWatch
from queuecompat.errors import layout

__all__ = ["WATCH", "IteratorWatch", "what_is_missing"]


class IteratorWatch(CallWatch):
    """Watches the iterators that it is given."""

    def watch(self, iterator: Any, method: Callable[..., Any], words: Callable[[int], str]) -> None:
        """Watches calls of *method* of *iterator* from now on.

        Args:
          words: returns the message, given the seconds that a call has taken.
        """
        self._watch(iterator, method.__code__, words)

    def _report(self, thread: int, frame: types.FrameType, seconds: float) -> None:
        words = self._watched.pop(frame.f_locals["self"], None)
        if words is not None:
            print(words(round(seconds)), file=sys.stderr, flush=True)


def what_is_missing(stage: str, made_at: str, waits_for: str, seconds: int) -> str:
    """Returns the message about a stall."""
    return layout("QC310", made_at, stage=stage, seconds=seconds, waits_for=waits_for)


WATCH = IteratorWatch()
WATCH.end_with_python()
