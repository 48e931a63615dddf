"""Sequences whose length has to be a multiple of the segments' length: pads them to it, or checks them."""

from __future__ import annotations

import numbers
from typing import Any, Dict, Tuple

import tensorflow as tf

from queuecompat._native.sparse_sequences import is_sparse

__all__ = ["checked_multiples", "padded"]


def padded(sequences: Dict[str, Any], num_unroll: Any) -> Tuple[Any, Dict[str, Any]]:
    """Pads *sequences* with 0, "" or False to a multiple of *num_unroll*.

    Returns:
      Their length before padding, scalar int32, and the padded sequences.
    Raises:
      ValueError: *num_unroll* is not an integer.
      TypeError: a key is not a string.
      tf.errors.InvalidArgumentError: at run time, their lengths differ.
    """
    if not isinstance(num_unroll, numbers.Integral):
        raise ValueError(f"num_unroll must be an integer, not {num_unroll!r}")
    for name in sequences:
        if not isinstance(name, str):
            raise TypeError(f"the keys of sequences must be strings, not {name!r}")
    if not sequences:
        return 0, {}
    values = {n: v if is_sparse(v) else tf.convert_to_tensor(v) for n, v in sorted(sequences.items())}
    length = _length(values)
    goal = length + (-length) % num_unroll
    return length, {name: _grown(value, goal) for name, value in values.items()}


def checked_multiples(sequences: Dict[str, Any], num_unroll: int) -> Dict[str, Any]:
    """*sequences*, with an InvalidArgumentError at run time if a length is 0 or not a multiple of *num_unroll*.

    Raises:
      TypeError: a value cannot be converted to a tensor.
    """
    return {name: _checked_multiple(name, value, num_unroll) for name, value in sequences.items()}


def _length(values: Dict[str, Any]) -> tf.Tensor:
    lengths = [tf.shape(value)[0] for value in values.values() if not is_sparse(value)]
    if not lengths:
        return tf.reduce_max([tf.cast(value.dense_shape[0], tf.int32) for value in values.values()])
    are_equal = [
        tf.compat.v1.Assert(tf.equal(n, lengths[0]), ["sequences differ in length:", lengths]) for n in lengths
    ]
    with tf.control_dependencies(are_equal):
        return tf.identity(lengths[0])


def _grown(value: Any, goal: tf.Tensor) -> Any:
    if is_sparse(value):
        shape = tf.concat([[tf.cast(goal, tf.int64)], value.dense_shape[1:]], 0)
        return tf.SparseTensor(value.indices, value.values, shape)
    shape = tf.shape(value)
    return tf.concat([value, tf.zeros(tf.concat([[goal - shape[0]], shape[1:]], 0), value.dtype)], 0)


def _checked_multiple(name: str, value: Any, num_unroll: int) -> Any:
    if is_sparse(value):
        value = tf.SparseTensor(value.indices, value.values, value.dense_shape)
        with tf.control_dependencies([_require_multiple(name, value.dense_shape[0], num_unroll)]):
            parts = (value.indices, value.values, value.dense_shape)
            return tf.SparseTensor(*(tf.identity(part) for part in parts))
    value = tf.convert_to_tensor(value)
    with tf.control_dependencies([_require_multiple(name, tf.shape(value)[0], num_unroll)]):
        return tf.identity(value)


def _require_multiple(name: str, length: tf.Tensor, num_unroll: int) -> tf.Operation:
    told = [f"sequence '{name}' must have a multiple of {num_unroll} steps (pad=True pads it), but has:", length]
    return tf.compat.v1.Assert(tf.equal(length % num_unroll, 0) & tf.not_equal(length, 0), told)
