"""Input functions whose position is saved, and the program that restores one: ``python positions.py NAME PREFIX``."""

from __future__ import annotations

import itertools
import sys
from typing import Any, Callable, Dict, List

import numpy as np
import tensorflow as tf

import queuecompat
from queuecompat import train

tf1 = tf.compat.v1


def _numbers(seed: Any, shuffle: bool = True) -> tf.Tensor:
    return train.range_input_producer(60, num_epochs=3, shuffle=shuffle, seed=seed).dequeue()


def _augmented(number: tf.Tensor, seed: Any) -> tf.Tensor:
    return number * 1000 + tf1.random_uniform([], 0, 999, dtype=tf.int32, seed=seed)


def _pool(number: tf.Tensor, seed: Any) -> tf.Tensor:
    return train.shuffle_batch([number], 5, capacity=30, min_after_dequeue=10, seed=seed)


def _rows(seed: Any) -> Any:
    table = np.arange(600, dtype=np.float64).reshape(60, 10)
    return train.batch(train.slice_input_producer([table, table[:, 0]], num_epochs=3, seed=seed), 5)


def _shared(seed: Any) -> List[tf.Tensor]:
    queue = train.range_input_producer(60, num_epochs=3, seed=seed)
    return [train.batch([queue.dequeue()], 5) for _ in range(2)]


def _joined(seed: Any) -> tf.Tensor:
    ways = [[_augmented(_numbers(seed + number), seed)] for number in range(3)]
    return train.shuffle_batch_join(ways, 5, capacity=30, min_after_dequeue=10, seed=seed)


def _counted() -> tf.Tensor:
    count = itertools.count()
    number = tf.reshape(tf1.py_func(lambda: np.int64(next(count)), [], tf.int64), [])
    return train.batch([number, _numbers(1)], 5)


# No two runs of an unseeded one agree, but a run goes on as it would have.
UNSEEDED = ("order", "pool", "shared", "rows")
INPUT_FNS: Dict[str, Callable[[], Any]] = {
    "augmented": lambda: train.batch([_augmented(_numbers(7), 9)], 5),
    "counted": _counted,
    "in order": lambda: train.batch([_numbers(None, shuffle=False)], 5),
    "joined": lambda: _joined(4),
    "order": lambda: train.batch([_numbers(None)], 5),
    "pool": lambda: _pool(_numbers(None), None),
    "rows": lambda: _rows(None),
    "seeded order": lambda: train.batch([_numbers(7)], 5),
    "seeded pool": lambda: _pool(_augmented(_numbers(7), 2), 3),
    "seeded rows": lambda: _rows(8),
    "seeded shared": lambda: _shared(5),
    "shared": lambda: _shared(None),
}


def restored(name: str, prefix: str) -> List[List[float]]:
    """What comes after the position that was saved as *prefix*."""
    iterator = iter(queuecompat.as_dataset(INPUT_FNS[name], strict=True))
    tf.train.Checkpoint(iterator=iterator).restore(prefix).assert_consumed()
    return [flat(batch) for batch in iterator]


def flat(batch: Any) -> List[float]:
    return np.concatenate([np.ravel(part) for part in tf.nest.flatten(batch)]).tolist()


if __name__ == "__main__":
    print(restored(*sys.argv[1:]))
