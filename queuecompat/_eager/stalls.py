"""The stall watch of datasets: a program that waits for an element that does not come is told, once, what is missing.

Only datasets that hang on something that may never come are watched: workers of tf.data's service, a Python function,
elements that are kept or cut into rows.
A loop that TensorFlow runs itself, in a ``tf.function`` or in Keras's ``fit``, has no stack in which that can be seen.
"""

from __future__ import annotations

import sys
import types
from typing import Any, Callable

from queuecompat._native.waiting import CallWatch
from queuecompat.errors import layout

__all__ = ["WATCH", "IteratorWatch", "what_is_missing"]


class IteratorWatch(CallWatch):
    """Looks after the iterators that it was given."""

    def watch(self, iterator: Any, method: Callable[..., Any], words: Callable[[int], str]) -> None:
        """From now on calls of *method* of *iterator* are looked after; *words*: what is said after so many seconds."""
        self._watch(iterator, method.__code__, words)

    def _tell(self, thread: int, frame: types.FrameType, seconds: float) -> None:
        words = self._watched.pop(frame.f_locals["self"], None)
        if words is not None:
            print(words(round(seconds)), file=sys.stderr, flush=True)


def what_is_missing(stage: str, made_at: str, waits_for: str, seconds: int) -> str:
    """The words of a stall."""
    return layout("QC310", made_at, stage=stage, seconds=seconds, waits_for=waits_for)


WATCH = IteratorWatch()
WATCH.end_with_python()
