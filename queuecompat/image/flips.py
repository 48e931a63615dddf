"""Mirror images and quarter turns: TensorFlow's own functions, which have TF1's results.

Handled here is only an image whose rank the graph does not know, such as the output of ``decode_image``. TF1 treated it
as a single image; in TensorFlow 2.x ``rot90`` and ``transpose_image`` fail on it, and the other functions lose the
rank.
"""

from __future__ import annotations

from typing import Any, Optional

import tensorflow as tf

from queuecompat.image._forms import taken_for_one_image

__all__ = [
    "flip_left_right",
    "flip_up_down",
    "random_flip_left_right",
    "random_flip_up_down",
    "rot90",
    "transpose",
    "transpose_image",
]


def flip_left_right(image: Any) -> tf.Tensor:
    """The mirror image.

    Args:
      image: ``[height, width, channels]`` or ``[n, height, width, channels]``.
    Returns:
      The same shape and dtype.
    Raises:
      ValueError: a different rank.
      tf.errors.InvalidArgumentError: at run time, an image of unknown rank is not a single image.
    Differs from TF1: An image of unknown rank that is a batch at run time is an error; TF1 mirrored it along the wrong
      axis.
    Source: TF 1.15.5 ``python/ops/image_ops_impl.py``.
    """
    return tf.compat.v1.image.flip_left_right(taken_for_one_image(image))


def flip_up_down(image: Any) -> tf.Tensor:
    """The image upside down. Arguments and errors as ``flip_left_right``."""
    return tf.compat.v1.image.flip_up_down(taken_for_one_image(image))


def random_flip_left_right(image: Any, seed: Optional[int] = None) -> tf.Tensor:
    """The image or its mirror image, equally likely; drawn for each image of a batch.

    Args:
      image: ``[height, width, channels]`` or ``[n, height, width, channels]``.
      seed: random seed. As in TF1, a single image is flipped if its random number is *below* one half, and an image
        of a batch if it is *above*: the result for a batch of one is not that for the image alone.
    Returns:
      The same shape and dtype.
    Raises:
      ValueError: a different rank.
      tf.errors.InvalidArgumentError: at run time, an image of unknown rank is not a single image.
    Differs from TF1: An image of unknown rank that is a batch at run time is an error; TF1 mirrored it along the wrong
      axis.
    Source: TF 1.15.5 ``python/ops/image_ops_impl.py``.
    """
    return tf.compat.v1.image.random_flip_left_right(taken_for_one_image(image), seed=seed)


def random_flip_up_down(image: Any, seed: Optional[int] = None) -> tf.Tensor:
    """The image, unchanged or upside down, equally likely. Arguments and errors as ``random_flip_left_right``."""
    return tf.compat.v1.image.random_flip_up_down(taken_for_one_image(image), seed=seed)


def rot90(image: Any, k: Any = 1, name: Optional[str] = None) -> tf.Tensor:
    """The image turned counter-clockwise by *k* quarters.

    Args:
      image: ``[height, width, channels]`` or ``[n, height, width, channels]``.
      k: scalar int, a number or a tensor; negative: clockwise.
      name: for the ops.
    Returns:
      The same dtype; height and width are exchanged if *k* is odd.
    Raises:
      ValueError: a different rank, or *k* is not a scalar.
      tf.errors.InvalidArgumentError: at run time, an image of unknown rank is not a single image.
    Differs from TF1: None known.
    Source: TF 1.15.5 ``python/ops/image_ops_impl.py``.
    """
    return tf.compat.v1.image.rot90(taken_for_one_image(image), k=k, name=name)


def transpose(image: Any, name: Optional[str] = None) -> tf.Tensor:
    """The image with height and width exchanged. Arguments and errors as ``rot90``."""
    return tf.compat.v1.image.transpose(taken_for_one_image(image), name=name)


transpose_image = transpose
