"""Reductions along axes of an element, which are shifted by one in a batch."""

from __future__ import annotations

from typing import Any, List

import numpy as np
import tensorflow as tf

from queuecompat._analysis.batched.rules.table import rule
from queuecompat._analysis.batched.values import Call, NoRuleError

__all__: List[str] = []


@rule("reduce")
def _reduce(call: Call) -> List[Any]:
    given = call.inputs[0]
    axes = [int(axis) % given.rank + 1 for axis in np.reshape(call.inputs[1].constant, [-1])]
    return call.copied([given.tensor, tf.constant(axes, tf.int32, [len(axes)])])


@rule("arg_reduce")
def _place(call: Call) -> List[Any]:
    given, axis = call.inputs
    return call.copied([given.tensor, tf.constant(int(axis.constant) % given.rank + 1)])


@rule("cumulate")
def _cumulate(call: Call) -> List[Any]:
    given, axis = call.inputs
    return call.copied([given.tensor, tf.constant(int(axis.constant) % given.rank + 1)])


@rule("add_columns")
def _add_columns(call: Call) -> List[Any]:
    """``BiasAddGrad`` sums columns from first to last row, so the columns of all elements can be put side by side."""
    rows, columns = call.inputs[0].dimensions
    if call.attribute("data_format") != b"NHWC":
        raise NoRuleError("its columns are rows")
    together = tf.reshape(tf.transpose(call.inputs[0].tensor, [1, 0, 2]), [rows, -1])
    return [tf.reshape(call.copied([together])[0], [-1, columns])]
