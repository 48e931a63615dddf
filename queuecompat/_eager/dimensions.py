"""TensorFlow 1's dimensions, for input functions that ask them for their ``value``.

There ``tensor.get_shape()[0]`` was a Dimension, and ``.value`` its number; in TensorFlow 2 it is the number itself.
Which of them it is hangs on a switch of the process, so it is turned only for a function that cannot go on without.
"""

from __future__ import annotations

import contextlib
from typing import Iterator

import tensorflow as tf

__all__ = ["dimensions_of_tf1", "misses_dimensions"]


def misses_dimensions(error: AttributeError) -> bool:
    """Whether *error* is of code that reads the ``value`` of a dimension, known or not."""
    return str(error) in (f"'{kind.__name__}' object has no attribute 'value'" for kind in (int, type(None)))


@contextlib.contextmanager
def dimensions_of_tf1() -> Iterator[None]:
    """In the block shapes have Dimensions, whatever they have outside."""
    are_numbers = isinstance(tf.TensorShape([1])[0], int)
    tf.compat.v1.disable_v2_tensorshape()
    try:
        yield
    finally:
        if are_numbers:
            tf.compat.v1.enable_v2_tensorshape()
