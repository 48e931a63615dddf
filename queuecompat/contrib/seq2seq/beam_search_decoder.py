"""Copies of each sequence, one for each beam. The search itself is not available.

Source: TF 1.15.5 ``contrib/seq2seq/python/ops/beam_search_decoder.py``.
"""

from __future__ import annotations

from typing import Any, Optional

import tensorflow.compat.v1 as tf

__all__ = ["tile_batch"]


def tile_batch(t: Any, multiplier: Any, name: Optional[str] = None) -> Any:
    """Repeats each example: ``[n * multiplier, ...]``.

    Args:
      t: ``[n, ...]``, or a structure of such.
      multiplier: how often.
    Raises:
      ValueError: the rank of a tensor is not known, or is 0.
    Differs from TF1: None known.
    """
    with tf.name_scope(name, "tile_batch", [*tf.nest.flatten(t), multiplier]):
        return tf.nest.map_structure(lambda one: _tiled(one, multiplier), t)


def _tiled(tensor: Any, multiplier: Any) -> Any:
    tensor = tf.convert_to_tensor(tensor, name="t")
    if not tensor.shape.ndims:
        raise ValueError(f"t must have a known rank of at least 1, but has shape {tensor.shape}")
    shape = tf.shape(tensor)
    repeated = tf.tile(tf.expand_dims(tensor, 1), [1, multiplier] + [1] * (tensor.shape.ndims - 1))
    tiled = tf.reshape(repeated, tf.concat([[shape[0] * multiplier], shape[1:]], 0))
    count, times = tensor.shape.as_list()[0], tf.get_static_value(tf.convert_to_tensor(multiplier))
    tiled.set_shape([None if count is None or times is None else count * int(times), *tensor.shape.as_list()[1:]])
    return tiled
