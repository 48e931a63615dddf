"""Ops on elements that differ in length, represented by the items of all elements and the begin of each element.

An elementwise op runs on all items at once (the ids of a text are such items). An op that moves items computes where
each comes from.

Rule 1: Two such values have the same lengths if and only if they share one tensor of ``splits``.
Rule 2: If an op may fail on some elements, the user's own op is run on the first element on which it fails, so that the
        error is the op's own. If it fails on none, it is run on the first element.
"""

from __future__ import annotations

from typing import Any, Callable, List, Optional, Sequence

import tensorflow as tf

from queuecompat._analysis.batched.rules.table import RAGGED_RULES, RULES, ragged_rule, rule
from queuecompat._analysis.batched.values import Call, LengthVector, NoRuleError, Ragged, SparseIndices, Value

__all__ = ["filled", "of_ragged", "splits_of", "tried"]

_MANY = "its elements differ in length"
_UNLIKE = "its inputs may differ in length"
_MASKS = ("ellipsis_mask", "new_axis_mask", "shrink_axis_mask")


def of_ragged(name: str, call: Call) -> Sequence[Any]:
    """Returns the outputs of *call*, some of whose inputs differ in length, using the rule called *name*."""
    if name in RAGGED_RULES:
        return RAGGED_RULES[name](call)
    rule = RULES[name]
    if not rule.each_item:
        raise NoRuleError(_MANY)
    first = next(value for value in call.inputs if isinstance(value, Ragged))
    items = [_items(value, first, rule.broadcasts) for value in call.inputs]
    outputs = rule.rewrite(Call(call.op, items, lambda: tf.shape(first.flat)[0]))
    return [Ragged(one.tensor if isinstance(one, Value) else one, first.splits) for one in outputs]


def _items(value: Value, first: Ragged, broadcasts: bool) -> Value:
    """Returns *value* with a row for each item of *first*."""
    if isinstance(value, Ragged):
        if value.splits is not first.splits:
            raise NoRuleError(_UNLIKE)
        return Value(value.flat, True)
    if value.is_row:
        if value.rank:
            raise NoRuleError(_UNLIKE)
        element_of_each = tf.searchsorted(first.splits[1:], tf.range(first.splits[-1]), side="right")
        return Value(tf.gather(value.tensor, element_of_each), True)
    if broadcasts and value.rank >= first.rank:
        raise NoRuleError(_UNLIKE)
    return value


def splits_of(lengths: Any) -> Any:
    """Returns the position of each element's begin, and of the last one's end."""
    return tf.concat([tf.zeros([1], tf.int64), tf.cumsum(tf.cast(lengths, tf.int64))], 0)


def tried(call: Call, is_bad: Any, inputs: Callable[[Any], List[Any]]) -> Any:
    """Runs the op itself on the first element for which *is_bad* is true, so that it raises its own error.

    Args:
      inputs: returns the op's inputs for the element with a given number.
    Returns:
      An op that everything that the op outputs must wait for.
    """
    (one,) = call.copied(inputs(tf.argmax(tf.cast(is_bad, tf.int32))))
    # TensorFlow prunes ops that are only control inputs, unless they have an effect.
    return tf.raw_ops.Assert(condition=tf.size(one) >= 0, data=[tf.size(one)])


def filled(call: Call) -> Ragged:
    """Returns vectors whose lengths the first input states, filled with the second input."""
    counts, value = call.inputs
    if counts.dimensions != [1]:
        raise NoRuleError("its output is not a vector")
    if isinstance(counts, LengthVector):
        splits = counts.splits
    else:
        lengths = counts.tensor[:, 0]
        first = tried(call, lengths < 0, lambda row: [counts.tensor[row], _of(value, row)])
        with tf.control_dependencies([first]):
            lengths = tf.identity(lengths)
        splits = splits_of(lengths)
    total = tf.reshape(splits[-1], [1])
    if not value.is_row:
        return Ragged(tf.fill(total, value.tensor), splits)
    same = Ragged(tf.zeros(total, tf.bool), splits)
    return Ragged(_items(value, same, True).tensor, splits)


def _of(value: Value, row: Any) -> Any:
    """Returns *value* for the element with the number *row*."""
    if isinstance(value, Ragged):
        return value.flat[value.splits[row] : value.splits[row + 1]]
    return value.tensor[row] if value.is_row else value.tensor


@ragged_rule("unchanged")
def _unchanged(call: Call) -> List[Any]:
    return [call.inputs[0]]


@ragged_rule("ensure_shape")
def _ensure(call: Call) -> List[Any]:
    if not call.inputs[0].shape.is_subtype_of(tf.TensorShape(call.attribute("shape"))):
        raise NoRuleError(_MANY)
    return [call.inputs[0]]


@ragged_rule("shape")
def _shape(call: Call) -> List[Any]:
    given = call.inputs[0]
    assert isinstance(given, Ragged)
    if call.op.type == "Rank":
        return [Value(tf.constant(given.rank), False)]
    dtype, inner = call.attribute("out_type"), given.flat.shape[1:]
    if call.op.type == "Size":
        return [tf.cast(given.lengths * int(inner.num_elements() or 0), dtype)]
    if given.rank == 1:
        return [LengthVector(given, dtype)]
    lengths = tf.cast(given.lengths, dtype)
    return [tf.stack([lengths, *(tf.fill(tf.shape(lengths), tf.constant(n, dtype)) for n in inner.as_list())], 1)]


@rule("sparse_to_dense", may_fail=True)
def _never(call: Call) -> List[Any]:
    raise NoRuleError("its SparseTensor is not as it was parsed")


@ragged_rule("sparse_to_dense")
def _to_dense(call: Call) -> List[Any]:
    """Returns the values as they are: for vectors without omitted items, the dense vector equals the sparse one."""
    indices, size, values, _ = call.inputs
    if not (isinstance(indices, SparseIndices) and isinstance(size, LengthVector) and isinstance(values, Ragged)):
        raise NoRuleError("its SparseTensor is not as it was parsed")
    if not indices.splits is size.splits is values.splits:
        raise NoRuleError("its SparseTensor is not as it was parsed")
    return [Ragged(values.flat, values.splits)]


@ragged_rule("slice")
def _slice(call: Call) -> List[Any]:
    given, begin, size = call.inputs
    if not isinstance(given, Ragged) or given.rank != 1:
        raise NoRuleError(_MANY)
    length = given.lengths
    first, count = (tf.cast(_number(one), tf.int64) for one in (begin, size))
    end = tf.where(tf.equal(count, -1), length, first + count)
    is_bad = (first < 0) | (end < first) | (end > length) | (count < -1)
    one = tried(call, is_bad, lambda row: [_of(given, row), _of(begin, row), _of(size, row)])
    with tf.control_dependencies([one]):
        end = tf.identity(end)
    return [_parts(given, tf.zeros_like(length) + first, end)]


def _number(value: Value) -> Any:
    """Returns the single number of a vector."""
    if value.dimensions != [1]:
        raise NoRuleError(_MANY)
    return value.tensor[:, 0] if value.is_row else value.tensor[0]


def _parts(given: Ragged, begin: Any, end: Any) -> Ragged:
    """Returns, for each element, the items from *begin* to *end*, which must be within it."""
    start = given.splits[:-1]
    places = tf.raw_ops.RaggedRange(
        starts=start + begin, limits=start + end, deltas=tf.ones([], tf.int64), Tsplits=tf.int64
    )
    return Ragged(tf.gather(given.flat, places.rt_dense_values), places.rt_nested_splits)


@ragged_rule("strided_slice")
def _strided(call: Call) -> List[Any]:
    given, begin, end, strides = call.inputs
    if not isinstance(given, Ragged) or any(call.attribute(name) for name in _MASKS):
        raise NoRuleError(_MANY)
    if strides.constant.tolist() != [1]:
        raise NoRuleError("its slice has a step")
    length = given.lengths
    first = _inside(None if call.attribute("begin_mask") else _number(begin), length, tf.zeros_like(length))
    last = _inside(None if call.attribute("end_mask") else _number(end), length, length)
    return [_parts(given, first, tf.maximum(first, last))]


def _inside(place: Optional[Any], length: Any, otherwise: Any) -> Any:
    """Returns *place*, limited to an element of that *length*; negative places count from the end, as in Python."""
    if place is None:
        return otherwise
    place = tf.cast(place, tf.int64)
    return tf.minimum(tf.maximum(tf.where(place < 0, place + length, place + tf.zeros_like(length)), 0), length)


@ragged_rule("concat")
def _concat(call: Call) -> List[Any]:
    """Concatenates vectors, such as a text between two marks."""
    parts, axis = (
        (call.inputs[:-1], call.inputs[-1]) if call.op.type == "ConcatV2" else (call.inputs[1:], call.inputs[0])
    )
    if int(axis.constant) or any(part.rank != 1 for part in parts):
        raise NoRuleError(_MANY)
    together = tf.concat([_as_ragged_tensor(call, part) for part in parts], 1)
    return [Ragged(together.values, together.row_splits)]


def _as_ragged_tensor(call: Call, part: Value) -> Any:
    if isinstance(part, Ragged):
        return tf.RaggedTensor.from_row_splits(part.flat, part.splits, validate=False)
    count = part.dimensions[0]
    rows = part.tensor if part.is_row else tf.tile(tf.expand_dims(part.tensor, 0), [call.rows, 1])
    splits = tf.range(tf.cast(call.rows, tf.int64) + 1) * count
    return tf.RaggedTensor.from_row_splits(tf.reshape(rows, [-1]), splits, validate=False)


@ragged_rule("expand_dims")
def _expand(call: Call) -> List[Any]:
    given, axis = call.inputs[0], int(call.inputs[1].constant.reshape([]))
    assert isinstance(given, Ragged)
    axis = axis % (given.rank + 1)
    if not axis:
        raise NoRuleError(_MANY)
    return [Ragged(tf.expand_dims(given.flat, axis), given.splits)]


@ragged_rule("reshape")
def _reshape(call: Call) -> List[Any]:
    """Reshapes to a vector, or to rows of one length."""
    given, wanted = call.inputs[0], [int(n) for n in call.inputs[1].constant]
    if not isinstance(given, Ragged) or wanted[:1] != [-1] or 0 in wanted or given.flat.shape.num_elements() == 0:
        raise NoRuleError(_MANY)
    inner = int(tf.TensorShape(given.flat.shape[1:]).num_elements() or 0)
    count = int(tf.TensorShape(wanted[1:]).num_elements() or 0)
    numbers = given.lengths * inner
    one = tried(call, tf.not_equal(numbers % count, 0), lambda row: [_of(given, row), call.inputs[1].tensor])
    with tf.control_dependencies([one]):
        flat = tf.identity(given.flat)
    return [Ragged(tf.reshape(flat, wanted), given.splits * inner // count)]
