"""Where a loader stands, as a small dictionary that JSON can hold: what ``state_dict`` gives.

Rule 1: it says what comes next, not what came: a cursor in the stream, and the settings that decide about the order.
Rule 2: a state that does not fit the loader is refused. It would go on with other batches, silently.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Dict, Mapping, Optional

from queuecompat.errors import QueueCompatValueError, error
from queuecompat.loader.randomness import MOST_STORED
from queuecompat.loader.settings import Settings, whole_number
from queuecompat.loader.streams import Cursor

__all__ = ["Position"]

# What decides which examples come when. The seed does, too; it is taken over.
_ORDER = ("batch_size", "shuffle", "capacity", "min_after_dequeue", "num_epochs", "drop_remainder")


def _version(settings: Settings, items: Optional[int]) -> int:
    """Of the state: 2 where the order of a shuffled epoch is computed, 1 where it is drawn."""
    return 2 if settings.shuffle and items is not None and items > MOST_STORED else 1


@dataclasses.dataclass(frozen=True)
class Position:
    """*cursor* in pass *number*."""

    number: int
    cursor: Cursor

    @classmethod
    def at_start_of(cls, number: int, num_epochs: Optional[int]) -> Position:
        """Before the first batch of a pass. An endless pass begins with an epoch of its own number."""
        return cls(number, Cursor(number * (num_epochs or 1)))

    def as_state(self, settings: Settings, items: Optional[int]) -> Dict[str, Any]:
        order = {name: getattr(settings, name) for name in _ORDER}
        cursor = dataclasses.asdict(self.cursor)
        return {
            "version": _version(settings, items),
            "seed": settings.seed,
            "items": items,
            **order,
            "pass": self.number,
            **cursor,
        }

    @classmethod
    def of_state(cls, state: Mapping[str, Any], settings: Settings, items: Optional[int]) -> Position:
        """The position that *state* describes, if it is one of a loader like this."""
        fields = [field.name for field in dataclasses.fields(Cursor)]
        mine = {
            "version": _version(settings, items),
            "items": items,
            **{name: getattr(settings, name) for name in _ORDER},
        }
        missing = [name for name in ("seed", "pass", *mine, *fields) if name not in state]
        if missing:
            raise error(QueueCompatValueError, "QC617", what=f"has no {missing[0]!r}")
        for name, value in mine.items():
            if state[name] != value:
                raise error(QueueCompatValueError, "QC617", what=f"has {name}={state[name]}, this loader {value}")
        numbers = {name: whole_number(state[name]) for name in ("seed", "pass", *fields)}
        for name, number in numbers.items():
            if number is None or number < 0:
                raise error(QueueCompatValueError, "QC617", what=f"has {name}={state[name]!r}")
        position = cls(numbers["pass"] or 0, Cursor(*(numbers[name] or 0 for name in fields)))
        position._check(items, settings.num_epochs)
        return position

    def _check(self, items: Optional[int], num_epochs: Optional[int]) -> None:
        """Raises where no loader of so many *items* can stand."""
        first = self.number * (num_epochs or 1)
        is_outside = self.cursor.epoch < first or (num_epochs is not None and self.cursor.epoch >= first + num_epochs)
        if is_outside:
            raise error(QueueCompatValueError, "QC617", what=f"has epoch={self.cursor.epoch} in pass {self.number}")
        if items is not None and self.cursor.offset > items:
            what = f"begins at item {self.cursor.offset} of an epoch, and this source has {items}"
            raise error(QueueCompatValueError, "QC617", what=what)
