"""``python -m tests.bench.loader.overhead``: the loader's own cost per item, and the benefit of many threads.

First, items whose ``load`` does nothing, in batches of 1 and of 64, with one worker and with the default number: wall
time and processor time of all threads, medians of several passes. Then, items that take 5 ms without Python's lock (a
download, for example), in batches of 1: items per second with 16 threads, with the default capacity and with one that
keeps all threads busy.
"""

from __future__ import annotations

import statistics
import time
from typing import Any, Tuple

from queuecompat import BackgroundLoader

__all__ = ["main", "microseconds_an_item"]

ITEMS = 20_000
PASSES = 7
SLEEP_S = 0.005
THREADS = 16


def nothing(item: int) -> int:
    return item


def slow(item: int) -> int:
    time.sleep(SLEEP_S)
    return item


def microseconds_an_item(items: int, passes: int, **kinds: Any) -> Tuple[float, float]:
    """Wall and processor time, medians over *passes* after one to warm up."""
    loader = BackgroundLoader(range(items), nothing, **kinds)
    walls, cpus = [], []
    for _ in range(passes + 1):
        wall, cpu = time.perf_counter(), time.process_time()
        assert sum(len(batch) for batch in loader) == items
        walls.append((time.perf_counter() - wall) / items * 1e6)
        cpus.append((time.process_time() - cpu) / items * 1e6)
    return statistics.median(walls[1:]), statistics.median(cpus[1:])


def items_a_second(count: int, **kinds: Any) -> float:
    since = time.perf_counter()
    assert sum(1 for _ in BackgroundLoader(range(count), slow, batch_size=1, num_workers=THREADS, **kinds)) == count
    return count / (time.perf_counter() - since)


def main() -> None:
    for workers in (1, None):
        for batch_size in (1, 64):
            wall, cpu = microseconds_an_item(ITEMS, PASSES, batch_size=batch_size, num_workers=workers)
            name = f"batches of {batch_size}, {'one worker' if workers else 'workers by default'}"
            print(f"{name:32} {wall:5.1f} us an item, {cpu:5.1f} of processor time", flush=True)
    for capacity in (None, 4 * THREADS):
        name = f"items of {SLEEP_S * 1e3:g} ms, {THREADS} threads, capacity {capacity or 'by default'}"
        print(f"{name}: {items_a_second(4000, capacity=capacity):,.0f} items a second", flush=True)


if __name__ == "__main__":
    main()
