"""SparseTensors in a queue: each becomes one component, variants that refer to its parts.

Nothing is encoded or copied. TF1 kept the parts in a SparseTensorsMap and queued handles; the
variant is such a handle, without a map that must be cleaned up.
"""

from __future__ import annotations

from typing import Any, List, Sequence

import tensorflow as tf

__all__ = ["restored", "stored", "stored_spec"]

# The number of parts of a SparseTensor: indices, values, dense shape.
PARTS = 3


def stored(tensor: tf.SparseTensor, is_many: bool) -> tf.Tensor:
    """Returns *tensor* as variants ``[3]``; with *is_many*, as ``[n, 3]`` for the n rows along its first dimension."""
    op = tf.raw_ops.SerializeManySparse if is_many else tf.raw_ops.SerializeSparse
    return op(
        sparse_indices=tensor.indices,
        sparse_values=tensor.values,
        sparse_shape=tensor.dense_shape,
        out_type=tf.variant,
    )


def stored_spec(rows: Any) -> tf.TensorSpec:
    """Returns the spec of a batch of *rows* stored SparseTensors."""
    return tf.TensorSpec([rows, PARTS], tf.variant)


def restored(tensors: Sequence[tf.Tensor], reference: Sequence[Any]) -> List[Any]:
    """Returns the batch *tensors*, with stored components decoded where *reference* has a SparseTensor."""
    return [
        _restored(tensor, like) if isinstance(like, tf.SparseTensor) else tensor
        for tensor, like in zip(tensors, reference)
    ]


def _restored(variants: tf.Tensor, like: tf.SparseTensor) -> tf.SparseTensor:
    indices, values, dense_shape = tf.raw_ops.DeserializeSparse(serialized_sparse=variants, dtype=like.dtype)
    indices.set_shape(like.indices.shape)
    values.set_shape(like.values.shape)
    dense_shape.set_shape(like.dense_shape.shape)
    return tf.SparseTensor(indices, values, dense_shape)
