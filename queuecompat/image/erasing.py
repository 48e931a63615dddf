"""Cutout: overwrites a random square of each image."""

from __future__ import annotations

from typing import Any, Optional

import tensorflow as tf

from queuecompat.image._forms import as_image, on_batch, sides

__all__ = ["cutout"]


def cutout(image: Any, size: Any, fill: Any = 0, seed: Optional[int] = None) -> tf.Tensor:
    """The image with a random square overwritten; each image of a batch has its own square.

    Every pixel is equally likely to be the centre, so near a border part of the square is outside the image, as in
    the paper of the same name (DeVries and Taylor, 2017).

    Args:
      image: ``[height, width, channels]`` or ``[n, height, width, channels]``, of any dtype.
      size: side of the square, in pixels: a number, or a scalar int32 tensor.
      fill: the new value: a number, one for each channel, or anything that broadcasts to the image.
      seed: random seed.
    Returns:
      The same shape and dtype.
    Raises:
      ValueError: the image has a different rank, or *size* is negative.
      TypeError, ValueError: *fill* has a different type than the image.
    """
    if isinstance(size, int) and size < 0:
        raise ValueError(f"cutout: size is {size}; it must not be negative")
    with tf.name_scope("cutout"):
        tensor = as_image(image, "cutout")
        paint = tf.convert_to_tensor(fill, tensor.dtype, name="fill")
        return on_batch(tensor, lambda images: _painted_over(images, size, paint, seed))


def _painted_over(images: tf.Tensor, size: Any, paint: tf.Tensor, seed: Optional[int]) -> tf.Tensor:
    count, height, width, channels = sides(images)
    draws = tf.random.uniform([count, 2], maxval=tf.int32.max, dtype=tf.int32, seed=seed)

    def is_within(axis: int, length: Any, along: tf.Tensor) -> tf.Tensor:
        """``[n, positions]``: whether the square covers each position."""
        first = draws[:, axis : axis + 1] % length - size // 2
        return tf.logical_and(along >= first, along < first + size)

    # Pixels and channels in one dimension, since broadcasting to a last dimension of 3 takes five times as long.
    is_row = is_within(0, height, tf.range(height))
    is_column = is_within(1, width, tf.range(width * channels) // channels)
    is_covered = tf.logical_and(is_row[:, :, tf.newaxis], is_column[:, tf.newaxis])
    if paint.shape.rank != 0:
        paint = tf.reshape(tf.broadcast_to(paint, tf.shape(images)), tf.shape(is_covered))
    result = tf.where(is_covered, paint, tf.reshape(images, tf.shape(is_covered)))
    result = tf.reshape(result, tf.shape(images))
    result.set_shape(images.shape)
    return result
