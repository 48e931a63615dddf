"""Parses and decodes records: the ops have a form for many records, or take strings of any shape."""

from __future__ import annotations

from typing import Any, Dict, List, Sequence

import tensorflow as tf

from queuecompat._analysis.batched.rules.ragged import splits_of, tried
from queuecompat._analysis.batched.rules.table import rule
from queuecompat._analysis.batched.values import Call, LengthVector, NoRuleError, Ragged, SparseIndices, name_of
from queuecompat._analysis.op_facts import FACTS

__all__: List[str] = []


@rule("parse_single_example", may_fail=True)
def _parse_single(call: Call) -> List[Any]:
    call.require_fixed(*range(1, len(call.inputs)))
    keys = _Keys(
        call,
        sparse=call.attribute("sparse_keys"),
        dense=call.attribute("dense_keys"),
        defaults=[value.tensor for value in call.inputs[1:]],
    )
    return keys.parsed()


@rule("parse_example", may_fail=True)
def _parse(call: Call) -> List[Any]:
    call.require_fixed(*range(1, len(call.inputs)))
    if call.inputs[0].rank:
        raise NoRuleError("it parses several records for one element")
    _, _, sparse, dense, ragged, *defaults = call.inputs
    keys = _Keys(
        call,
        sparse=sparse.constant.tolist(),
        dense=dense.constant.tolist(),
        defaults=[value.tensor for value in defaults],
    )
    return [*keys.parsed(), *[None] * (2 * ragged.constant.size)]


class _Keys:
    """The features that an op parses, for whole batches.

    Features that differ in length are parsed as ragged features, since the op's own batch form would return them padded
    or sparse.
    """

    def __init__(self, call: Call, *, sparse: Sequence[bytes], dense: Sequence[bytes], defaults: Sequence[Any]) -> None:
        self._call = call
        self._sparse = list(zip(sparse, call.attribute("sparse_types")))
        shapes = [tf.TensorShape(shape) for shape in call.attribute("dense_shapes")]
        self._dense = list(zip(dense, defaults, shapes))

    def parsed(self) -> List[Any]:
        fixed = [one for one in self._dense if one[2].is_fully_defined()]
        open_ended = [(key, default.dtype) for key, default, shape in self._dense if shape.as_list() == [None]]
        ragged = [*self._sparse, *open_ended] if self._call.pads else []
        outputs = tf.raw_ops.ParseExampleV2(
            serialized=self._call.inputs[0].tensor,
            names=tf.constant([], tf.string),
            sparse_keys=tf.constant([], tf.string),
            dense_keys=tf.constant([key for key, _, _ in fixed], tf.string, [len(fixed)]),
            ragged_keys=tf.constant([key for key, _ in ragged], tf.string, [len(ragged)]),
            dense_defaults=[default for _, default, _ in fixed],
            num_sparse=0,
            sparse_types=[],
            ragged_value_types=[dtype for _, dtype in ragged],
            ragged_split_types=[tf.int64] * len(ragged),
            dense_shapes=[shape for _, _, shape in fixed],
            name=name_of(self._call.op),
        )
        found: Dict[bytes, Any] = {key: tensor for (key, _, _), tensor in zip(fixed, outputs.dense_values)}
        rows = zip(ragged, outputs.ragged_values, outputs.ragged_row_splits)
        found.update((key, Ragged(values, splits)) for (key, _), values, splits in rows)
        return [*self._sparse_outputs(found), *(found.get(key) for key, _, _ in self._dense)]

    def _sparse_outputs(self, found: Dict[bytes, Any]) -> List[Any]:
        values = [found.get(key) for key, _ in self._sparse]
        indices = [None if one is None else _indices(one) for one in values]
        shapes = [None if one is None else LengthVector(one, tf.int64) for one in values]
        return [*indices, *values, *shapes]


def _indices(values: Ragged) -> SparseIndices:
    starts = values.splits[:-1]
    within = tf.raw_ops.RaggedRange(
        starts=tf.zeros_like(starts), limits=values.lengths, deltas=tf.ones([], tf.int64), Tsplits=tf.int64
    )
    return SparseIndices(tf.expand_dims(within.rt_dense_values, 1), values.splits)


@rule("decode_csv", may_fail=True)
def _csv(call: Call) -> List[Any]:
    call.require_fixed(*range(1, len(call.inputs)))
    return call.copied()


@rule("decode_raw", may_fail=True)
def _raw(call: Call) -> List[Any]:
    """Requires strings of one length, which is known, or enforced by the ops that follow."""
    is_known = call.op.outputs[0].shape.is_fully_defined() or call.length is not None
    if not is_known and not _has_one_length(call.op.outputs[0]):
        if not call.pads or call.inputs[0].rank:
            raise NoRuleError("its records may differ in length")
        return [_decoded_together(call)]
    return call.copied()


def _decoded_together(call: Call) -> Ragged:
    """Decodes strings of different lengths as one string."""
    strings, size = call.stacked(0), call.op.outputs[0].dtype.size
    lengths = tf.cast(tf.strings.length(strings), tf.int64)
    one = tried(call, tf.not_equal(lengths % size, 0), lambda row: [strings[row]])
    with tf.control_dependencies([one]):
        strings = tf.identity(strings)
    (numbers,) = call.copied([tf.strings.reduce_join(strings)])
    return Ragged(numbers, splits_of(lengths // size))


def _has_one_length(tensor: Any) -> bool:
    """Whether each op that uses *tensor*, a vector, fails on any other length than one that the program has stated."""
    users = tensor.consumers()
    return bool(users) and all(_requires_length(user, tensor) for user in users)


def _requires_length(user: Any, tensor: Any) -> bool:
    if user.type == "Reshape":
        is_constant = tf.get_static_value(user.inputs[1]) is not None
        return is_constant and bool(user.outputs[0].shape.is_fully_defined())
    others = [one for one in user.inputs if one is not tensor]
    if user.type not in FACTS or not FACTS[user.type].each_number or any(one.shape.rank != 0 for one in others):
        return False
    return all(bool(passed.shape.is_fully_defined()) or _has_one_length(passed) for passed in user.outputs)


@rule("decode_padded_raw", may_fail=True)
def _padded_raw(call: Call) -> List[Any]:
    call.require_fixed(1)
    return call.copied()
