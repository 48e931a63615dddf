"""Layers without weights. Source: TF 1.15.5 ``contrib/layers/python/layers/layers.py``."""

from __future__ import annotations

from typing import Any, Optional

import tensorflow.compat.v1 as tf

from queuecompat.contrib.framework.arg_scopes import add_arg_scope

__all__ = ["flatten", "one_hot_encoding", "safe_embedding_lookup_sparse"]

safe_embedding_lookup_sparse = tf.nn.safe_embedding_lookup_sparse


@add_arg_scope
def flatten(inputs: Any, outputs_collections: Any = None, scope: Optional[str] = None) -> tf.Tensor:
    """``[n, ...]`` to ``[n, k]``; ``[n]`` to ``[n, 1]``.

    Args:
      outputs_collections: names of collections that the result is added to.
      scope: name scope.
    Raises:
      ValueError: the rank is unknown, or 0.
    Differs from TF1: None known.
    """
    with tf.name_scope(scope, "Flatten", [inputs]):
        tensor = tf.convert_to_tensor(inputs)
        if not tensor.shape.rank:
            raise ValueError(f"flatten: inputs have shape {tensor.shape}; they must have a known rank of at least 1")
        sides = tensor.shape.as_list()
        rest = None if None in sides[1:] else tf.TensorShape(sides[1:]).num_elements()
        flat = tf.reshape(tensor, tf.stack([tf.shape(tensor)[0], -1 if rest is None else rest]))
        flat.set_shape([sides[0], rest])
        return _collected(flat, outputs_collections)


@add_arg_scope
def one_hot_encoding(
    labels: Any,
    num_classes: Any,
    on_value: Any = 1.0,
    off_value: Any = 0.0,
    outputs_collections: Any = None,
    scope: Optional[str] = None,
) -> tf.Tensor:
    """``tf.one_hot``: ``[n]`` to ``[n, num_classes]``. *outputs_collections*, *scope*: as ``flatten``."""
    with tf.name_scope(scope, "OneHotEncoding", [labels, num_classes]):
        tensor = tf.convert_to_tensor(labels)
        if tensor.dtype == tf.int32:
            tensor = tf.cast(tensor, tf.int64)
        encoded = tf.one_hot(tensor, num_classes, on_value=on_value, off_value=off_value)
        return _collected(encoded, outputs_collections)


def _collected(tensor: tf.Tensor, collections: Any) -> tf.Tensor:
    if collections:
        tf.add_to_collections(collections, tensor)
    return tensor
