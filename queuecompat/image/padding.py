"""Padding: with zeros to a given size, under TF1's names, or with the image's own reflection."""

from __future__ import annotations

from typing import Any, List

import numpy as np
import tensorflow as tf

from queuecompat.image._forms import as_image, is_batch, known_sides

__all__ = ["pad_reflect", "pad_to_bounding_box", "resize_image_with_crop_or_pad", "resize_with_crop_or_pad"]

pad_to_bounding_box = tf.compat.v1.image.pad_to_bounding_box
resize_image_with_crop_or_pad = tf.compat.v1.image.resize_image_with_crop_or_pad
resize_with_crop_or_pad = tf.compat.v1.image.resize_with_crop_or_pad


def pad_reflect(image: Any, padding: Any) -> tf.Tensor:
    """The image with its own reflection around it; the outermost pixels are not repeated.

    Before a random crop it keeps black borders out of the crops, as is usual for CIFAR.

    Args:
      image: ``[height, width, channels]`` or ``[n, height, width, channels]``.
      padding: in pixels: a number for all sides; ``[vertical, horizontal]``; or
        ``[[top, bottom], [left, right]]``.
    Returns:
      The same rank and dtype, height and width larger by the padding.
    Raises:
      ValueError: a different rank; *padding* has a wrong form or is negative; or the graph knows that a side of
        the image is not larger than its padding.
      tf.errors.InvalidArgumentError: at run time, a side of the image is not larger than its padding.
    """
    with tf.name_scope("pad_reflect"):
        tensor = as_image(image, "pad_reflect")
        margins = _margins(padding)
        for side, length, margin in zip(("height", "width"), known_sides(tensor)[-3:-1], margins):
            if length is not None and max(margin) >= length:
                raise ValueError(
                    f"pad_reflect: the image has {side} {length}, not more than its padding of {max(margin)}"
                )
        around = [[0, 0], *margins, [0, 0]] if is_batch(tensor) else [*margins, [0, 0]]
        return tf.pad(tensor, around[-tensor.shape.rank :], "REFLECT")


def _margins(padding: Any) -> List[List[int]]:
    """``[[top, bottom], [left, right]]``."""
    numbers = np.asarray(padding)
    if numbers.dtype.kind not in "iu" or numbers.shape not in ((), (2,), (2, 2)) or numbers.min() < 0:
        raise ValueError(
            f"pad_reflect: padding is {padding}; it must be a number of pixels, [vertical, horizontal] or "
            "[[top, bottom], [left, right]], none of them negative"
        )
    margins = numbers[:, np.newaxis] if numbers.ndim == 1 else numbers
    return np.broadcast_to(margins, (2, 2)).tolist()
