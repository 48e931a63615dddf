"""What elements wait in for their turn: a shuffle buffer or a delay line.

Rule 1: elements are numbered as they come in, over the whole stream. Where an element waits, and when it comes out, is
        a function of its number. So a buffer is rebuilt by pushing again what came since its oldest element.
Rule 2: of a stream that is taken up again, what had come out before does not come out a second time.
"""

from __future__ import annotations

import abc
from typing import Generic, Iterator, List, Optional, Tuple, TypeVar

__all__ = ["Buffer", "Element"]

Element = TypeVar("Element")


class Buffer(abc.ABC, Generic[Element]):
    """A buffer of numbered elements.

    Args:
      serial: the number of the first element that will be pushed, where a stream is taken up again.
      drawn: how many had come out when it was left; those are not returned a second time.
    """

    def __init__(self, *, serial: int = 0, drawn: int = 0) -> None:
        self._serial = serial
        self._drawn = drawn

    @property
    def serial(self) -> int:
        """How many elements have come in since the stream began."""
        return self._serial

    @property
    def drawn(self) -> int:
        """How many have come out."""
        return self._drawn

    def _next_serial(self) -> int:
        """The number of the element that comes in now."""
        serial, self._serial = self._serial, self._serial + 1
        return serial

    def _released(self, number: int, elements: List[Element]) -> List[Element]:
        """*elements*, which come out as the *number*-th and after; none, if they had come out before."""
        if number < self._drawn:
            return []
        self._drawn += len(elements)
        return elements

    @property
    @abc.abstractmethod
    def is_full(self) -> bool:
        """Whether an element that comes in may push one out."""

    @abc.abstractmethod
    def __len__(self) -> int: ...

    @abc.abstractmethod
    def oldest(self) -> Optional[Tuple[int, Element]]:
        """The element that has been here for longest, and its number."""

    @abc.abstractmethod
    def push(self, element: Element) -> List[Element]:
        """Takes *element* in; returns what it pushed out, if anything."""

    @abc.abstractmethod
    def drain(self) -> Iterator[Element]:
        """Empties the buffer: nothing will be pushed any more."""
