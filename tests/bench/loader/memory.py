"""``python -m tests.bench.loader.memory``: the most memory that a loader holds, compared with its bound.

All memory for batches is allocated in one place in the loader. This counts what is allocated and released there, while
a slow consumer lets the queue fill up. The bound is *capacity* examples and two batches.
"""

from __future__ import annotations

import threading
import weakref
from typing import Any
from unittest import mock

import numpy as np

from queuecompat import BackgroundLoader
from queuecompat.loader.memory import blocks

EXAMPLE = (64, 64, 3)


class One:
    """Items of one example; somebody may wait until so many were loaded."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._loaded = 0

    def __call__(self, index: int) -> np.ndarray:
        with self._changed:
            self._loaded += 1
            self._changed.notify_all()
        return np.full(EXAMPLE, index % 256, np.uint8)

    def wait_for(self, count: int) -> None:
        with self._changed:
            assert self._changed.wait_for(lambda: self._loaded >= count, timeout=60)


class Eight(One):
    """Items of eight examples."""

    def __call__(self, index: int) -> Any:
        return iter([super().__call__(index)] * 8)

    def wait_for(self, count: int) -> None:
        super().wait_for((count - 1) // 8)


class Meter:
    """Counts the bytes of all memory for blocks, and the most there ever was."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self.now = 0
        self.most = 0

    def allocated(self, size: int) -> blocks.Memory:
        memory = _allocated(size)
        self._count(size)
        weakref.finalize(memory.owner, self._count, -size)
        return memory

    def _count(self, size: int) -> None:
        with self._lock:
            self.now += size
            self.most = max(self.most, self.now)


_allocated = blocks._allocated


def most_examples(load: One, *, batch_size: int, capacity: int, shuffle: bool) -> float:
    """The most examples that there was memory for at once, while the consumer lets the queue run full."""
    meter = Meter()
    with mock.patch.object(blocks, "_allocated", meter.allocated):
        loader = BackgroundLoader(
            range(40 * batch_size), load, batch_size=batch_size, capacity=capacity, shuffle=shuffle, num_epochs=None
        )
        with loader:
            # What surely gets loaded without another batch being taken.
            full = capacity // batch_size * batch_size - (4 * batch_size if isinstance(load, Eight) else 0)
            batches = iter(loader)
            for number in range(1, 4 * capacity // batch_size + 20):
                next(batches)  # and forgotten: a consumer that holds two batches has one more
                load.wait_for(number * batch_size + full)
    return meter.most / int(np.prod(EXAMPLE))


def main() -> None:
    for load in (One, Eight):
        for shuffle in (False, True):
            for batch_size, capacity in ((32, 96), (32, 500), (64, 200)):
                most = most_examples(load(), batch_size=batch_size, capacity=capacity, shuffle=shuffle)
                bound = capacity + 2 * batch_size
                print(
                    f"{load.__name__:>5} an item, batch {batch_size}, capacity {capacity}, shuffle {shuffle}: "
                    f"{most:.0f} examples at most, bound {bound}"
                )


if __name__ == "__main__":
    main()
