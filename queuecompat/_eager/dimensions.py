"""TensorFlow 1's Dimension objects, for input functions that read their ``value``.

In TensorFlow 1, ``tensor.get_shape()[0]`` was a Dimension, with its number in ``.value``; in TensorFlow 2 it is the
number itself. The switch between the two is global, so it is changed only for a function that fails without it.
"""

from __future__ import annotations

import contextlib
from typing import Iterator

import tensorflow as tf

__all__ = ["dimensions_of_tf1", "misses_dimensions"]


def misses_dimensions(error: AttributeError) -> bool:
    """Whether *error* is raised by code that reads the ``value`` of a dimension, known or unknown."""
    return str(error) in (f"'{kind.__name__}' object has no attribute 'value'" for kind in (int, type(None)))


@contextlib.contextmanager
def dimensions_of_tf1() -> Iterator[None]:
    """In the block, shapes have Dimensions, whatever the setting outside is."""
    are_numbers = isinstance(tf.TensorShape([1])[0], int)
    tf.compat.v1.disable_v2_tensorshape()
    try:
        yield
    finally:
        if are_numbers:
            tf.compat.v1.enable_v2_tensorshape()
