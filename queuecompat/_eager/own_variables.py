"""Variables that belong to a dataset.

They are made in a thread of their own, in which none of the contexts is open that TensorFlow consults for a new
variable. In the scope of a ``tf.distribute`` strategy, ``tf.Variable`` would make one for each replica, and some
strategies would ask the other workers for its value. While a function is traced, which is when most of these variables
are made, they would need distinct names.
"""

from __future__ import annotations

import concurrent.futures
from typing import Any

import tensorflow as tf

__all__ = ["own_variable"]


def own_variable(value: Any, **how: Any) -> tf.Variable:
    """Returns an eager variable on the CPU that no strategy manages and that is not trainable.

    Args:
      how: further arguments of ``tf.Variable``.
    """

    def made() -> tf.Variable:
        with tf.device("CPU:0"):
            return tf.Variable(value, trainable=False, **how)

    with concurrent.futures.ThreadPoolExecutor(1) as other_thread:
        return other_thread.submit(made).result()
