"""Resizing, under TF1's names and with TF1's pixel centres.

All but one of these are TensorFlow's own: the results of ``tensorflow.compat.v1.image`` are those of 1.15.5, bit for
bit, for every method (there is a gold case of every argument). ``tf.image.resize`` without ``compat.v1`` has different
results: it samples at half-pixel centres. ``resize_image_with_pad`` is ours: TensorFlow 2 computes the sides in
float32, where rounding takes a row or a column away from many images.
"""

from __future__ import annotations

from typing import Any, Sequence

import tensorflow as tf

from queuecompat.image._forms import as_image, on_batch, sides

__all__ = [
    "ResizeMethod",
    "resize",
    "resize_area",
    "resize_bicubic",
    "resize_bilinear",
    "resize_image_with_pad",
    "resize_images",
    "resize_nearest_neighbor",
]

ResizeMethod = tf.compat.v1.image.ResizeMethod
resize = tf.compat.v1.image.resize
resize_area = tf.compat.v1.image.resize_area
resize_bicubic = tf.compat.v1.image.resize_bicubic
resize_bilinear = tf.compat.v1.image.resize_bilinear
resize_images = tf.compat.v1.image.resize_images
resize_nearest_neighbor = tf.compat.v1.image.resize_nearest_neighbor


def resize_image_with_pad(
    image: Any,
    target_height: Any,
    target_width: Any,
    method: Any = ResizeMethod.BILINEAR,
    align_corners: bool = False,
) -> tf.Tensor:
    """The image as large as it fits into the target without being distorted, with zeros around it.

    Args:
      image: ``[height, width, channels]`` or ``[n, height, width, channels]``.
      target_height, target_width: in pixels.
      method, align_corners: as ``resize_images``.
    Returns:
      The same rank, of that size; the dtype is that of ``resize_images``.
    Raises:
      ValueError: a different rank; or the target is known and not positive.
      tf.errors.InvalidArgumentError: at run time, the target is not positive.
    Differs from TF1: None known.
    Source: TF 1.15.5 ``python/ops/image_ops_impl.py``.
    """
    with tf.name_scope("resize_image_with_pad"):
        tensor = as_image(image, "resize_image_with_pad")
        target = [_positive("target_height", target_height), _positive("target_width", target_width)]
        return on_batch(tensor, lambda batch: _padded(batch, target, method, align_corners))


def _padded(images: tf.Tensor, target: Sequence[Any], method: Any, align_corners: bool) -> tf.Tensor:
    """Resizes a batch and pads it to the *target*."""
    old, new = tf.cast(sides(images)[1:3], tf.float64), tf.cast(target, tf.float64)
    wanted = old / tf.reduce_max(old / new)
    resized = resize_images(images, tf.cast(tf.floor(wanted), tf.int32), method, align_corners)
    before = tf.cast(tf.floor((new - wanted) / 2), tf.int32)
    return tf.compat.v1.image.pad_to_bounding_box(resized, before[0], before[1], *target)


def _positive(name: str, side: Any) -> Any:
    """Checks that *side* is positive: now if it is known, otherwise at each run."""
    message = f"resize_image_with_pad: {name} must be > 0"
    known = tf.get_static_value(side) if tf.is_tensor(side) else side
    if known is None:
        with tf.control_dependencies([tf.debugging.Assert(side > 0, [message, side])]):
            return tf.identity(side)
    if known <= 0:
        raise ValueError(f"{message}, and is {known}")
    return known
