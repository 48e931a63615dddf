"""The shuffle buffer: an element that comes in goes to a random place and pushes out the element that was there.

Rule 1: the place of element *t* is a function of *t* alone. So the content of the buffer after any number of elements
        can be computed, and a buffer can be rebuilt by pushing again all elements from its oldest one on.
Rule 2: an element leaves only when the buffer is full: it mixes like a TF1 queue that is always at its capacity.

The class is used for examples that are loaded, and for items that are not loaded yet.
"""

from __future__ import annotations

import collections
from typing import Callable, Iterator, List, Optional, Tuple

import numpy as np

from queuecompat.loader.order.buffer import Buffer, Element

__all__ = ["ShuffleBuffer"]

_BLOCK = 1024  # the number of places that are drawn at a time

# (block, count, depth) -> the places of that block's *count* elements
Slots = Callable[[int, int, int], np.ndarray]


class ShuffleBuffer(Buffer[Element]):
    """A buffer of *depth* elements; a *depth* of 0 keeps the order.

    Args:
      slots: draws the places of one block of elements.
      drain_order: draws the order in which the last elements leave; its argument is their number.
      serial, drawn: as in ``Buffer``.
    """

    def __init__(
        self,
        depth: int,
        slots: Slots,
        *,
        drain_order: Callable[[int], np.ndarray],
        serial: int = 0,
        drawn: int = 0,
    ) -> None:
        super().__init__(serial=serial, drawn=drawn)
        self._depth = depth
        self._slots = slots
        self._drain_order = drain_order
        # By place, in the order of arrival: the first is the oldest.
        self._held: collections.OrderedDict[int, Tuple[int, Element]] = collections.OrderedDict()
        self._block: Tuple[int, np.ndarray] = (-1, np.zeros(0, np.int64))

    @property
    def is_full(self) -> bool:
        return len(self._held) >= self._depth

    def __len__(self) -> int:
        return len(self._held)

    def oldest(self) -> Optional[Tuple[int, Element]]:
        return next(iter(self._held.values()), None)

    def push(self, element: Element) -> List[Element]:
        serial = self._next_serial()
        if self._depth == 0:
            return self._released(serial, [element])
        slot = self._slot(serial)
        before = self._held.pop(slot, None)
        self._held[slot] = (serial, element)
        return self._released(serial - self._depth, [before[1]] if before else [])

    def drain(self) -> Iterator[Element]:
        count = min(self._serial, self._depth)
        first = self._serial - count
        for number, slot in enumerate(self._drain_order(count)):
            # In a resumed stream, the first elements may be missing: they had come out before.
            held = self._held.pop(int(slot), None)
            yield from self._released(first + number, [held[1]] if held else [])

    def _slot(self, serial: int) -> int:
        if serial < self._depth:
            return serial  # the buffer fills from one end
        block, within = divmod(serial, _BLOCK)
        if self._block[0] != block:
            self._block = (block, self._slots(block, _BLOCK, self._depth))
        return int(self._block[1][within])
