"""Where a loader stands, as a small dictionary that JSON can hold: what ``state_dict`` gives.

Rule 1: it says what comes next, not what came: a mark in the stream, and the settings that decide about the order.
Rule 2: a state that does not fit the loader is refused. It would go on with other batches, silently.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Dict, Mapping, Optional

from queuecompat.errors import QueueCompatValueError, error
from queuecompat.loader.randomness import MOST_STORED
from queuecompat.loader.settings import Settings, whole_number
from queuecompat.loader.streams import Mark

__all__ = ["Position"]

# What decides which examples come when. The seed does, too; it is taken over.
_ORDER = ("batch_size", "shuffle", "capacity", "min_after_dequeue", "num_epochs", "drop_remainder")


def _version(settings: Settings, items: Optional[int]) -> int:
    """Of the state: 2 where the order of a shuffled epoch is computed, 1 where it is drawn."""
    return 2 if settings.shuffle and items is not None and items > MOST_STORED else 1


@dataclasses.dataclass(frozen=True)
class Position:
    """*mark* in pass *number*."""

    number: int
    mark: Mark

    @classmethod
    def at_start_of(cls, number: int, num_epochs: Optional[int]) -> Position:
        """Before the first batch of a pass. An endless pass begins with an epoch of its own number."""
        return cls(number, Mark(number * (num_epochs or 1)))

    def as_state(self, settings: Settings, items: Optional[int]) -> Dict[str, Any]:
        order = {name: getattr(settings, name) for name in _ORDER}
        mark = dataclasses.asdict(self.mark)
        return {
            "version": _version(settings, items),
            "seed": settings.seed,
            "items": items,
            **order,
            "pass": self.number,
            **mark,
        }

    @classmethod
    def of_state(cls, state: Mapping[str, Any], settings: Settings, items: Optional[int]) -> Position:
        """The position that *state* describes, if it is one of a loader like this."""
        marks = [field.name for field in dataclasses.fields(Mark)]
        mine = {
            "version": _version(settings, items),
            "items": items,
            **{name: getattr(settings, name) for name in _ORDER},
        }
        missing = [name for name in ("seed", "pass", *mine, *marks) if name not in state]
        if missing:
            raise error(QueueCompatValueError, "QC617", what=f"has no {missing[0]!r}")
        for name, value in mine.items():
            if state[name] != value:
                raise error(QueueCompatValueError, "QC617", what=f"has {name}={state[name]}, this loader {value}")
        numbers = {name: whole_number(state[name]) for name in ("seed", "pass", *marks)}
        for name, number in numbers.items():
            if number is None or number < 0:
                raise error(QueueCompatValueError, "QC617", what=f"has {name}={state[name]!r}")
        position = cls(numbers["pass"] or 0, Mark(*(numbers[name] or 0 for name in marks)))
        position._check(items, settings.num_epochs)
        return position

    def _check(self, items: Optional[int], num_epochs: Optional[int]) -> None:
        """Raises where no loader of so many *items* can stand."""
        first = self.number * (num_epochs or 1)
        is_outside = self.mark.epoch < first or (num_epochs is not None and self.mark.epoch >= first + num_epochs)
        if is_outside:
            raise error(QueueCompatValueError, "QC617", what=f"has epoch={self.mark.epoch} in pass {self.number}")
        if items is not None and self.mark.offset > items:
            what = f"begins at item {self.mark.offset} of an epoch, and this source has {items}"
            raise error(QueueCompatValueError, "QC617", what=what)
