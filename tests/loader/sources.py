"""Sources and small helpers for the tests of the loader."""

from __future__ import annotations

import os
import threading
from typing import Any, Iterator, List, Optional, Set

LONG = 60.0  # seconds; longer than the busiest machine needs


class Countable:
    """An iterable without a length, which begins anew each time."""

    def __init__(self, count: int) -> None:
        self._count = count

    def __iter__(self) -> Iterator[int]:
        return iter(range(self._count))


def lists(batches: Any) -> List[Any]:
    """Every batch, as lists."""
    return [tuple_of(batch) for batch in batches]


def tuple_of(batch: Any) -> Any:
    if isinstance(batch, dict):
        return {key: tuple_of(value) for key, value in batch.items()}
    if isinstance(batch, (list, tuple)):
        return tuple(map(tuple_of, batch))
    return batch.tolist()


def workers_of_loaders() -> List[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name.startswith("queuecompat-loader")]


def open_files() -> Set[str]:
    """The file descriptors of this process."""
    return set(os.listdir("/proc/self/fd"))


def shared_memory_names(process: Optional[int] = None) -> Set[str]:
    """The segments that this *process*, or this one, has made and that still have a name."""
    return {name for name in os.listdir("/dev/shm") if name.startswith(f"qc{process or os.getpid():x}_")}
