"""Control dependencies on ops that a session may already have seen.

``tf.control_dependencies`` sets an attribute of the ops that are waited for. TensorFlow warns of ops changed after a
session has seen it, and says that this will become an error. Ops of the start are made late: programs write their graph
for TensorBoard, or save it, between their first step and the start. So the waiting op is a new no-op, to which the
private ``Operation._add_control_input`` adds the dependencies; that is also the only way to make an existing op wait
for one that was made later.
"""

from __future__ import annotations

from typing import ContextManager, Sequence

import tensorflow as tf

__all__ = ["after", "gate", "wait_for"]


def after(ops: Sequence[tf.Operation]) -> ContextManager[None]:
    """Ops that are built within run after *ops*."""
    return tf.control_dependencies([gate(ops, "after")])


def gate(ops: Sequence[tf.Operation], name: str) -> tf.Operation:
    """A no-op called *name* that runs after *ops*."""
    op = tf.no_op(name)
    wait_for(op, ops)
    return op


def wait_for(op: tf.Operation, earlier: Sequence[tf.Operation]) -> None:
    """Makes *op*, which no session has seen yet, run after *earlier*."""
    for one in dict.fromkeys(earlier):
        op._add_control_input(one)
