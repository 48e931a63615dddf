"""The loader's errors, and what it records about items that are skipped.

A ``LoadError`` carries the item and, as its ``__cause__``, the worker's own exception with the worker's traceback.
"""

from __future__ import annotations

import dataclasses
import reprlib
from typing import Any, Dict, Optional

import numpy as np

from queuecompat.errors import QueueCompatRuntimeError, layout
from queuecompat.loader.order.sampler import NOTHING, Item
from queuecompat.plurals import counted

__all__ = [
    "LoadError",
    "LoaderClosedError",
    "NothingReturnedError",
    "Skipped",
    "Tolerance",
    "WorkerDiedError",
    "last_line",
    "load_error",
    "named",
]


class LoaderClosedError(QueueCompatRuntimeError):
    """The program uses a loader or an iteration that was closed, or that was begun before a fork."""


class LoadError(QueueCompatRuntimeError):
    """An item could not be loaded.

    Attributes:
      item: the item as the source returned it; None if it is not known.
      index, epoch: the item's number in the source, and its epoch; None if the error is not that of an item.
      __cause__: the exception that ``load`` raised, if the error comes from ``load``.
    """

    item: Any = None
    index: Optional[int] = None
    epoch: Optional[int] = None


class WorkerDiedError(RuntimeError):
    """A worker process ended while it was loading an item: it crashed, exited, or was killed."""


class NothingReturnedError(Exception):
    """``load``, which is defined at the source line *where*, returned None instead of an example."""

    def __init__(self, where: str) -> None:
        super().__init__(where)
        self.where = where


@dataclasses.dataclass(frozen=True)
class Skipped:
    """An item that was skipped; *error* is the last line of the failure's traceback."""

    index: int
    item: Any
    epoch: int
    error: str


_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = 200

# The scalars of NumPy 2 are shown as 0, as those of NumPy 1 are, and not as np.int64(0).
_PRINTED: Dict[str, Any] = {"legacy": "1.25"} if np.lib.NumpyVersion(np.__version__) >= "2.0.0" else {}


def named(item: Item, value: Any = NOTHING) -> str:
    """Returns the text for an item in messages: its number, and *value*, the item itself, if that is known."""
    value = item.value if value is NOTHING else value
    if value is NOTHING:
        return f"item {item.index}"
    with np.printoptions(**_PRINTED):
        lines = _SHORT.repr(value).splitlines()  # the repr of an array has a line for each row
    return f"item {item.index} ({' '.join(map(str.strip, lines))})"


def load_error(
    code: str,
    made_at: str,
    *,
    item: Optional[Item] = None,
    value: Any = NOTHING,
    cause: Optional[BaseException] = None,
    **fields: object,
) -> LoadError:
    """Returns a ``LoadError`` with the text of *code*, ready to raise.

    Args:
      made_at: the user's line that made the loader.
      item, value: the item that failed, and its value if it was fetched.
      cause: becomes the error's ``__cause__``.
      fields: fill in the text of *code*.
    """
    name = {} if item is None else {"item": named(item, value), "epoch": item.epoch}
    problem = LoadError(layout(code, made_at, **name, **fields))
    problem.code = code
    problem.__cause__ = cause
    if item is not None:
        value = item.value if value is NOTHING else value
        problem.item = None if value is NOTHING else value
        problem.index, problem.epoch = item.index, item.epoch
    return problem


def last_line(failure: BaseException) -> str:
    """Returns the last line of the traceback of *failure*: its type, and the first line of its text."""
    try:
        text = str(failure).partition("\n")[0]
    except Exception:
        text = "(its text cannot be made)"
    return f"{type(failure).__name__}: {text}" if text else type(failure).__name__


class Tolerance:
    """Decides about items that fail: each ends the pass, or is skipped, up to *max_errors* different items.

    The caller holds the lock.

    Attributes:
      skipped: the skipped items, by index.
      count: the number of failures that were skipped; an item that fails in each epoch counts each time.
    """

    def __init__(self, on_error: str, max_errors: Optional[int], made_at: str) -> None:
        self.skips = on_error == "skip"
        self._most = max_errors
        self._made_at = made_at
        # By index: an item that fails in each epoch is listed once.
        self.skipped: Dict[int, Skipped] = {}
        self.count = 0

    def judge(self, problem: LoadError) -> Optional[LoadError]:
        """Returns None if the item of *problem* is skipped; otherwise the error that ends the pass."""
        cause = problem.__cause__
        if not self.skips or not isinstance(cause, Exception) or problem.index is None or problem.epoch is None:
            return problem
        self.count += 1
        self.skipped[problem.index] = Skipped(problem.index, problem.item, problem.epoch, last_line(cause))
        if self._most is None or len(self.skipped) <= self._most:
            return None
        name = named(Item(problem.epoch, 0, problem.index), problem.item)
        return load_error(
            "QC609",
            self._made_at,
            cause=cause,
            items=counted(len(self.skipped), "item", "different items"),
            most=self._most,
            last=name,
            raised=last_line(cause),
        )
