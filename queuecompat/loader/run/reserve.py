"""Batches that the consumer has fetched ahead, so that it takes the run's lock once for several of them.

Where examples are small, the lock, and waking up workers for each batch, costs more than everything else.

Rule 1: only the consumer's thread uses this, without a lock.
Rule 2: fetched are three quarters of the batches that wait, at most, and what the consumer takes within a millisecond.
        The stream counts them as waiting until the reserve is used up: the bound on memory holds, and workers learn
        late that there is room, but never when nothing else is there.
"""

from __future__ import annotations

import collections
from typing import Deque, Iterable, Optional

from queuecompat.loader.stream.examples import Batch

__all__ = ["Reserve"]

_SECONDS_AHEAD = 0.001


class Reserve:
    """See the module.

    Attributes:
      untold: examples that were taken out of it, which the stream does not know.
    """

    def __init__(self) -> None:
        self._batches: Deque[Batch] = collections.deque()
        self._taken = 0  # batches since the last fetching
        self._fetched = 0.0
        self.untold = 0

    def next(self) -> Optional[Batch]:
        """A batch, or None if there is none left."""
        if not self._batches:
            return None
        batch = self._batches.popleft()
        self._taken += 1
        self.untold += batch.count
        return batch

    def told(self) -> int:
        """What was untold, which the stream is told now."""
        untold, self.untold = self.untold, 0
        return untold

    def worth_fetching(self, now: float, waiting: int) -> int:
        """How many batches to fetch, at this time, of so many that wait."""
        seconds, self._fetched = (now - self._fetched) / (self._taken + 1), now
        self._taken = 0
        return min(waiting - waiting // 4, int(_SECONDS_AHEAD / seconds)) if seconds > 0 else 0

    def fetch(self, batches: Iterable[Batch]) -> None:
        self._batches.extend(batches)

    def forget(self) -> None:
        self._batches.clear()
