"""What a loader was asked for, checked: all that is wrong with it is said when the loader is made."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Optional

from queuecompat.errors import QueueCompatTypeError, QueueCompatValueError, error
from queuecompat.loader.walks import is_sequence

__all__ = ["Settings", "check_source"]


@dataclasses.dataclass(frozen=True)
class Settings:
    """See ``BackgroundLoader`` for what they mean."""

    batch_size: int
    capacity: int
    min_after_dequeue: int
    num_workers: int
    workers: str
    shuffle: bool
    num_epochs: Optional[int]
    seed: int
    drop_remainder: bool
    copy: bool
    on_error: str
    max_errors: Optional[int]
    progress: bool
    made_at: str

    @classmethod
    def checked(cls, **given: Any) -> Settings:
        """Fills in what was left open, and raises for what cannot be."""
        for name in ("batch_size", "capacity", "num_workers", "num_epochs"):
            _check_count(name, given[name], least=1, may_be_none=name != "batch_size")
        _check_count("min_after_dequeue", given["min_after_dequeue"], least=0)
        _check_count("max_errors", given["max_errors"], least=0, may_be_none=True)
        _check_count("seed", given["seed"], least=0, most=(1 << 128) - 1)
        _check_choice("workers", given["workers"], ("threads", "processes"))
        _check_choice("on_error", given["on_error"], ("raise", "skip"))
        if given["capacity"] is None:
            # TF1's own advice for the room above min_after_dequeue.
            given["capacity"] = given["min_after_dequeue"] + 3 * given["batch_size"]
        if given["capacity"] <= given["min_after_dequeue"]:
            _refuse("capacity", given["capacity"], f"more than min_after_dequeue={given['min_after_dequeue']}")
        if given["max_errors"] is not None and given["on_error"] == "raise":
            _refuse("max_errors", given["max_errors"], "None, unless on_error='skip'")
        if given["num_workers"] is None:
            given["num_workers"] = usable_cores()
        return cls(**given)

    def with_seed(self, seed: int) -> Settings:
        return dataclasses.replace(self, seed=seed)


def usable_cores() -> int:
    """The cores that this process may use; containers often have fewer than the machine."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def check_source(source: Any, num_epochs: Optional[int]) -> None:
    """Raises for what has no items in an order, and for what would have none in a second epoch."""
    if isinstance(source, (str, bytes, Mapping)) or not (is_sequence(source) or isinstance(source, Iterable)):
        what = f"a {type(source).__name__}"
        raise error(QueueCompatTypeError, "QC601", argument="source", given=what, needed=_SOURCES)
    if isinstance(source, Iterator) and num_epochs != 1:
        raise error(QueueCompatValueError, "QC604", what=f"num_epochs={num_epochs}", given=f"a {type(source).__name__}")
    if is_sequence(source) and not len(source) and num_epochs is None:
        raise error(QueueCompatValueError, "QC603")


_SOURCES = "a sequence or an iterable of items (list(mapping.items()) for a mapping, [path] for one path)"


def _check_count(name: str, value: Any, *, least: int, most: Optional[int] = None, may_be_none: bool = False) -> None:
    if value is None and may_be_none:
        return
    is_whole = hasattr(value, "__index__") and not isinstance(value, bool)
    if not is_whole or value < least or (most is not None and value > most):
        needed = f"a whole number from {least}" + (f" to {most}" if most else "")
        _refuse(name, value, needed + (", or None" if may_be_none else ""))


def _check_choice(name: str, value: Any, choices: Any) -> None:
    if value not in choices:
        _refuse(name, value, " or ".join(map(repr, choices)))


def _refuse(name: str, value: Any, needed: str) -> None:
    raise error(QueueCompatValueError, "QC601", argument=name, given=repr(value), needed=needed)
