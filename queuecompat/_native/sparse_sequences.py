"""Passes SparseTensors among sequences and context through a barrier, which only takes dense tensors.

A sequence ``[time, *step]`` becomes handles ``[time]`` of its steps in a SparseTensorsMap. A sparse context becomes a
sequence that has the context in the first step of each segment, and nothing in the others.
"""

from __future__ import annotations

from typing import Any, Dict, Tuple

import tensorflow as tf

__all__ = ["as_sequence", "is_sparse", "restored", "stored", "without_time"]


def is_sparse(value: Any) -> bool:
    return isinstance(value, (tf.SparseTensor, tf.compat.v1.SparseTensorValue))


def as_sequence(context: Any, padded_length: Any, num_unroll: int) -> tf.SparseTensor:
    """A sequence ``[padded_length, *context]`` with *context* at the times 0, *num_unroll*, 2 *num_unroll*, ..."""
    context = tf.SparseTensor(context.indices, context.values, context.dense_shape)
    length = tf.cast(padded_length, tf.int64)
    times = tf.range(0, length, num_unroll)
    count = tf.size(times)
    at = tf.repeat(times, tf.shape(context.indices)[0])
    return tf.SparseTensor(
        indices=tf.concat([at[:, tf.newaxis], tf.tile(context.indices, [count, 1])], 1),
        values=tf.tile(context.values, [count]),
        dense_shape=tf.concat([[length], context.dense_shape], 0),
    )


def without_time(sequence: tf.SparseTensor) -> tf.SparseTensor:
    """The contexts ``[batch, *context]`` of segments ``[batch, num_unroll, *context]``.

    The segments are those into which the result of ``as_sequence`` was cut.
    """
    shape = tf.concat([sequence.dense_shape[:1], sequence.dense_shape[2:]], 0)
    # All values are at time 0.
    indices = tf.concat([sequence.indices[:, :1], sequence.indices[:, 2:]], 1)
    return tf.SparseTensor(indices, sequence.values, shape)


def stored(sequences: Dict[str, Any]) -> Tuple[Dict[str, Any], Dict[str, tf.Tensor]]:
    """*sequences* with handles in place of SparseTensors, and a dict of these handles by name."""
    handles = {name: _handles(value) for name, value in sorted(sequences.items()) if is_sparse(value)}
    return {**sequences, **handles}, handles


def restored(taken: tf.Tensor, handles: tf.Tensor, dtype: tf.DType, batch_size: Any, num_unroll: int) -> Any:
    """The SparseTensor ``[batch_size, num_unroll, *step]`` for the handles *taken*, ``[n, num_unroll]``.

    Args:
      handles: the handles that ``stored`` returned; their op owns the map.
    """
    with tf.compat.v1.colocate_with(handles.op):
        indices, values, dense_shape = tf.raw_ops.TakeManySparseFromTensorsMap(
            sparse_handles=tf.reshape(taken, [-1]), dtype=dtype, shared_name=handles.op.name
        )
    row, time = indices[:, :1] // num_unroll, indices[:, :1] % num_unroll
    sizes = [tf.cast(size, tf.int64)[tf.newaxis] for size in (batch_size, num_unroll)]
    return tf.SparseTensor(tf.concat([row, time, indices[:, 1:]], 1), values, tf.concat([*sizes, dense_shape[1:]], 0))


def _handles(value: Any) -> tf.Tensor:
    return tf.raw_ops.AddManySparseToTensorsMap(
        sparse_indices=value.indices, sparse_values=value.values, sparse_shape=value.dense_shape
    )
