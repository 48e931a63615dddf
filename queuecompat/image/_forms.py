"""Decides, by the rank, whether a tensor is one image or a batch; only this module does.

``[height, width, channels]`` is an image, ``[n, height, width, channels]`` a batch of them. An image whose rank the
graph does not know is treated as a single one, as in TF1.
"""

from __future__ import annotations

from typing import Any, Callable, List, Optional, Tuple

import numpy as np
import tensorflow as tf

__all__ = [
    "WITH_A_FRACTION",
    "as_image",
    "check_range",
    "expanded",
    "is_batch",
    "known_sides",
    "on_batch",
    "rank_of",
    "sides",
    "taken_for_one_image",
    "uniform",
]

# Images of these types are not scaled to [0, 1] before arithmetic; TF1 treated every other type as integers.
WITH_A_FRACTION = (tf.float16, tf.float32)


def rank_of(value: Any) -> Optional[int]:
    """The rank of a tensor or of anything that can be converted to one; None if the graph does not know it."""
    shape = getattr(value, "shape", None)
    if shape is None:
        shape = np.shape(value)
    return tf.TensorShape(shape).rank


def is_batch(image: tf.Tensor) -> bool:
    return image.shape.rank == 4


def taken_for_one_image(image: Any) -> Any:
    """*image* itself, or as ``[height, width, channels]`` if its rank is not known.

    TF1 treated such an image as a single one. TensorFlow 2.x decides at run time, loses the static rank, and fails in
    ``rot90`` and ``transpose`` (on 2.12 and 2.21).
    """
    return image if rank_of(image) is not None else tf.ensure_shape(image, [None, None, None])


def as_image(image: Any, function: str) -> tf.Tensor:
    """*image* as a tensor of rank 3 or 4.

    Raises:
      ValueError: it has a different rank.
    """
    tensor = taken_for_one_image(tf.convert_to_tensor(image, name="image"))
    if tensor.shape.rank not in (3, 4):
        raise ValueError(
            f"{function}: the image has shape {tensor.shape}, which is neither [height, width, channels] nor "
            "[n, height, width, channels]; add a channel dimension to a grey image: image[..., tf.newaxis]"
        )
    return tensor


def on_batch(image: tf.Tensor, function: Callable[[tf.Tensor], tf.Tensor]) -> tf.Tensor:
    """The result of *function* for a batch; a single image is passed to it as a batch of one."""
    if is_batch(image):
        return function(image)
    return tf.squeeze(function(tf.expand_dims(image, 0)), [0])


def sides(tensor: tf.Tensor) -> List[Any]:
    """The dimensions, each a number if the graph knows it, otherwise a scalar int32 tensor."""
    known = known_sides(tensor)
    dynamic: Any = tf.shape(tensor) if None in known else None
    return [dynamic[axis] if side is None else side for axis, side in enumerate(known)]


def known_sides(tensor: tf.Tensor) -> List[Optional[int]]:
    """The dimensions; None if the graph does not know them. These are numbers whether TF2 behaviour is on or off."""
    return tensor.shape.as_list()


def uniform(count: Any, low: Any, high: Any, seed: Optional[int]) -> tf.Tensor:
    """*count* random numbers between *low* and *high*; the first equals a scalar draw with the same *seed*."""
    return tf.random.uniform([count], low, high, seed=seed)


def expanded(numbers: tf.Tensor) -> tf.Tensor:
    """``[n]`` as ``[n, 1, 1, 1]``: one number for each image of a batch."""
    return tf.reshape(numbers, [-1, 1, 1, 1])


def check_range(function: str, names: Tuple[str, str], lower: float, upper: float) -> None:
    """Checks a range of random numbers as TF1 did.

    Raises:
      ValueError: *lower* is negative, or not less than *upper*.
    """
    if lower < 0:
        raise ValueError(f"{function}: {names[0]} is {lower}; it must not be negative")
    if upper <= lower:
        raise ValueError(f"{function}: {names[1]} is {upper}; it must be greater than {names[0]}={lower}")
