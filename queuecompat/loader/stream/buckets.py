"""Examples of one batch out of one bucket: those of similar length, say.

Rule 1: a batch is complete as soon as its bucket has enough examples; at the end of the pass the rest of each bucket is
        a batch, in the order of the buckets.
Rule 2: examples leave a bucket in the order in which they came. So what waits at any time is rebuilt from the oldest
        example that waits, and from how many of each bucket have left since.

No threads: the caller holds the lock.
"""

from __future__ import annotations

import bisect
import collections
from typing import Deque, Generic, Iterator, List, Optional, Sequence, Tuple, TypeVar

__all__ = ["Buckets"]

Element = TypeVar("Element")


class Buckets(Generic[Element]):
    """*count* buckets.

    Args:
      size: elements per batch.
      left: how many of each bucket have left since the element that comes first, where a stream is resumed.
    """

    def __init__(self, count: int, size: int, left: Sequence[int] = ()) -> None:
        self._size = size
        self._to_drop = list(left) or [0] * count
        self._waiting: List[Deque[Tuple[int, Element]]] = [collections.deque() for _ in range(count)]
        # The numbers of the elements that have left, ascending in each bucket.
        self._left: List[List[int]] = [[] for _ in range(count)]

    def __len__(self) -> int:
        """The elements that wait."""
        return sum(map(len, self._waiting))

    def add(self, bucket: int, serial: int, element: Element) -> Tuple[bool, List[Element]]:
        """Whether element number *serial* is taken in (of a resumed stream, not those that had left), and a batch."""
        if self._to_drop[bucket]:
            self._to_drop[bucket] -= 1
            self._left[bucket].append(serial)
            return False, []
        self._waiting[bucket].append((serial, element))
        return True, self._out(bucket) if len(self._waiting[bucket]) == self._size else []

    def rest(self) -> Iterator[List[Element]]:
        """The rest of each bucket that has one; nothing will be added any more."""
        for bucket, waiting in enumerate(self._waiting):
            if waiting:
                yield self._out(bucket)

    def oldest(self) -> Optional[Tuple[int, Element]]:
        """The element that has waited for longest, and its number."""
        firsts = [waiting[0] for waiting in self._waiting if waiting]
        return min(firsts, key=lambda first: first[0], default=None)

    def left_since(self, serial: int) -> Tuple[int, ...]:
        """How many of each bucket have left, of those from number *serial* on. It is the oldest's, and only grows."""
        for left in self._left:
            del left[: bisect.bisect_left(left, serial)]
        return tuple(map(len, self._left))

    def _out(self, bucket: int) -> List[Element]:
        waiting = self._waiting[bucket]
        self._left[bucket] += [serial for serial, _ in waiting]
        elements = [element for _, element in waiting]
        waiting.clear()
        return elements
