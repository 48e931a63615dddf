"""Shapes that the user promised and the graph does not know: checked at run time, as TF1's queues did."""

from __future__ import annotations

import tensorflow as tf

__all__ = ["checked"]


def checked(tensor: tf.Tensor, shape: tf.TensorShape) -> tf.Tensor:
    """*tensor*, with an InvalidArgumentError at run time where *shape* says more than the graph and is wrong."""
    if shape.rank is None:
        return tensor
    is_known = tensor.shape.rank is not None and all(
        have is not None or want is None for have, want in zip(tensor.shape.as_list(), shape.as_list())
    )
    return tensor if is_known else tf.ensure_shape(tensor, shape)
