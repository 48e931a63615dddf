"""A cache in memory for what is expensive and the same every time: decoded images, parsed files.

    decoded = queuecompat.loader.MemoryCache(decode, max_bytes=4 << 30)

    def load(path, rng):
        return random_crop(decoded(path), rng)

Rule 1: what has been cached stays, and once the budget is used up nothing more comes in. An epoch visits every item
        once, so a cache that makes room for the newest would have dropped each item before it is needed again.
Rule 2: cached arrays are copies, and read-only: what one epoch writes into them, all later ones would see.
Rule 3: failures are not cached.

Random augmentation belongs outside: inside, every epoch would repeat that of the first.
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
    """
    Attributes:
      items, bytes: that are cached.
      hits, misses: calls that were answered from the cache, and those that were not.
    """

    items: int
    bytes: int
    hits: int
    misses: int


class MemoryCache:
    """Calls *function* with an item, and keeps what it returns as long as the budget lasts.

    May be called by any number of threads. In worker processes each has a cache of its own, of *max_bytes*, and sees
    other items each epoch: use threads where the decoder releases Python's lock.

    Args:
      function: returns the same for the same item: an array, or any nesting of dicts, lists and tuples of arrays.
      max_bytes: the budget. Of other objects than arrays, what ``sys.getsizeof`` says.
      key: what an item is cached under; the item itself by default.
    Raises:
      QueueCompatValueError, QueueCompatTypeError: QC601, an argument is out of range; an item has no hash, and there is
        no *key*.
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
        """What *function* returns for *item*."""
        key = item if self._key is None else self._key(item)
        try:
            with self._lock:
                value = self._values[key]
                self._hits += 1
                return value
        except KeyError:
            pass
        except TypeError as problem:
            given, needed = f"an item of type {type(item).__name__}", "key=, a function that returns a name for an item"
            raise error(QueueCompatTypeError, "QC601", argument="key", given=given, needed=needed) from problem
        # Without the lock: other threads decode meanwhile, perhaps the same item.
        value = self._function(item)
        self._keep(key, value)
        return value

    def statistics(self) -> CacheStatistics:
        with self._lock:
            return CacheStatistics(len(self._values), self._bytes, self._hits, self._misses)

    def clear(self) -> None:
        """Drops everything. Batches that are under way keep what they have."""
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
        """For worker processes: the function and the budget, not what is cached."""
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
    """A copy of *value*, whose arrays cannot be written into. The original may be memory that is used again."""
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
