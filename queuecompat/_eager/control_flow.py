"""TensorFlow 1's control flow, for the graphs of input functions.

In TensorFlow 1, ``tf.cond`` and ``tf.while_loop`` build Switch, Merge, Enter and Exit ops in the graph itself. So an op
made outside of a branch runs whichever branch is taken, a name is where the program looks for it, and a loop's body
sees the tensors of the graph around it. In TensorFlow 2 each branch is a function.

The switch between the two is global, but only v1 graphs read it: functions (``tf.function``, those of tf.data, Keras)
always use TensorFlow 2's control flow. So all that another thread can notice is a plain ``tf.Graph`` that it builds in
the same moment.

Locks: ``_lock`` guards the count of open blocks, and the state before the first of them.
"""

from __future__ import annotations

import contextlib
import threading
from typing import Iterator

import tensorflow as tf

__all__ = ["control_flow_of_tf1"]


class _Open:
    count = 0
    was_of_tf2 = False


_lock = threading.Lock()


@contextlib.contextmanager
def control_flow_of_tf1() -> Iterator[None]:
    """In the block, graphs have TensorFlow 1's control flow, whatever the setting outside is."""
    with _lock:
        if not _Open.count:
            _Open.was_of_tf2 = _is_of_tf2()
            tf.compat.v1.disable_control_flow_v2()
        _Open.count += 1
    try:
        yield
    finally:
        with _lock:
            _Open.count -= 1
            if not _Open.count and _Open.was_of_tf2:
                tf.compat.v1.enable_control_flow_v2()


def _is_of_tf2() -> bool:
    with tf.Graph().as_default():  # inside a function the answer would always be True
        return bool(tf.compat.v1.control_flow_v2_enabled())
