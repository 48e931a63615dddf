"""The position of a loader, as a small dictionary that JSON can hold: what ``state_dict`` returns.

Rule 1: it says what comes next, not what came: a cursor in the stream, and the settings that decide about the order.
Rule 2: a state that does not fit the loader is refused. It would go on with other batches, silently.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Dict, Mapping, NamedTuple, Optional, Tuple

from queuecompat.errors import QueueCompatValueError, error
from queuecompat.loader.examples import Cursor
from queuecompat.loader.randomness import MOST_STORED
from queuecompat.loader.settings import Settings, whole_number

__all__ = ["Kind", "Position"]

# What decides which examples come when. The seed does, too; it is taken over.
_ORDER = ("batch_size", "shuffle", "capacity", "min_after_dequeue", "num_epochs", "drop_remainder")


@dataclasses.dataclass(frozen=True)
class Kind:
    """What else decides about the order.

    Attributes:
      items: of the source, or None.
      per_epoch: of those, the ones that this loader's epochs have, or None.
      identity: of an order by weights or by a sampler; the shard; the boundaries of buckets. Empty without these.
    """

    items: Optional[int]
    per_epoch: Optional[int]
    identity: Mapping[str, Any]


def _order(settings: Settings, kind: Kind) -> Dict[str, Any]:
    """What a state and its loader must agree on."""
    # 2 where the order of a shuffled epoch is computed, 1 where it is drawn.
    is_computed = settings.shuffle and kind.items is not None and kind.items > MOST_STORED
    settings_of_order = {name: getattr(settings, name) for name in _ORDER}
    return {"version": 2 if is_computed else 1, "items": kind.items, **settings_of_order, **kind.identity}


# What a state has besides, where there is a loader's ``Kind.identity``.
_IDENTITIES = ("sampler", "weights", "replacement", "draws", "shard", "boundaries", "examples_per_item")


def _left(numbers: Any, kind: Kind) -> Tuple[int, ...]:
    """What the state says of its buckets: a number for each, or nothing."""
    buckets = len(kind.identity.get("boundaries", ())) + 1
    whole = [whole_number(number) for number in numbers] if isinstance(numbers, (list, tuple)) else [None]
    left = tuple(number for number in whole if number is not None and number >= 0)
    if len(left) != len(whole) or (left and (len(left) != buckets or buckets == 1)):
        raise error(QueueCompatValueError, "QC617", what=f"has left={numbers!r}")
    return left


class Position(NamedTuple):
    """*cursor* in pass *number*."""

    number: int
    cursor: Cursor

    @classmethod
    def at_start_of(cls, number: int, num_epochs: Optional[int]) -> Position:
        """Before the first batch of a pass. An endless pass begins with an epoch of its own number."""
        return cls(number, Cursor(number * (num_epochs or 1)))

    def as_state(self, settings: Settings, kind: Kind) -> Dict[str, Any]:
        cursor = self.cursor._asdict()
        left = cursor.pop("left")
        if left:
            cursor["left"] = list(left)
        return {"seed": settings.seed, **_order(settings, kind), "pass": self.number, **cursor}

    @classmethod
    def of_state(cls, state: Mapping[str, Any], settings: Settings, kind: Kind) -> Position:
        """The position that *state* describes, if it is one of a loader like this."""
        fields = [name for name in Cursor._fields if name != "left"]
        mine = _order(settings, kind)
        missing = [name for name in ("seed", "pass", *mine, *fields) if name not in state]
        if missing:
            raise error(QueueCompatValueError, "QC617", what=f"has no {missing[0]!r}")
        foreign = [name for name in _IDENTITIES if name in state and name not in mine]
        if foreign:
            raise error(QueueCompatValueError, "QC617", what=f"has {foreign[0]}={state[foreign[0]]}, this loader none")
        for name, value in mine.items():
            if state[name] != value:
                raise error(QueueCompatValueError, "QC617", what=f"has {name}={state[name]}, this loader {value}")
        numbers = {name: whole_number(state[name]) for name in ("seed", "pass", *fields)}
        for name, number in numbers.items():
            if number is None or number < 0:
                raise error(QueueCompatValueError, "QC617", what=f"has {name}={state[name]!r}")
        left = _left(state.get("left", ()), kind)
        position = cls(numbers["pass"] or 0, Cursor(**{name: numbers[name] or 0 for name in fields}, left=left))
        position._check(kind.per_epoch, settings.num_epochs)
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
