"""Dimensions that are floats: ``tf.placeholder(tf.float32, [None, width / 2])`` worked in TensorFlow 1.

Python 3 divides integers into a float, and TensorFlow 1 accepted a float that is a whole number wherever it takes a
static shape: of a placeholder, a variable, ``set_shape``, the state of a cell. TensorFlow 2 raises TypeError.

Not from the user's files alone, as the other calls: TensorFlow and Keras make most dimensions, from sizes that the
program passed to them.
"""

from __future__ import annotations

import functools
import numbers
from typing import Any

__all__ = ["accept_whole_floats"]


def accept_whole_floats(dimension: Any) -> None:
    """Makes the class ``tf.Dimension`` accept floats, for the rest of the process.

    As in TensorFlow 1, a float that is not a whole number is a ValueError. All other values are left to the class.
    """
    original = dimension.__init__

    @functools.wraps(original)
    def initialise(self: Any, value: Any) -> None:
        if isinstance(value, numbers.Real) and not isinstance(value, numbers.Integral):
            value = _whole(value)
        original(self, value)

    dimension.__init__ = initialise


def _whole(value: Any) -> int:
    whole = int(value)
    if whole != value:
        raise ValueError(f"Ambiguous dimension: {value}")
    return whole
