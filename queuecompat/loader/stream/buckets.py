"""Groups examples into buckets, by length for example, so that a batch has examples of one bucket only.

Rule 1: a batch is complete as soon as its bucket has enough examples. At the end of the pass the rest of each bucket is
        a batch, in the order of the buckets.
Rule 2: examples leave a bucket in the order in which they came. So the content of the buckets can be rebuilt from the
        position of the oldest waiting example, and from how many examples that came later have left each bucket.

Not thread-safe: the caller holds the lock.
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
      size: the number of elements per batch.
      released: for a resumed stream, how many elements of each bucket, counted from the first one that is added again,
        were in earlier batches: ``add`` drops these. Empty for a new stream.
    """

    def __init__(self, count: int, size: int, released: Sequence[int] = ()) -> None:
        self._size = size
        self._to_drop = list(released) or [0] * count
        self._waiting: List[Deque[Tuple[int, Element]]] = [collections.deque() for _ in range(count)]
        # The serial numbers of the elements that have left, ascending in each bucket.
        self._released: List[List[int]] = [[] for _ in range(count)]

    def __len__(self) -> int:
        """Returns the number of elements that wait."""
        return sum(map(len, self._waiting))

    def add(self, bucket: int, serial: int, element: Element) -> Tuple[bool, List[Element]]:
        """Adds an element, whose number in the stream is *serial*, to *bucket*.

        Returns:
          Whether it was added: in a resumed stream, an element that was in an earlier batch is dropped. And the
          elements of the batch that it completed, or an empty list.
        """
        if self._to_drop[bucket]:
            self._to_drop[bucket] -= 1
            self._released[bucket].append(serial)
            return False, []
        self._waiting[bucket].append((serial, element))
        return True, self._out(bucket) if len(self._waiting[bucket]) == self._size else []

    def rest(self) -> Iterator[List[Element]]:
        """Yields the remaining elements of each bucket that is not empty. Nothing may be added afterwards."""
        for bucket, waiting in enumerate(self._waiting):
            if waiting:
                yield self._out(bucket)

    def oldest(self) -> Optional[Tuple[int, Element]]:
        """Returns the serial number of the element that has waited for longest, and the element; None if none waits."""
        firsts = [waiting[0] for waiting in self._waiting if waiting]
        return min(firsts, key=lambda first: first[0], default=None)

    def released_since(self, serial: int) -> Tuple[int, ...]:
        """Returns, for each bucket, how many of the elements with numbers from *serial* on have left it.

        *serial* is that of the oldest element. It never decreases from call to call: earlier numbers are forgotten.
        """
        for serials in self._released:
            del serials[: bisect.bisect_left(serials, serial)]
        return tuple(map(len, self._released))

    def _out(self, bucket: int) -> List[Element]:
        waiting = self._waiting[bucket]
        self._released[bucket] += [serial for serial, _ in waiting]
        elements = [element for _, element in waiting]
        waiting.clear()
        return elements
