"""Parts of elements: the same part of each, or a different one of each (a random crop)."""

from __future__ import annotations

from typing import Any, List

import numpy as np
import tensorflow as tf

from queuecompat._analysis.batched.folding import static_value
from queuecompat._analysis.batched.rules.table import rule
from queuecompat._analysis.batched.values import Call, NoRuleError, Value
from queuecompat._analysis.batched.windows import Windows

__all__: List[str] = []

_MASKS = ("begin_mask", "ellipsis_mask", "end_mask", "new_axis_mask", "shrink_axis_mask")


def _may_lie_outside(call: Call) -> bool:
    return any(place.is_row for place in call.inputs[1:]) or not call.inputs[0].shape.is_fully_defined()


@rule("slice", may_fail=_may_lie_outside)
def _slice(call: Call) -> List[Any]:
    given, begin, sizes = call.inputs
    size = [int(n) for n in sizes.constant]
    if begin.is_row:
        return [_windows(call, given, begin.tensor, size)]
    first = [int(n) for n in begin.constant]
    return [tf.slice(given.tensor, [0, *first], [-1, *size])]


@rule("strided_slice", may_fail=_may_lie_outside)
def _strided(call: Call) -> List[Any]:
    given, *places = call.inputs
    if any(place.is_row for place in places):
        return [_item(call)]
    begin, end, strides = (place.constant for place in places)
    masks = {name: call.attribute(name) << 1 for name in _MASKS}
    for name in ("begin_mask", "end_mask"):
        masks[name] |= 1
    shifted = [np.concatenate([[first], one]).astype(one.dtype) for first, one in ((0, begin), (0, end), (1, strides))]
    return call.copied([given.tensor, *shifted], **masks)


def _item(call: Call) -> Any:
    """Computes ``x[i]`` where *i* differs between elements."""
    given, begin, _, strides = call.inputs
    others = {name: call.attribute(name) for name in _MASKS}
    is_one = others.pop("shrink_axis_mask") == 1 and not any(others.values()) and begin.is_row
    if not is_one or begin.dimensions != [1] or strides.is_row:
        raise NoRuleError("the bounds of a slice differ from element to element")
    size = given.dimensions[0]
    index = begin.tensor[:, 0]
    index = tf.where(index < 0, index + size, index)
    if not given.is_row:
        return tf.gather(given.tensor, index)
    return tf.gather(given.tensor, index, axis=1, batch_dims=1)


# Larger windows (in numbers) are faster one by one, since RaggedGather copies number by number. Processor time relative
# to that one by one, TF 2.21: 0.7 for 2 and for 8 thousand numbers, 1.6 for 17 thousand.
LARGEST_WINDOW = 12_000


def _windows(call: Call, given: Value, begin: Any, size: List[int]) -> Windows:
    whole = given.dimensions
    if not given.is_row or -1 in size or 0 in size:
        raise NoRuleError("the size of a slice differs from element to element")
    if int(np.prod(size)) > LARGEST_WINDOW:
        raise NoRuleError(f"a window of {int(np.prod(size))} numbers is faster one by one")
    first = tf.cast(begin, tf.int64)
    if not _is_always_inside(call.op.inputs[1].op, np.array(whole) - np.array(size)):
        is_inside = tf.reduce_all((first >= 0) & (first + np.array(size, np.int64) <= np.array(whole, np.int64)))
        inside = tf.raw_ops.Assert(
            condition=is_inside, data=[tf.constant("a slice lies outside of its element"), begin]
        )
        with tf.control_dependencies([inside]):
            first = tf.identity(first)
    return Windows(call, given, first, size)


def _is_always_inside(begin: Any, room: np.ndarray) -> bool:
    """Whether *begin*, an op of the user's graph, is a remainder (FloorMod) that is never larger than *room*."""
    divisor = static_value(begin.inputs[1]) if begin.type == "FloorMod" else None
    return divisor is not None and bool(np.all((divisor > 0) & (divisor - 1 <= room)))
