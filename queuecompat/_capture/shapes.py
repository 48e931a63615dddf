"""Run-time checks of shapes that the user declared and the graph does not know, as TF1's queues made them."""

from __future__ import annotations

import tensorflow as tf

__all__ = ["checked"]


def checked(tensor: tf.Tensor, shape: tf.TensorShape) -> tf.Tensor:
    """Returns *tensor*; where *shape* is more specific than its static shape, checked at run time.

    A mismatch is an InvalidArgumentError.
    """
    if shape.rank is None:
        return tensor
    is_known = tensor.shape.rank is not None and all(
        have is not None or want is None for have, want in zip(tensor.shape.as_list(), shape.as_list())
    )
    return tensor if is_known else tf.ensure_shape(tensor, shape)
