"""A small input function, and what a dataset gives."""

from __future__ import annotations

from typing import Any, List

import tensorflow as tf

from queuecompat import train

__all__ = ["numbers", "values"]


def values(dataset: tf.data.Dataset) -> List[Any]:
    return list(dataset.as_numpy_iterator())


def numbers(count: int, size: int, num_epochs: int = 1, **batching: Any) -> tf.Tensor:
    number = train.range_input_producer(count, num_epochs=num_epochs, shuffle=False).dequeue()
    return train.batch([number], size, **batching)
