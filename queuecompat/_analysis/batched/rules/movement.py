"""Ops that only move numbers: in a batch, the axes of an element are shifted by one."""

from __future__ import annotations

from typing import Any, List

import numpy as np
import tensorflow as tf

from queuecompat._analysis.batched.rules.ragged import filled
from queuecompat._analysis.batched.rules.table import rule
from queuecompat._analysis.batched.values import Call, NoRuleError, Value

__all__: List[str] = []


@rule("reshape", may_fail=lambda call: not call.inputs[0].shape.is_fully_defined())
def _reshape(call: Call) -> List[Any]:
    given, wanted = call.inputs[0], [int(n) for n in call.inputs[1].constant]
    size = int(np.prod([n for n in wanted if n != -1]))
    if -1 in wanted:
        if not size:
            raise NoRuleError("it makes something without content")
        wanted = [int(np.prod(given.dimensions)) // size if n == -1 else n for n in wanted]
        size = int(np.prod(wanted))
    if not size:
        raise NoRuleError("it makes something without content")
    tensor = given.tensor
    if given.shape.rank == 1 and not given.shape.is_fully_defined():
        # Checked for each element: otherwise surplus numbers of one element would go to the next.
        tensor = tf.ensure_shape(tensor, [None, size])
    elif int(np.prod(given.dimensions)) != size:
        raise NoRuleError("it always fails")
    return [tf.reshape(tensor, [-1, *wanted])]


@rule("expand_dims")
def _expand(call: Call) -> List[Any]:
    axis = int(np.reshape(call.inputs[1].constant, []))
    return [tf.expand_dims(call.inputs[0].tensor, axis + 1 if axis >= 0 else axis)]


@rule("squeeze", may_fail=lambda call: not call.inputs[0].shape.is_fully_defined())
def _squeeze(call: Call) -> List[Any]:
    given = call.inputs[0]
    axes = call.attribute("squeeze_dims") or [n for n, size in enumerate(given.dimensions) if size == 1]
    if not axes:
        return [given]
    return [tf.squeeze(given.tensor, [axis % given.rank + 1 for axis in axes])]


@rule("ensure_shape", may_fail=True)
def _ensure(call: Call) -> List[Any]:
    return [tf.ensure_shape(call.inputs[0].tensor, tf.TensorShape([None]).concatenate(call.attribute("shape")))]


@rule("transpose")
def _transpose(call: Call) -> List[Any]:
    return [tf.transpose(call.inputs[0].tensor, [0, *(int(n) + 1 for n in call.inputs[1].constant)])]


@rule("concat")
def _concat(call: Call) -> List[Any]:
    count = call.attribute("N")
    parts, axis = (range(count), count) if call.op.type == "ConcatV2" else (range(1, count + 1), 0)
    along = int(call.inputs[axis].constant) % call.inputs[parts[0]].rank
    return [tf.concat([call.stacked(part) for part in parts], along + 1)]


@rule("pack")
def _pack(call: Call) -> List[Any]:
    axis = call.attribute("axis") % (call.inputs[0].rank + 1)
    return [tf.stack([call.stacked(number) for number in range(len(call.inputs))], axis + 1)]


@rule("unpack")
def _unpack(call: Call) -> List[Any]:
    given = call.inputs[0]
    return list(tf.unstack(given.tensor, call.attribute("num"), call.attribute("axis") % given.rank + 1))


@rule("split")
def _split(call: Call) -> List[Any]:
    given = call.inputs[1]
    axis = int(call.inputs[0].constant) % given.rank
    return list(tf.split(given.tensor, call.attribute("num_split"), axis + 1))


@rule("split_sizes")
def _split_sizes(call: Call) -> List[Any]:
    given, sizes, axis = call.inputs
    return list(tf.split(given.tensor, [int(n) for n in sizes.constant], int(axis.constant) % given.rank + 1))


@rule("pad")
def _pad(call: Call) -> List[Any]:
    given, paddings, *value = call.inputs
    around = np.concatenate([np.zeros([1, 2], paddings.constant.dtype), paddings.constant])
    call.require_fixed(*range(1, len(call.inputs)))
    return call.copied([given.tensor, tf.constant(around), *(one.tensor for one in value)])


@rule("reverse")
def _reverse(call: Call) -> List[Any]:
    given = call.inputs[0]
    return [tf.reverse(given.tensor, [int(axis) % given.rank + 1 for axis in call.inputs[1].constant])]


@rule("tile")
def _tile(call: Call) -> List[Any]:
    return [tf.tile(call.inputs[0].tensor, [1, *(int(n) for n in call.inputs[1].constant)])]


@rule("fill")
def _fill(call: Call) -> List[Any]:
    if call.inputs[0].is_row and call.pads:
        return [filled(call)]
    dimensions = [int(n) for n in call.inputs[0].constant]
    value = tf.reshape(call.stacked(1), [-1, *[1] * len(dimensions)])
    return [tf.tile(value, [1, *dimensions])]


@rule("one_hot", each_item=True, broadcasts=False)
def _one_hot(call: Call) -> List[Any]:
    call.require_fixed(1, 2, 3)
    axis = call.attribute("axis")
    return call.copied(axis=axis if axis < 0 else axis + 1)


@rule("gather", may_fail=True, each_item=True, broadcasts=False)
def _gather(call: Call) -> List[Any]:
    table, indices, axes = call.inputs
    axis = int(axes.constant)
    if call.attribute("batch_dims"):
        raise NoRuleError("batch_dims")
    if not table.is_row:
        if axis != 0:
            raise NoRuleError("it gathers along an axis other than the first")
        return call.copied()
    axis = axis % table.rank + 1
    if not indices.is_row:
        return [tf.gather(table.tensor, indices.tensor, axis=axis)]
    return [tf.gather(table.tensor, indices.tensor, axis=axis, batch_dims=1)]


@rule("look_up", may_fail=True, each_item=True, broadcasts=False)
def _look_up(call: Call) -> List[Any]:
    call.require_fixed(0)
    if call.op.type == "ResourceGather" and call.attribute("batch_dims"):
        raise NoRuleError("batch_dims")
    if call.op.type == "LookupTableFindV2":
        call.require_fixed(2)
    return call.copied()


@rule("shape")
def _size(call: Call) -> List[Any]:
    given = call.inputs[0]
    if call.op.type == "Rank":
        return [Value(tf.constant(given.rank), False)]
    dtype = call.attribute("out_type")
    if call.op.type == "Size":
        return [Value(tf.constant(int(np.prod(given.dimensions)), dtype), False)]
    return [Value(tf.constant(given.dimensions, dtype, [given.rank]), False)]
