"""Variables that only count: what ``limit_epochs`` counts its epochs with."""

from __future__ import annotations

from typing import Optional

import tensorflow as tf

__all__ = ["COUNT_UP_TO", "begins_at_0"]

COUNT_UP_TO = ("CountUpTo", "ResourceCountUpTo")


def begins_at_0(count: tf.Operation) -> bool:
    """Whether the variable of *count*, one of ``COUNT_UP_TO``, is 0 at first, and nothing else changes it."""
    values = [_value_put_by(op) for op in count.inputs[0].consumers() if op.name != count.name and _may_write(op)]
    return values == [0]


def _may_write(op: tf.Operation) -> bool:
    return op.type not in ("Identity", "IsVariableInitialized", "ReadVariableOp", "VarIsInitializedOp")


def _value_put_by(op: tf.Operation) -> Optional[int]:
    """The number that *op* assigns; None if it is not a constant one."""
    value = tf.get_static_value(op.inputs[1]) if op.type in ("Assign", "AssignVariableOp") else None
    return None if value is None else int(value)
