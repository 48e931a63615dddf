"""``python -m tests.bench.loader.lives``: 10,000 lives of workers of each kind, 100,000 epochs of a tiny source.

Memory, file descriptors, threads and files in /dev/shm must not grow. They are looked at after each tenth of the lives,
and the end is compared with the middle: what is allocated once, and what an allocator keeps, is there by then.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import gc
import os
import pathlib
import sys
import threading
import time
from typing import Callable, Dict, Iterator, List, Tuple

from queuecompat import BackgroundLoader

__all__ = ["LIVES", "Resources", "grown", "lived", "main"]


@dataclasses.dataclass(frozen=True)
class Resources:
    """Of this process: resident memory in KiB, and numbers of things."""

    memory: int
    descriptors: int
    threads: int
    shared: int  # files in /dev/shm

    @classmethod
    def now(cls) -> Resources:
        gc.collect()
        resident = int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") // 1024
        shared = sum(1 for name in os.listdir("/dev/shm") if name.startswith(f"qc{os.getpid():x}_"))
        return cls(resident, len(os.listdir("/proc/self/fd")), threading.active_count(), shared)


def same(item: int) -> int:
    return item


def several(item: int) -> Iterator[int]:
    yield item
    yield -item


def fails_at_two(item: int) -> int:
    if item == 2:
        raise ValueError("two")
    return item


def _whole(**kinds: object) -> Callable[[int], None]:
    def live(number: int) -> None:
        loader = BackgroundLoader(range(4), **{"batch_size": 2, "num_workers": 2, "load": same, **kinds})
        assert sum(len(batch) for batch in loader) > 0

    return live


def _left(number: int) -> None:
    for _ in BackgroundLoader(range(100), same, batch_size=2, num_workers=2, shuffle=True):
        break


def _failing(number: int) -> None:
    with contextlib.suppress(RuntimeError):
        list(BackgroundLoader(range(4), fails_at_two, batch_size=1, num_workers=2))


def _cached(number: int) -> None:
    from queuecompat.loader import MemoryCache

    list(BackgroundLoader(range(4), MemoryCache(same, max_bytes=1000), batch_size=2, num_workers=2, num_epochs=2))


class _Epochs:
    """One loader, each life an epoch of it."""

    def __init__(self, **kinds: object) -> None:
        self._kinds = kinds
        self._loader: List[BackgroundLoader] = []

    def __call__(self, number: int) -> None:
        if not self._loader:
            self._loader.append(BackgroundLoader(range(4), same, batch_size=2, num_workers=1, **self._kinds))
        assert sum(len(batch) for batch in self._loader[0]) == 4


class _EpochsOfOnePass:
    """One endless iteration, each life an epoch of it."""

    def __init__(self) -> None:
        self._batches: List[Iterator[object]] = []

    def __call__(self, number: int) -> None:
        if not self._batches:
            loader = BackgroundLoader(range(4), same, batch_size=2, num_workers=1, num_epochs=None, shuffle=True)
            self._batches.append(iter(loader))
        next(self._batches[0]), next(self._batches[0])


class _KeptProcesses:
    """One ``with`` block, each life a loop in it."""

    def __init__(self) -> None:
        self._loader: List[BackgroundLoader] = []

    def __call__(self, number: int) -> None:
        if not self._loader:
            loader = BackgroundLoader(range(4), same, batch_size=2, num_workers=1, workers="processes")
            self._loader.append(loader.__enter__())
        assert sum(len(batch) for batch in self._loader[0]) == 4


# What is lived, and how often: by name.
LIVES: Dict[str, Tuple[Callable[[], Callable[[int], None]], int]] = {
    "threads": (_whole, 10_000),
    "threads, several examples": (lambda: _whole(load=several), 10_000),
    "threads, left": (lambda: _left, 10_000),
    "threads, failing": (lambda: _failing, 10_000),
    "threads, cached": (lambda: _cached, 10_000),
    "epochs": (_Epochs, 100_000),
    "epochs of one pass": (_EpochsOfOnePass, 100_000),
    "processes, kept": (_KeptProcesses, 10_000),
    "processes": (lambda: _whole(workers="processes", num_workers=1), 10_000),
}


def lived(live: Callable[[int], None], count: int) -> List[Resources]:
    """What there was after each tenth of *count* lives."""
    seen = []
    for number in range(1, count + 1):
        live(number)
        if number % max(1, count // 10) == 0:
            seen.append(Resources.now())
    return seen


def grown(seen: List[Resources]) -> Dict[str, int]:
    """From the middle to the end."""
    middle, end = seen[len(seen) // 2 - 1], seen[-1]
    return {field.name: getattr(end, field.name) - getattr(middle, field.name) for field in dataclasses.fields(end)}


def main(arguments: List[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.loader.lives", description=__doc__)
    parser.add_argument("--lives", nargs="+", choices=list(LIVES), default=list(LIVES), metavar="KIND")
    parser.add_argument("--share", type=float, default=1.0, help="of the lives; 0.01 is a hundred of 10,000")
    options = parser.parse_args(arguments)
    is_flat = True
    for name in options.lives:
        make, count = LIVES[name]
        count, since = max(10, int(count * options.share)), time.process_time()
        found = grown(lived(make(), count))
        is_flat &= found["memory"] < 1024 and max(found["descriptors"], found["threads"], found["shared"]) <= 0
        texts = [f"{field} {number:+}" for field, number in found.items()]
        seconds = (time.process_time() - since) / count * 1e3
        print(f"{name:28} {count:7,} lives, {seconds:6.2f} ms each; second half: {', '.join(texts)}", flush=True)
    return 0 if is_flat else 1


if __name__ == "__main__":
    sys.exit(main())
