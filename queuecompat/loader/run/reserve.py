"""Batches that the consumer has fetched ahead, so that it takes the run's lock once for several batches.

If examples are small, taking the lock and waking workers for each batch would cost more than everything else.

Rule 1: only the consumer's thread uses this, without a lock.
Rule 2: at most three quarters of the waiting batches (rounded up) are fetched, and at most as many as the consumer
        takes within a millisecond. The stream counts them as waiting until the reserve is used up, so the bound on
        memory holds. Workers learn only then that there is room; the rest of the batches still waits at that time.
"""

from __future__ import annotations

import collections
from typing import Deque, Iterable, Optional

from queuecompat.loader.stream.examples import Batch

__all__ = ["Reserve"]

_SECONDS_AHEAD = 0.001


class Reserve:
    """The batches that were fetched ahead; see the module's docstring.

    Attributes:
      unreported: the number of examples taken from the reserve that are not reported to the stream yet.
    """

    def __init__(self) -> None:
        self._batches: Deque[Batch] = collections.deque()
        self._taken = 0  # batches since the last fetch
        self._fetched = 0.0  # the time of the last fetch
        self.unreported = 0

    def next(self) -> Optional[Batch]:
        """Returns the next batch of the reserve, or None if it is empty."""
        if not self._batches:
            return None
        batch = self._batches.popleft()
        self._taken += 1
        self.unreported += batch.count
        return batch

    def take_unreported(self) -> int:
        """Returns ``unreported``, and resets it to 0: the caller reports them to the stream now."""
        unreported, self.unreported = self.unreported, 0
        return unreported

    def worth_fetching(self, now: float, waiting: int) -> int:
        """Returns how many of the *waiting* batches to fetch at the time *now*."""
        seconds, self._fetched = (now - self._fetched) / (self._taken + 1), now
        self._taken = 0
        return min(waiting - waiting // 4, int(_SECONDS_AHEAD / seconds)) if seconds > 0 else 0

    def fetch(self, batches: Iterable[Batch]) -> None:
        self._batches.extend(batches)

    def forget(self) -> None:
        self._batches.clear()
