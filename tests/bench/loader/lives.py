"""``python -m tests.bench.loader.lives``: 10,000 lives of workers of each kind, and 100,000 epochs of a tiny source.

Memory, file descriptors, threads and files in /dev/shm must not grow. They are counted after each tenth of the lives,
and the end is compared with the middle: by then, everything that is allocated once, or kept by an allocator, exists.
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
from concurrent import futures
from typing import Callable, Dict, Iterable, Iterator, List, Tuple

import queuecompat

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
        loader = queuecompat.BackgroundLoader(range(4), **{"batch_size": 2, "num_workers": 2, "load": same, **kinds})
        assert sum(len(batch) for batch in loader) > 0

    return live


def _left(number: int) -> None:
    for _ in queuecompat.BackgroundLoader(range(100), same, batch_size=2, num_workers=2, shuffle=True):
        break


def _failing(number: int) -> None:
    with contextlib.suppress(RuntimeError):
        list(queuecompat.BackgroundLoader(range(4), fails_at_two, batch_size=1, num_workers=2))


def _cached(number: int) -> None:
    from queuecompat.loader import MemoryCache

    list(
        queuecompat.BackgroundLoader(
            range(4), MemoryCache(same, max_bytes=1000), batch_size=2, num_workers=2, num_epochs=2
        )
    )


class _Epochs:
    """One loader, each life an epoch of it."""

    def __init__(self, **kinds: object) -> None:
        self._kinds = kinds
        self._loader: List[queuecompat.BackgroundLoader] = []

    def __call__(self, number: int) -> None:
        if not self._loader:
            self._loader.append(
                queuecompat.BackgroundLoader(range(4), same, batch_size=2, num_workers=1, **self._kinds)
            )
        assert sum(len(batch) for batch in self._loader[0]) == 4


class _EpochsOfOnePass:
    """One endless iteration, each life an epoch of it."""

    def __init__(self) -> None:
        self._batches: List[Iterator[object]] = []

    def __call__(self, number: int) -> None:
        if not self._batches:
            loader = queuecompat.BackgroundLoader(
                range(4), same, batch_size=2, num_workers=1, num_epochs=None, shuffle=True
            )
            self._batches.append(iter(loader))
        next(self._batches[0]), next(self._batches[0])


class _KeptProcesses:
    """One ``with`` block, each life a loop in it."""

    def __init__(self) -> None:
        self._loader: List[queuecompat.BackgroundLoader] = []

    def __call__(self, number: int) -> None:
        if not self._loader:
            loader = queuecompat.BackgroundLoader(range(4), same, batch_size=2, num_workers=1, workers="processes")
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


# Each life is a part of one loader's: there are no two at the same time.
_OF_ONE_LOADER = {"epochs", "epochs of one pass", "processes, kept"}


def lived(live: Callable[[int], None], count: int, *, at_once: int = 1) -> Iterator[Resources]:
    """What there is after each tenth of *count* lives, of which so many run *at_once*, each on a thread of its own."""
    tenth = max(1, count // 10)
    with futures.ThreadPoolExecutor(at_once) as threads:
        run = map if at_once == 1 else threads.map
        for begin in range(0, count - tenth + 1, tenth):
            for _ in run(live, range(begin, begin + tenth)):
                pass
            yield Resources.now()


def grown(seen: Iterable[Resources]) -> Dict[str, int]:
    """From the middle to the end."""
    seen = list(seen)
    middle, end = seen[len(seen) // 2 - 1], seen[-1]
    return {field.name: getattr(end, field.name) - getattr(middle, field.name) for field in dataclasses.fields(end)}


def _told(seen: Iterable[Resources], tenth: int) -> Iterator[Resources]:
    """The same, printed as they come: a run of hours says where it stands."""
    for number, one in enumerate(seen, 1):
        print(f"  {number * tenth:,}: {one}", file=sys.stderr, flush=True)
        yield one


def main(arguments: List[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.loader.lives", description=__doc__)
    parser.add_argument("--lives", nargs="+", choices=list(LIVES), default=list(LIVES), metavar="KIND")
    parser.add_argument("--share", type=float, default=1.0, help="of the lives; 0.01 is a hundred of 10,000")
    parser.add_argument("--at-once", type=int, default=1, help="lives at the same time, where each has its own loader")
    options = parser.parse_args(arguments)
    is_flat = True
    for name in options.lives:
        make, count = LIVES[name]
        count, since = max(10, int(count * options.share)), time.perf_counter()
        at_once = 1 if name in _OF_ONE_LOADER else options.at_once
        found = grown(_told(lived(make(), count, at_once=at_once), count // 10))
        is_flat &= found["memory"] < 1024 and max(found["descriptors"], found["threads"], found["shared"]) <= 0
        texts = [f"{field} {number:+}" for field, number in found.items()]
        seconds = (time.perf_counter() - since) / count * 1e3
        print(f"{name:28} {count:7,} lives, {seconds:6.2f} ms each; second half: {', '.join(texts)}", flush=True)
    return 0 if is_flat else 1


if __name__ == "__main__":
    sys.exit(main())
