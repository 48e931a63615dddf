"""Variables that a dataset has for itself.

They are made in a thread of their own, where nothing is open that TensorFlow asks for each variable. In the scope of a
``tf.distribute`` strategy ``tf.Variable`` makes one for each replica, and some strategies ask the other workers for its
value; while a function is traced, which is when most of them are asked for, its variables must not share a name.
"""

from __future__ import annotations

import concurrent.futures
from typing import Any

import tensorflow as tf

__all__ = ["own_variable"]


def own_variable(value: Any, **how: Any) -> tf.Variable:
    """An eager variable of the CPU that no strategy knows and that is not trained.

    Args:
      how: further arguments of ``tf.Variable``.
    """

    def made() -> tf.Variable:
        with tf.device("CPU:0"):
            return tf.Variable(value, trainable=False, **how)

    with concurrent.futures.ThreadPoolExecutor(1) as other_thread:
        return other_thread.submit(made).result()
