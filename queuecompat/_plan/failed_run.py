"""Whether everything that comes fails: how many elements in a row have failed, and whether they are the same again.

Only failures are told, with the number of the element; a number that stays away is an element that did not fail. Of
calls in parallel they come a little out of order.

Rule 1: an endless source of which every record fails would be read forever, without a word. So it is an error, once
        ``LEAST`` elements in a row have failed, each of them three times on average: between two passes over the same
        data there is one that did not fail, if there is any.
Rule 2: so are ``MOST`` elements in a row, whichever they are.
"""

from __future__ import annotations

import threading
from typing import Dict, Hashable, Optional, Sequence, Set

__all__ = ["FailedRun"]

LEAST = 10_000
MOST = 1_000_000
_PASSES = 3
# So many failures ahead of the first that has not been told: that one did not fail.
_AHEAD = 1000


class FailedRun:
    """The failures of one step; it may be told of them by several threads."""

    def __init__(self) -> None:
        self._first = self._next = 0
        self._ahead: Dict[int, Sequence[Hashable]] = {}
        self._known: Set[Hashable] = set()
        self._count = 0
        self._lock = threading.Lock()

    def add(self, number: int, records: Sequence[Hashable]) -> Optional[int]:
        """Notes that all *records* of the element of that *number* failed.

        Args:
          records: what tells them from each other; None for one of which nothing is known.
        Returns:
          How many failed in a row, if there is no hope; otherwise None.
        """
        with self._lock:
            if number < self._first:  # a new iterator
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
