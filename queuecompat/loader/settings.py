"""The loader's numbers and choices, checked: a wrong argument raises an error when the loader is made, not later."""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NoReturn, Optional

import numpy as np

from queuecompat import processors
from queuecompat.errors import QueueCompatTypeError, QueueCompatValueError, error
from queuecompat.loader.order.sampler import is_sequence
from queuecompat.plurals import type_of

__all__ = ["MOST_OF_SEEDS", "Settings", "check_source", "count_of", "flag_of", "refuse", "shown", "whole_number"]


_AHEAD_IF_SMALL = 64  # examples
# The default limit. More threads wait for Python's lock and for each other: on 16 cores, 16 threads loaded only 0.5 to
# 0.8 times as many JPEGs.
_MOST_THREADS = 8

# The largest seed: it is the generator's (Philox's) key, which has 128 bits.
MOST_OF_SEEDS = (1 << 128) - 1


@dataclasses.dataclass(frozen=True)
class Settings:
    """Checked arguments of ``BackgroundLoader``, whose docstring explains them.

    Attributes:
      made_at: the user's line, for messages.
      ahead, ahead_if_small: the number of examples that may be loaded ahead even if *capacity* is smaller, for examples
        of any size and for small ones; 0 if the user passed *capacity*.
    """

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
    timeout: Optional[float]
    progress: bool
    made_at: str
    # Separate from *capacity*, which must not depend on the number of workers: it decides the order of the examples.
    ahead: int = 0
    ahead_if_small: int = 0

    @classmethod
    def checked(cls, **given: Any) -> Settings:
        """Fills in the defaults and checks the arguments.

        Raises:
          QueueCompatValueError: QC601, an argument is out of range, or contradicts another.
        """
        if whole_number(given["num_workers"]) == 0:  # in PyTorch, 0 means to load on the thread of the loop
            refuse("num_workers", 0, "1 for a single worker in the background, or None for the default")
        for name in ("batch_size", "capacity", "num_workers", "num_epochs"):
            given[name] = count_of(name, given[name], least=1, may_be_none=name != "batch_size")
        given["min_after_dequeue"] = count_of("min_after_dequeue", given["min_after_dequeue"], least=0)
        given["max_errors"] = count_of("max_errors", given["max_errors"], least=0, may_be_none=True)
        given["seed"] = count_of("seed", given["seed"], least=0, most=MOST_OF_SEEDS)
        given["timeout"] = _seconds(given["timeout"])
        for name in ("shuffle", "drop_remainder", "copy", "progress"):
            given[name] = flag_of(name, given[name])
        number = whole_number(given["workers"])
        if number is not None:
            refuse("workers", number, f"'threads' or 'processes', and how many of them as num_workers={number}")
        _check_choice("workers", given["workers"], ("threads", "processes"))
        _check_choice("on_error", given["on_error"], ("raise", "skip"))
        if given["num_workers"] is None:
            cores = processors.usable()
            given["num_workers"] = min(cores, _MOST_THREADS) if given["workers"] == "threads" else cores
        is_open = given["capacity"] is None
        if is_open:
            # The room above min_after_dequeue that TF1's documentation recommends.
            given["capacity"] = given["min_after_dequeue"] + 3 * given["batch_size"]
        if given["capacity"] <= given["min_after_dequeue"]:
            refuse("capacity", given["capacity"], f"more than min_after_dequeue={given['min_after_dequeue']}")
        if given["max_errors"] is not None and given["on_error"] == "raise":
            refuse("max_errors", given["max_errors"], "None, unless on_error='skip'")
        return cls(**given, ahead=2 * given["num_workers"], ahead_if_small=_AHEAD_IF_SMALL) if is_open else cls(**given)

    def most_examples(self, *, are_small: bool) -> int:
        """Returns the maximum number of examples that are being loaded, or are loaded and waiting."""
        return max(self.capacity, self.ahead, self.ahead_if_small if are_small else 0)

    @property
    def items_at_once(self) -> int:
        """The maximum number of items that one worker claims at once, so that some are left for the other workers."""
        return max(self.batch_size // 2, self.most_examples(are_small=True) // 2) // self.num_workers

    def with_seed(self, seed: int) -> Settings:
        return dataclasses.replace(self, seed=seed)


def check_source(source: Any, num_epochs: Optional[int]) -> None:
    """Checks that *source* has items in a defined order, in every epoch.

    Raises:
      QueueCompatTypeError: QC601, *source* has no such items.
      QueueCompatValueError: QC604, *source* is an iterator, which would be empty in a second epoch.
    """
    if isinstance(source, (set, frozenset)):
        what = f"{type_of(source)}, whose order changes from run to run,"
        raise error(QueueCompatTypeError, "QC601", argument="source", given=what, needed="sorted(source)")
    if hasattr(source, "iloc"):  # pandas, or a package with the same interface
        what = f"{type_of(source)}, whose items are found by labels and not by their places,"
        needed = "series.to_numpy() for a column, frame.to_dict('records') for its rows"
        raise error(QueueCompatTypeError, "QC601", argument="source", given=what, needed=needed)
    is_one = isinstance(source, (str, bytes, Mapping)) or (isinstance(source, np.ndarray) and source.ndim == 0)
    if is_one or not (is_sequence(source) or isinstance(source, Iterable)):
        what = type_of(source)
        raise error(QueueCompatTypeError, "QC601", argument="source", given=what, needed=_SOURCES)
    if isinstance(source, Iterator) and num_epochs != 1:
        raise error(QueueCompatValueError, "QC604", what=f"num_epochs={num_epochs}", given=type_of(source))


_SOURCES = (
    "a sequence (with __len__ and __getitem__) or an iterable of items (list(mapping.items()) for a mapping, [path] "
    "for one path, rows() for a generator function rows)"
)


def count_of(name: str, value: Any, *, least: int, most: Optional[int] = None, may_be_none: bool = False) -> Any:
    """Returns *value*, an integer of any type, as an ``int``; None is returned as None if *may_be_none*.

    Raises:
      QueueCompatValueError: QC601, *value* is not a whole number, or not in [*least*, *most*].
    """
    if value is None and may_be_none:
        return None
    whole = whole_number(value)
    if whole is None or whole < least or (most is not None and whole > most):
        needed = f"a whole number of at least {least}" + (f" and at most {most}" if most else "")
        refuse(name, value, needed + (", or None" if may_be_none else ""))
    return whole


def flag_of(name: str, value: Any) -> bool:
    """Returns *value* as a ``bool`` of Python: NumPy's is not JSON-serializable, as ``state_dict()`` must be.

    Raises:
      QueueCompatValueError: QC601, *value* is text, such as "False" of a command line, which Python takes as true.
    """
    if isinstance(value, (str, bytes)):
        refuse(name, value, "True or False")
    return bool(value)


def whole_number(value: Any) -> Optional[int]:
    """Returns *value* as an ``int`` if it is an integer, of Python or NumPy; otherwise None, also for booleans."""
    if isinstance(value, (bool, np.bool_)):
        return None
    try:
        return operator.index(value)
    except TypeError:
        return None


def shown(value: Any) -> str:
    """Returns the text of *value* for a message, at most 80 characters; never raises."""
    try:
        text = repr(value)
    except Exception:  # a number with thousands of digits, say
        return type_of(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


def _seconds(value: Any) -> Optional[float]:
    if value is None:
        return None
    try:
        seconds = float(value)
    except (TypeError, ValueError):
        seconds = 0.0
    if not seconds > 0 or isinstance(value, (str, bytes)):
        refuse("timeout", value, "seconds, more than 0, or None")
    return seconds


def _check_choice(name: str, value: Any, choices: Any) -> None:
    if value not in choices:
        refuse(name, value, " or ".join(map(repr, choices)))


def refuse(name: str, value: Any, needed: str, *, shown: Optional[str] = None) -> NoReturn:
    """Raises QC601: the argument *name* is *value* (in the message *shown*, if not None), but has to be *needed*."""
    raise error(QueueCompatValueError, "QC601", argument=name, given=shown or repr(value), needed=needed)
