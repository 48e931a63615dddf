"""TensorFlow 1's control flow, for the graphs of input functions.

There ``tf.cond`` and ``tf.while_loop`` are Switch and Merge, Enter and Exit, in the graph itself: an op made outside of
a branch runs whichever branch is taken, a name is where the program looks for it, and a loop's body sees the tensors of
the graph around it. In TensorFlow 2 each branch is a function.

The switch is the process's, and only graphs of TensorFlow 1's kind ask it: functions (``tf.function``, those of
tf.data, Keras) are of TensorFlow 2's kind whatever it says. So what another thread meets of it is at most a plain
``tf.Graph`` that it builds at the same moment.

Locks: ``_lock`` guards the count of the blocks that are open, and what was before the first.
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
    """In the block graphs have TensorFlow 1's control flow, whatever they have outside."""
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
    with tf.Graph().as_default():  # in a function it is, always
        return bool(tf.compat.v1.control_flow_v2_enabled())
