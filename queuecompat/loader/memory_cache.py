"""An in-memory cache for results that are expensive and the same every time: decoded images, parsed files.

    decoded = queuecompat.loader.MemoryCache(decode, max_bytes=4 << 30)

    def load(path, rng):
        return random_crop(decoded(path), rng)

Rule 1: cached results stay, and once the budget is used up nothing more is cached. An epoch visits every item once, so
        a cache that evicts old results for new ones would have dropped each item before it is needed again.
Rule 2: cached arrays are copies, and read-only: otherwise later epochs would see what an earlier one wrote into them.
Rule 3: failures are not cached.

Random augmentation belongs outside of the cached function: inside, every epoch would repeat the first epoch's.
"""

from __future__ import annotations

import dataclasses
import sys
import threading
from typing import Any, Callable, Dict, Hashable, Mapping, Optional

import numpy as np

from queuecompat.errors import QueueCompatTypeError, error
from queuecompat.loader.settings import count_of, refuse

__all__ = ["CacheStatistics", "MemoryCache"]


@dataclasses.dataclass(frozen=True)
class CacheStatistics:
    """What a ``MemoryCache`` holds, and how often it was used.

    Attributes:
      items, bytes: the number of cached results, and their size.
      hits, misses: the number of calls that were answered from the cache, and of those that were not.
    """

    items: int
    bytes: int
    hits: int
    misses: int


class MemoryCache:
    """Calls *function* with an item, and keeps its results as long as the budget allows.

    May be called by any number of threads. Each worker process has a cache of its own, of *max_bytes*, and sees
    different items each epoch: use threads if the decoder releases Python's lock.

    Args:
      function: returns the same result for the same item: an array, or any nesting of dicts, lists and tuples of
        arrays.
      max_bytes: the budget, in bytes. An object that is not an array counts with its ``sys.getsizeof``.
      key: a function that returns the key under which an item is cached; the item itself by default.
    Raises:
      QueueCompatValueError, QueueCompatTypeError: QC601, an argument is out of range; an item is not hashable, and
        there is no *key*.
    """

    def __init__(
        self, function: Callable[[Any], Any], *, max_bytes: int, key: Optional[Callable[[Any], Hashable]] = None
    ) -> None:
        if not callable(function):
            refuse("function", function, "a function of an item")
        self._function = function
        self._key = key
        self._max_bytes: int = count_of("max_bytes", max_bytes, least=1)
        self._begin()

    def _begin(self) -> None:
        self._lock = threading.Lock()
        self._values: Dict[Hashable, Any] = {}
        self._bytes = self._hits = self._misses = 0

    def __call__(self, item: Any) -> Any:
        """Returns what *function* returns for *item*, from the cache if it is there."""
        key = item if self._key is None else self._key(item)
        try:
            with self._lock:
                value = self._values[key]
                self._hits += 1
                return value
        except KeyError:
            pass
        except TypeError as problem:
            given, needed = (
                f"an item of type {type(item).__name__}",
                "key=, a function that returns a name for each item",
            )
            raise error(QueueCompatTypeError, "QC601", argument="key", given=given, needed=needed) from problem
        # Without the lock, so that other threads can decode meanwhile; two may decode the same item.
        value = self._function(item)
        self._keep(key, value)
        return value

    def statistics(self) -> CacheStatistics:
        with self._lock:
            return CacheStatistics(len(self._values), self._bytes, self._hits, self._misses)

    def clear(self) -> None:
        """Drops all cached results. Batches that are being loaded keep those that they have."""
        with self._lock:
            self._values.clear()
            self._bytes = 0

    def _keep(self, key: Hashable, value: Any) -> None:
        size = _bytes_of(value)
        with self._lock:
            self._misses += 1
            if key in self._values or self._bytes + size > self._max_bytes:
                return
        kept = _read_only(value)
        with self._lock:
            if key not in self._values and self._bytes + size <= self._max_bytes:
                self._values[key] = kept
                self._bytes += size

    def __getstate__(self) -> Dict[str, Any]:
        """Returns what is sent to worker processes: the function, the key and the budget, without cached results."""
        return {"_function": self._function, "_key": self._key, "_max_bytes": self._max_bytes}

    def __setstate__(self, state: Dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._begin()


def _bytes_of(value: Any) -> int:
    if isinstance(value, Mapping):
        return sum(map(_bytes_of, value.values()))
    if isinstance(value, (list, tuple)):
        return sum(map(_bytes_of, value))
    return value.nbytes if isinstance(value, np.ndarray) else sys.getsizeof(value)


def _read_only(value: Any) -> Any:
    """Returns a copy of *value* with read-only arrays. A copy, because the memory of *value* may be used again."""
    if isinstance(value, Mapping):
        return {key: _read_only(child) for key, child in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*map(_read_only, value))
    if isinstance(value, (list, tuple)):
        return type(value)(map(_read_only, value))
    if not isinstance(value, np.ndarray):
        return value
    copy = value.copy()
    copy.setflags(write=False)
    return copy
