"""``python -m tests.bench.loader.transport``: a batch from a different process, in shared memory and through a queue.

Both sides have one worker process that returns images which it already has, so only their transport is timed: 100
images of 256x256x3 per batch, as the loader has them (one array) and as ``multiprocessing.Queue`` transfers them (a
pickled list of images, then stacked, since a model needs one array).
"""

from __future__ import annotations

import multiprocessing
import time
from typing import Any, Callable, Iterator

import numpy as np

from queuecompat import BackgroundLoader

BATCH = 100
SHAPE = (256, 256, 3)
_WARM_UP = 6  # batches


class Images:
    """Images that are there already: item *i* of as many as are asked for."""

    def __init__(self, count: int, dtype: str) -> None:
        self._count = count
        self._dtype = dtype
        self._images: Any = None

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, index: int) -> np.ndarray:
        if self._images is None:  # made in the process that uses them
            self._images = np.random.default_rng(0).integers(255, size=(10, *SHAPE)).astype(self._dtype)
        return self._images[index % 10]


def put_batches(queue: Any, batches: int, dtype: str) -> None:
    """The worker of the other side."""
    images = Images(BATCH * batches, dtype)
    for number in range(batches):
        queue.put([images[number * BATCH + place] for place in range(BATCH)])


def through_queue(batches: int, dtype: str) -> Iterator[np.ndarray]:
    context = multiprocessing.get_context("spawn")
    queue = context.Queue(maxsize=3)
    worker = context.Process(target=put_batches, args=(queue, batches, dtype))
    worker.start()
    for _ in range(batches):
        yield np.stack(queue.get())
    worker.join()


def through_shared_memory(batches: int, dtype: str) -> Iterator[np.ndarray]:
    with BackgroundLoader(
        Images(BATCH * batches, dtype), batch_size=BATCH, num_workers=1, workers="processes"
    ) as loader:
        yield from loader


def seconds_a_batch(way: Callable[[int, str], Iterator[np.ndarray]], batches: int, dtype: str) -> float:
    """The mean over all batches but the first few, which wait for the process to start and for its memory."""
    times = []
    for batch in way(batches, dtype):
        assert batch.shape == (BATCH, *SHAPE)
        times.append(time.perf_counter())
    return (times[-1] - times[_WARM_UP]) / (len(times) - 1 - _WARM_UP)


def measured(batches: int = 30, dtype: str = "float32") -> tuple[float, float]:
    """Seconds a batch through shared memory, and through a queue."""
    return seconds_a_batch(through_shared_memory, batches, dtype), seconds_a_batch(through_queue, batches, dtype)


def main() -> None:
    for dtype in ("uint8", "float32"):
        ours, theirs = measured(dtype=dtype)
        print(
            f"{BATCH} images of {SHAPE} {dtype}: shared memory {ours * 1e3:.1f} ms a batch, "
            f"multiprocessing.Queue {theirs * 1e3:.1f} ms, ratio {theirs / ours:.1f}"
        )


if __name__ == "__main__":
    main()
