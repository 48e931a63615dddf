"""A buffer that keeps the examples of one item apart by a fixed rule: example j is delayed by j times *items* items.

Rule 1: when item m comes in, its first example comes out, together with the second example of item m - *items*, the
        third of item m - 2 *items*, and so on. So any two examples of one item have at least *items* examples between
        them, from the first batch to the last, if there are at least *items* items.
Rule 2: as in a shuffle buffer, everything is a function of the elements' numbers, so a buffer can be rebuilt by pushing
        again all elements from its oldest one on.
"""

from __future__ import annotations

import collections
from typing import Deque, Iterator, List, Optional, Tuple

from queuecompat.loader.order.buffer import Buffer, Element

__all__ = ["DelayLine"]


class DelayLine(Buffer[Element]):
    """A delay line for items with *each* elements; element number s is element ``s % each`` of item ``s // each``.

    Args:
      items: the number of items by which the second element of an item is delayed.
      serial, drawn: as in ``Buffer``.
    """

    def __init__(self, each: int, items: int, *, serial: int = 0, drawn: int = 0) -> None:
        super().__init__(serial=serial, drawn=drawn)
        self._each = each
        self._items = items
        self._held: List[Deque[Tuple[int, Element]]] = [collections.deque() for _ in range(each)]

    @staticmethod
    def depth(each: int, items: int) -> int:
        """Returns the maximum number of elements that it holds."""
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
        """Empties the buffer in the order in which elements would come out if more items came."""
        # If the last item has fewer than *each* elements, this goes on within that item.
        item, number = divmod(self._serial, self._each)
        out = self._outs_before(item, number)
        end = -(-self._serial // self._each) + (self._each - 1) * self._items
        while item < end:
            if self._comes_out(item, number):
                yield from self._out(item, number, out)
                out += 1
            item, number = (item, number + 1) if number + 1 < self._each else (item + 1, 0)

    def _comes_out(self, item: int, number: int) -> bool:
        """Returns whether there is an element that is due when element *number* of *item* comes in."""
        delayed = item - number * self._items
        return delayed >= 0 and delayed * self._each + number < self._serial

    def _out(self, item: int, number: int, out: int) -> List[Element]:
        """Returns the element that is due when element *number* of *item* comes in; *out* is its number among those
        that come out. Returns none if there is none, or if it had come out before the stream was resumed."""
        held, delayed = self._held[number], item - number * self._items
        if not held or delayed < 0 or held[0][0] != delayed * self._each + number:
            return []
        return self._released(out, [held.popleft()[1]])

    def _outs_before(self, item: int, number: int) -> int:
        """Returns how many elements have come out before element *number* of *item* comes in."""
        whole = sum(max(0, item - one * self._items) for one in range(self._each))
        return whole + sum(item >= one * self._items for one in range(number))
