"""Where a loader is, in a pass or between two passes."""

from __future__ import annotations

from typing import Optional, Protocol

from queuecompat.loader.positions import Position
from queuecompat.loader.stream.examples import After, Cursor

__all__ = ["Place"]


class Pass(Protocol):
    """A pass over the data: an ``EpochRun``."""

    @property
    def returned(self) -> Optional[After]:
        """``Batch.after`` of the last batch that the consumer has received; None before the first."""


class Place:
    """Where a loader is. Used on the consumer's thread.

    Attributes:
      of_next_pass: the position at which the next pass begins.
    """

    def __init__(self, position: Position) -> None:
        self.move_to(position)

    def move_to(self, position: Position) -> None:
        """Makes the next pass begin at *position*, however far the current pass has come, or will come."""
        self._begun_at = self.of_next_pass = position
        self._current: Optional[Pass] = None

    def begin(self, current: Pass, num_epochs: Optional[int]) -> None:
        """Enters the next pass, of *num_epochs* epochs, which *current* makes."""
        self._begun_at = self.of_next_pass
        self.of_next_pass = Position.at_start_of(self._begun_at.number + 1, num_epochs)
        self._current = current

    @property
    def position(self) -> Position:
        """The position after the last batch that was returned."""
        after = self._current.returned if self._current is not None else None
        return self._begun_at if after is None else Position(self._begun_at.number, Cursor(*after))
