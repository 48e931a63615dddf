"""Detects that all elements of a pipeline with ``on_error="skip"`` fail, which would otherwise go on without output.

Only failures are reported, with the number of the element; a number that is missing is an element that succeeded.
Parallel calls report their failures slightly out of order.

Rule 1: an endless source whose records all fail would be read forever, silently. So it is an error if ``LEAST``
        elements in a row have failed and each of them has failed three times on average: if any record succeeded,
        there would be a success between two passes over the same data.
Rule 2: it is also an error if ``MOST`` elements in a row have failed, whichever they are.
"""

from __future__ import annotations

import threading
from typing import Dict, Hashable, Optional, Sequence, Set

__all__ = ["FailedRun"]

LEAST = 10_000
MOST = 1_000_000
_PASSES = 3
# Once this many failures after a missing number are known, that element is taken to have succeeded.
_AHEAD = 1000


class FailedRun:
    """The failures of one step. Thread-safe."""

    def __init__(self) -> None:
        self._first = self._next = 0
        self._ahead: Dict[int, Sequence[Hashable]] = {}
        self._known: Set[Hashable] = set()
        self._count = 0
        self._lock = threading.Lock()

    def add(self, number: int, records: Sequence[Hashable]) -> Optional[int]:
        """Records that all *records* of element *number* failed.

        Args:
          records: identifies each of them; None for an unknown one.
        Returns:
          How many records in a row failed, if Rule 1 or 2 makes this an error; otherwise None.
        """
        with self._lock:
            if number < self._first:  # a new iterator counts from 0 again
                self._ahead.clear()
                self._begin(number)
            elif number < self._next:
                return None
            self._ahead[number] = records
            if len(self._ahead) > _AHEAD:
                self._begin(min(self._ahead))
            while self._next in self._ahead:
                those = self._ahead.pop(self._next)
                self._count += len(those)
                self._known.update(those)
                self._next += 1
            repeats = None not in self._known and len(self._known) * _PASSES <= self._count
            return self._count if self._count >= MOST or (self._count >= LEAST and repeats) else None

    def _begin(self, number: int) -> None:
        self._first = self._next = number
        self._known.clear()
        self._count = 0
