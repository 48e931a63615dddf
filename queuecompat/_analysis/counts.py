"""Recognises counter variables, such as those with which ``limit_epochs`` counts epochs."""

from __future__ import annotations

from typing import Optional

import tensorflow as tf

__all__ = ["COUNT_UP_TO", "begins_at_0"]

COUNT_UP_TO = ("CountUpTo", "ResourceCountUpTo")


def begins_at_0(count: tf.Operation) -> bool:
    """Whether the variable of *count* (a ``COUNT_UP_TO`` op) starts at 0 and is changed by no other op."""
    values = [_value_put_by(op) for op in count.inputs[0].consumers() if op.name != count.name and _may_write(op)]
    return values == [0]


def _may_write(op: tf.Operation) -> bool:
    return op.type not in ("Identity", "IsVariableInitialized", "ReadVariableOp", "VarIsInitializedOp")


def _value_put_by(op: tf.Operation) -> Optional[int]:
    """Returns the constant number that *op* assigns; None if it assigns something else."""
    value = tf.get_static_value(op.inputs[1]) if op.type in ("Assign", "AssignVariableOp") else None
    return None if value is None else int(value)
