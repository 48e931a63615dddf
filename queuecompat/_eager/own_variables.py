"""Variables that a dataset has for itself.

In the scope of a ``tf.distribute`` strategy ``tf.Variable`` makes one for each replica, and some strategies ask the
other workers for its value. A scope holds for the thread that entered it alone.
"""

from __future__ import annotations

import concurrent.futures
from typing import Any

import tensorflow as tf

__all__ = ["own_variable"]


def own_variable(value: Any, **how: Any) -> tf.Variable:
    """An eager variable that no strategy knows and that is not trained; *how*: further arguments of ``tf.Variable``."""
    if not tf.distribute.has_strategy():
        return tf.Variable(value, trainable=False, **how)
    with concurrent.futures.ThreadPoolExecutor(1) as other_thread:
        return other_thread.submit(tf.Variable, value, trainable=False, **how).result()
