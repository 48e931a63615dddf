"""Elementwise ops, with broadcasting: on a batch they are the same op.

If an element has a lower rank than the others, dimensions of size 1 are inserted after the batch dimension, so that its
own dimensions remain the last ones.
"""

from __future__ import annotations

from typing import Any, List

import tensorflow as tf

from queuecompat._analysis.batched.rules.table import rule
from queuecompat._analysis.batched.values import Call, NoRuleError, Value
from queuecompat._analysis.batched.windows import Windows

__all__: List[str] = []


@rule("unchanged")
def _same(call: Call) -> List[Any]:
    return [call.inputs[0]]


@rule("unary", each_item=True)
def _unary(call: Call) -> List[Any]:
    return call.copied()


@rule("cast", each_item=True)
def _cast(call: Call) -> List[Any]:
    # What a value too large for the integer type becomes depends on the processor, and on its position in the tensor.
    if call.attribute("SrcT").is_floating and call.attribute("DstT").is_integer:
        raise NoRuleError("a cast from floating point to integers may overflow")
    (given,) = call.inputs
    return [given.cast(call.attribute("DstT"))] if isinstance(given, Windows) else call.copied()


@rule("to_number", may_fail=True, each_item=True)
def _to_number(call: Call) -> List[Any]:
    return call.copied()


@rule("broadcast", each_item=True)
def _broadcast(call: Call) -> List[Any]:
    return call.copied(aligned(call.inputs))


def _divides_by_zero(call: Call) -> bool:
    """Whether a division may fail: only one of integers, by a number that is 0 or not known."""
    if call.attribute("T").is_floating:
        return False
    divisor = call.inputs[1]
    known = None if divisor.is_row else tf.get_static_value(divisor.tensor)
    return known is None or not known.all()


@rule("divide", may_fail=_divides_by_zero, each_item=True)
def _divide(call: Call) -> List[Any]:
    return call.copied(aligned(call.inputs))


@rule("select", each_item=True)
def _select(call: Call) -> List[Any]:
    condition, chosen, _ = call.inputs
    if condition.rank not in (0, chosen.rank):
        raise NoRuleError("its condition is a vector, which chooses among the rows of an element")
    if not condition.is_row:
        return [tf.raw_ops.SelectV2(condition=condition.tensor, t=call.stacked(1), e=call.stacked(2))]
    # With a vector as its condition, Select chooses whole rows.
    return [tf.raw_ops.Select(condition=condition.tensor, x=call.stacked(1), y=call.stacked(2))]


def aligned(values: List[Value]) -> List[Any]:
    """Returns the tensors of *values*; those with rows get the rank of the largest."""
    top = max(value.rank for value in values)
    return [_raised(value, top - value.rank) for value in values]


def _raised(value: Value, missing: int) -> Any:
    if not value.is_row or not missing:
        return value.tensor
    return tf.reshape(value.tensor, [-1, *[1] * missing, *value.dimensions])
