"""A buffer that keeps the examples of one item apart by a rule: the j-th is delayed by j times a number of items.

Rule 1: at the time of item m, its first example comes out, and with it the second of item m - *items*, the third of
        item m - 2 *items*, and so on. So any two of one item have at least *items* examples between them, from the
        first batch to the last, if there are as many items.
Rule 2: like a shuffle buffer's, everything is a function of the elements' numbers: a buffer is rebuilt by pushing again
        what came since its oldest element.
"""

from __future__ import annotations

import collections
from typing import Deque, Iterator, List, Optional, Tuple

from queuecompat.loader.order.buffer import Buffer, Element

__all__ = ["DelayLine"]


class DelayLine(Buffer[Element]):
    """A buffer for items of *each* elements; element number s is the ``s % each``-th of item ``s // each``.

    Args:
      items: that the second element of an item is delayed by.
      serial, drawn: as in ``Buffer``.
    """

    def __init__(self, each: int, items: int, *, serial: int = 0, drawn: int = 0) -> None:
        super().__init__(serial=serial, drawn=drawn)
        self._each = each
        self._items = items
        self._held: List[Deque[Tuple[int, Element]]] = [collections.deque() for _ in range(each)]

    @staticmethod
    def depth(each: int, items: int) -> int:
        """The most elements that it holds."""
        return items * each * (each - 1) // 2

    @property
    def is_full(self) -> bool:
        return True

    def __len__(self) -> int:
        return sum(map(len, self._held))

    def oldest(self) -> Optional[Tuple[int, Element]]:
        return min((held[0] for held in self._held if held), key=lambda first: first[0], default=None)

    def push(self, element: Element) -> List[Element]:
        serial = self._next_serial()
        item, number = divmod(serial, self._each)
        self._held[number].append((serial, element))
        return self._out(item, number, self._outs_before(item, number))

    def drain(self) -> Iterator[Element]:
        """Empties the buffer, as if items went on coming."""
        # The item that is under way, if its elements ended early, goes on where it stopped.
        item, number = divmod(self._serial, self._each)
        out = self._outs_before(item, number)
        end = -(-self._serial // self._each) + (self._each - 1) * self._items
        while item < end:
            if self._comes_out(item, number):
                yield from self._out(item, number, out)
                out += 1
            item, number = (item, number + 1) if number + 1 < self._each else (item + 1, 0)

    def _comes_out(self, item: int, number: int) -> bool:
        """Whether there ever was an element that comes out at this time."""
        delayed = item - number * self._items
        return delayed >= 0 and delayed * self._each + number < self._serial

    def _out(self, item: int, number: int, out: int) -> List[Element]:
        """The element that comes out at this time, as the *out*-th; not again what had come out before."""
        held, delayed = self._held[number], item - number * self._items
        if not held or delayed < 0 or held[0][0] != delayed * self._each + number:
            return []
        return self._released(out, [held.popleft()[1]])

    def _outs_before(self, item: int, number: int) -> int:
        """How many elements have come out before this time, of a stream that has not ended."""
        whole = sum(max(0, item - one * self._items) for one in range(self._each))
        return whole + sum(item >= one * self._items for one in range(number))
