"""Ops that wait for ops which a session may know already.

``tf.control_dependencies`` marks what is waited for. TensorFlow warns of each op that is changed after a session has
seen it, and says that it is going to be an error; programs write their graph for TensorBoard, or save it, between their
first step and the start, and ops of the start are made for that. So what waits is a new op, of which TensorFlow is told
by the private ``Operation._add_control_input``; that is also the only way to wait for an op that was made later.
"""

from __future__ import annotations

from typing import ContextManager, Sequence

import tensorflow as tf

__all__ = ["after", "gate", "wait_for"]


def after(ops: Sequence[tf.Operation]) -> ContextManager[None]:
    """What is built within runs after *ops*."""
    return tf.control_dependencies([gate(ops, "after")])


def gate(ops: Sequence[tf.Operation], name: str) -> tf.Operation:
    """An op called *name* that runs after *ops*, and does nothing."""
    op = tf.no_op(name)
    wait_for(op, ops)
    return op


def wait_for(op: tf.Operation, earlier: Sequence[tf.Operation]) -> None:
    """Makes *op*, which no session knows yet, wait for *earlier*."""
    for one in dict.fromkeys(earlier):
        op._add_control_input(one)
