"""The base class of buffers that reorder elements: the shuffle buffer and the delay line.

Rule 1: elements are numbered as they come in, over the whole stream. An element's place in the buffer, and the time at
        which it comes out, are functions of its number. So a buffer can be rebuilt by pushing again all elements from
        its oldest one on.
Rule 2: in a resumed stream, elements that had come out before do not come out a second time.
"""

from __future__ import annotations

import abc
from typing import Generic, Iterator, List, Optional, Tuple, TypeVar

__all__ = ["Buffer", "Element"]

Element = TypeVar("Element")


class Buffer(abc.ABC, Generic[Element]):
    """A buffer of numbered elements.

    Args:
      serial: the number of the first element that will be pushed; not 0 if a stream is resumed.
      drawn: how many elements had come out when the resumed stream was left; these are not returned a second time.
    """

    def __init__(self, *, serial: int = 0, drawn: int = 0) -> None:
        self._serial = serial
        self._drawn = drawn

    @property
    def serial(self) -> int:
        """The number of elements that have come in since the stream began."""
        return self._serial

    @property
    def drawn(self) -> int:
        """The number of elements that have come out since the stream began."""
        return self._drawn

    def _next_serial(self) -> int:
        """Returns the number of the element that comes in now, and counts it."""
        serial, self._serial = self._serial, self._serial + 1
        return serial

    def _released(self, number: int, elements: List[Element]) -> List[Element]:
        """Returns *elements*, the first of which comes out as number *number*; or none if they had come out before the
        stream was resumed."""
        if number < self._drawn:
            return []
        self._drawn += len(elements)
        return elements

    @property
    @abc.abstractmethod
    def is_full(self) -> bool:
        """Whether an element that comes in may push another out."""

    @abc.abstractmethod
    def __len__(self) -> int: ...

    @abc.abstractmethod
    def oldest(self) -> Optional[Tuple[int, Element]]:
        """Returns the number of the element that has been here for longest, and the element; None if it is empty."""

    @abc.abstractmethod
    def push(self, element: Element) -> List[Element]:
        """Adds *element*; returns the elements that it pushed out, if any."""

    @abc.abstractmethod
    def drain(self) -> Iterator[Element]:
        """Empties the buffer, and yields its elements. Nothing may be pushed afterwards."""
