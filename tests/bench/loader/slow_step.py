"""``python -m tests.bench.loader.slow_step``: a training step slower than loading, on loaded and on cached batches.

The step multiplies matrices in NumPy on one thread, without Python's lock; loading crops, flips and converts images,
also in NumPy. The loader works during the step, so the step should not become slower. On a machine with two cores, the
loader has the second one.
"""

from __future__ import annotations

import statistics
import time
from typing import Iterator

import numpy as np
import threadpoolctl

from queuecompat import BackgroundLoader

BATCH = 64
STEPS = 30
_SIDE = 224
_IMAGES = np.random.default_rng(0).integers(255, size=(64, 256, 256, 3), dtype=np.uint8)
_WEIGHTS = np.random.default_rng(1).random((1200, 1200), np.float32)


def load(index: int, rng: np.random.Generator, out: np.ndarray | None = None) -> np.ndarray:
    """A random crop, flipped or not, as numbers from -1 to 1."""
    top, left = rng.integers(256 - _SIDE, size=2)
    crop = _IMAGES[index % len(_IMAGES), top : top + _SIDE, left : left + _SIDE]
    crop = crop[:, ::-1] if rng.integers(2) else crop
    out = np.empty((_SIDE, _SIDE, 3), np.float32) if out is None else out
    np.multiply(crop, np.float32(2 / 255), out=out)
    out -= 1
    return out


def step(batch: np.ndarray, rounds: int) -> float:
    """Work that takes about as long as *rounds* products of matrices, and looks at the batch."""
    total = float(batch[0, 0, 0, 0])
    for _ in range(rounds):
        total += float((_WEIGHTS @ _WEIGHTS)[0, 0])
    return total


def rounds_for(seconds: float) -> int:
    since = time.perf_counter()
    step(np.zeros((1, 1, 1, 1)), 5)
    return max(1, round(5 * seconds / (time.perf_counter() - since)))


def seconds_a_step(batches: Iterator[np.ndarray], rounds: int) -> float:
    """The median, without the first few."""
    times = []
    for batch in batches:
        since = time.perf_counter()
        step(batch, rounds)
        times.append((since, time.perf_counter()))
    # From the end of a step to the end of the next: waiting for the batch counts.
    ends = [end for _, end in times]
    return statistics.median(after - before for before, after in zip(ends[3:], ends[4:]))


def cached(steps: int) -> Iterator[np.ndarray]:
    batch = np.zeros((BATCH, _SIDE, _SIDE, 3), np.float32)
    return (batch for _ in range(steps))


def measured(seconds: float = 0.15, steps: int = STEPS) -> tuple[float, float, str]:
    """Seconds a step on loaded and on cached batches, and the loader's verdict."""
    loader = BackgroundLoader(range(BATCH * steps), load, batch_size=BATCH, num_workers=1, seed=0)
    # One core is the step's; on all of them it would compete with the loader.
    with threadpoolctl.threadpool_limits(1), loader:
        rounds = rounds_for(seconds)
        alone = seconds_a_step(cached(steps), rounds)
        loaded = seconds_a_step(iter(loader), rounds)
        alone = min(alone, seconds_a_step(cached(steps), rounds))
        return loaded, alone, loader.statistics().verdict


def main() -> None:
    loaded, alone, verdict = measured()
    print(f"step on a cached batch {alone * 1e3:.1f} ms, on loaded ones {loaded * 1e3:.1f} ms: {alone / loaded:.1%}")
    print(verdict)


if __name__ == "__main__":
    main()
