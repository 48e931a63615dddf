"""Records become tensors: each parser has a form for many records, or takes strings of any shape."""

from __future__ import annotations

from typing import Any, List

import tensorflow as tf

from queuecompat._analysis.batched.rules.table import rule
from queuecompat._analysis.batched.values import Call, NoRuleError, name_of

__all__: List[str] = []


@rule("parse_single_example", may_fail=True)
def _parse_single(call: Call) -> List[Any]:
    call.require_fixed(*range(1, len(call.inputs)))
    sparse = call.attribute("num_sparse")
    shapes = [tf.TensorShape(shape) for shape in call.attribute("dense_shapes")]
    parsed = tf.raw_ops.ParseExampleV2(
        serialized=call.inputs[0].tensor,
        names=tf.constant([], tf.string),
        sparse_keys=tf.constant(call.attribute("sparse_keys"), tf.string, [sparse]),
        dense_keys=tf.constant(call.attribute("dense_keys"), tf.string, [len(shapes)]),
        ragged_keys=tf.constant([], tf.string),
        dense_defaults=[value.tensor for value in call.inputs[1:]],
        num_sparse=sparse,
        sparse_types=call.attribute("sparse_types"),
        ragged_value_types=[],
        ragged_split_types=[],
        dense_shapes=shapes,
        name=name_of(call.op),
    )
    return [*[None] * (3 * sparse), *_of_fixed_shape(parsed.dense_values, shapes)]


@rule("parse_example", may_fail=True)
def _parse(call: Call) -> List[Any]:
    call.require_fixed(*range(1, len(call.inputs)))
    serialized, _, *rest = (value.tensor for value in call.inputs)
    if call.inputs[0].rank:
        raise NoRuleError("several records are parsed in one element")
    outputs = call.copied([serialized, tf.constant([], tf.string), *rest])
    shapes = [tf.TensorShape(shape) for shape in call.attribute("dense_shapes")]
    sparse, ragged = 3 * call.attribute("num_sparse"), 2 * len(call.attribute("ragged_value_types"))
    dense = _of_fixed_shape(outputs[sparse : sparse + len(shapes)], shapes)
    return [*[None] * sparse, *dense, *[None] * ragged]


def _of_fixed_shape(tensors: List[Any], shapes: List[Any]) -> List[Any]:
    """*tensors*, but none where a batch pads its rows to the longest."""
    return [tensor if shape.is_fully_defined() else None for tensor, shape in zip(tensors, shapes)]


@rule("decode_csv", may_fail=True)
def _csv(call: Call) -> List[Any]:
    call.require_fixed(*range(1, len(call.inputs)))
    return call.copied()


@rule("decode_raw", may_fail=True)
def _raw(call: Call) -> List[Any]:
    """All strings have to be of one length then: by what is known of them, or of what comes after."""
    is_known = call.op.outputs[0].shape.is_fully_defined() or call.length is not None
    if not is_known and not _is_only_reshaped(call.op):
        raise NoRuleError("its records may differ in length")
    return call.copied()


def _is_only_reshaped(op: Any) -> bool:
    """Whether an element of another length would always fail."""
    users = op.outputs[0].consumers()
    shapes = [user.outputs[0].shape for user in users if user.type == "Reshape"]
    constant = all(tf.get_static_value(user.inputs[1]) is not None for user in users if user.type == "Reshape")
    return len(shapes) == len(users) > 0 and constant and all(shape.is_fully_defined() for shape in shapes)


@rule("decode_padded_raw", may_fail=True)
def _padded_raw(call: Call) -> List[Any]:
    call.require_fixed(1)
    return call.copied()
