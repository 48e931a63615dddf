"""The position of a loader, and its form as a small dictionary that JSON can hold, which ``state_dict`` returns.

Rule 1: a state describes what comes next, not what came before: it is a cursor in the stream, and the settings that
        decide the order.
Rule 2: a state that does not fit the loader is refused, field by field. Otherwise the loader would silently go on with
        different batches, or wait for examples that never come.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Dict, Iterable, Mapping, NamedTuple, Optional, Tuple

import numpy as np

from queuecompat.errors import QueueCompatValueError, error
from queuecompat.loader.order.randomness import MOST_STORED
from queuecompat.loader.settings import MOST_OF_SEEDS, Settings, shown, whole_number
from queuecompat.loader.stream.examples import Cursor

__all__ = ["Kind", "Position"]

# The settings that decide the order of examples, and must be the same. The seed also decides it; ``load_state_dict``
# takes the seed from the state.
_ORDER = ("batch_size", "shuffle", "capacity", "min_after_dequeue", "num_epochs", "drop_remainder")


# The upper bound of the numbers in a state, except for the seed, which has up to 128 bits.
_MOST = 2**63 - 1

# In units of the shuffle buffer's capacity. An example stays in the buffer for longer with a probability of e**-100.
_LONGEST_STAY = 100


@dataclasses.dataclass(frozen=True)
class Kind:
    """The properties of a loader that decide the order, in addition to its settings.

    Attributes:
      items: the number of items of the source, or None if it is unknown.
      per_epoch: the number of items in one epoch of this loader (its shard), or None if it is unknown.
      identity: what distinguishes an order by weights or by a sampler; the shard; the boundaries of buckets; the
        examples per item. Empty without these.
    """

    items: Optional[int]
    per_epoch: Optional[int]
    identity: Mapping[str, Any]


def _order(settings: Settings, kind: Kind) -> Dict[str, Any]:
    """Returns the fields on which a state and its loader must agree."""
    # Version 2: the order of a shuffled epoch is computed (``ComputedOrder``); version 1: it is drawn and stored.
    is_computed = settings.shuffle and kind.items is not None and kind.items > MOST_STORED
    settings_of_order = {name: getattr(settings, name) for name in _ORDER}
    return {"version": 2 if is_computed else 1, "items": kind.items, **settings_of_order, **kind.identity}


# The optional fields of a state, which come from the loader's ``Kind.identity``.
_IDENTITIES = ("sampler", "weights", "replacement", "draws", "shard", "boundaries", "examples_per_item")
# The optional field of a state for ``Cursor.released``, with buckets. Its name is fixed, since states are saved.
_RELEASED = "left"


def _released(numbers: Any, kind: Kind) -> Tuple[int, ...]:
    """Returns *numbers*, the field ``_RELEASED`` of a state, checked: a number for each bucket, or nothing."""
    buckets = len(kind.identity.get("boundaries", ())) + 1
    whole = [whole_number(number) for number in numbers] if isinstance(numbers, (list, tuple)) else [None]
    released = tuple(number for number in whole if number is not None and 0 <= number <= _MOST)
    if len(released) != len(whole) or (released and (len(released) != buckets or buckets == 1)):
        raise _refused(f"has {_RELEASED}={shown(numbers)}")
    return released


def _refused(what: str) -> Exception:
    return error(QueueCompatValueError, "QC617", what=what)


def _is_same(given: Any, mine: Any) -> bool:
    """Returns whether *given*, which may be of any type, equals *mine*, the loader's value; a list may equal a tuple,
    since JSON has no tuples."""
    if isinstance(mine, (list, tuple)):
        has_length = isinstance(given, (list, tuple)) and len(given) == len(mine)
        return has_length and all(map(_is_same, given, mine))
    if isinstance(mine, bool):
        return isinstance(given, (bool, np.bool_)) and bool(given) == mine
    if isinstance(mine, int):
        return whole_number(given) == mine
    return type(given) is type(mine) and bool(given == mine)


def _fields_of(state: Any, needed: Iterable[str]) -> Mapping[str, Any]:
    """Returns *state* if it is a mapping with all *needed* fields and no unknown ones; otherwise raises QC617."""
    if not isinstance(state, Mapping):
        raise _refused(f"is of type {type(state).__name__}, and not a dictionary")
    missing = [name for name in needed if name not in state]
    if missing:
        raise _refused(f"has no {missing[0]!r}")
    known = {*needed, *_IDENTITIES, _RELEASED}
    unknown = [name for name in state if name not in known]
    if unknown:
        raise _refused(f"has {shown(unknown[0])}, which no loader has")
    return state


class Position(NamedTuple):
    """A place between two batches: *cursor* in pass *number*."""

    number: int
    cursor: Cursor

    @classmethod
    def at_start_of(cls, number: int, num_epochs: Optional[int]) -> Position:
        """Returns the position before the first batch of pass *number*. An endless pass begins with the epoch that has
        the pass's own number."""
        return cls(number, Cursor(number * (num_epochs or 1)))

    def as_state(self, settings: Settings, kind: Kind) -> Dict[str, Any]:
        cursor = self.cursor._asdict()
        released = cursor.pop("released")
        if released:
            cursor[_RELEASED] = list(released)
        return {"seed": settings.seed, **_order(settings, kind), "pass": self.number, **cursor}

    @classmethod
    def of_state(cls, state: Mapping[str, Any], settings: Settings, kind: Kind) -> Position:
        """Returns the position that *state* describes.

        Raises:
          QueueCompatValueError: QC617, *state* is not that of a loader with these *settings* and this *kind*.
        """
        fields = [name for name in Cursor._fields if name != "released"]
        mine = _order(settings, kind)
        state = _fields_of(state, ("seed", "pass", *mine, *fields))
        foreign = [name for name in _IDENTITIES if name in state and name not in mine]
        if foreign:
            raise _refused(f"has {foreign[0]}={shown(state[foreign[0]])}, but this loader has none")
        for name, value in mine.items():
            if not _is_same(state[name], value):
                raise _refused(f"has {name}={shown(state[name])}, but this loader has {value}")
        numbers = {name: whole_number(state[name]) for name in ("seed", "pass", *fields)}
        for name, number in numbers.items():
            if number is None or not 0 <= number <= (MOST_OF_SEEDS if name == "seed" else _MOST):
                raise _refused(f"has {name}={shown(state[name])}")
        released = _released(state.get(_RELEASED, ()), kind)
        position = cls(numbers["pass"] or 0, Cursor(**{name: numbers[name] or 0 for name in fields}, released=released))
        position._check(kind, settings)
        return position

    def _check(self, kind: Kind, settings: Settings) -> None:
        """Raises QC617 if no loader with that *kind* and these *settings* can be at this position."""
        items, num_epochs, cursor = kind.per_epoch, settings.num_epochs, self.cursor
        first = self.number * (num_epochs or 1)
        is_outside = cursor.epoch < first or (num_epochs is not None and cursor.epoch >= first + num_epochs)
        if is_outside:
            raise _refused(f"has epoch={cursor.epoch} in pass {self.number}")
        if items is not None and cursor.offset > items:
            raise _refused(f"begins at item {cursor.offset} of an epoch, but this source has {items}")
        if "boundaries" in kind.identity:
            # The examples in earlier batches are all that came before the oldest one that waits in a bucket, and, of
            # those that came after it, ``released`` per bucket.
            is_possible = cursor.drawn == cursor.serial + sum(cursor.released)
        else:
            room = settings.capacity + settings.batch_size
            is_possible = -room <= cursor.drawn - cursor.serial <= _LONGEST_STAY * room
        if not is_possible:
            raise _refused(f"has drawn={cursor.drawn} with serial={cursor.serial}")
