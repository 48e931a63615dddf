"""Crops of images: one or several of each, at random or fixed positions.

Rule 1: ``random_crop`` does what TF1 did for every argument that TF1 accepted. TF1 refused a batch with a size of
        three numbers: here each image has its own window.
Rule 2: several crops of one image are returned as examples, ready for ``enqueue_many``: the crops of
        the first image, then those of the second, and so on. Labels are repeated accordingly.
"""

from __future__ import annotations

from typing import Any, Optional, Sequence

import numpy as np
import tensorflow as tf

from queuecompat.image._forms import as_image, is_batch, known_sides, rank_of, sides
from queuecompat.image._windows import windows

__all__ = [
    "central_crop",
    "crop_to_bounding_box",
    "random_crop",
    "random_crops",
    "random_crops_and_mirrors",
    "ten_crop",
]

central_crop = tf.compat.v1.image.central_crop
crop_to_bounding_box = tf.compat.v1.image.crop_to_bounding_box

_INT32_MAX = tf.int32.max


def random_crop(value: Any, size: Any, seed: Optional[int] = None, name: Optional[str] = None) -> tf.Tensor:
    """A random window of *value*; every position is equally likely.

    Args:
      value: a tensor of any rank, with a *size* of as many numbers: one window, as in TF1. Or images
        ``[n, height, width, channels]`` with a *size* of three numbers: one window for each image.
      size: list or tensor of int32.
      seed: random seed. The window of a batch of one image is that of the image alone.
      name: name scope of the ops.
    Returns:
      A tensor of shape *size*; ``[n, *size]`` if each image has its own window.
    Raises:
      ValueError: *size* does not fit the rank of *value*.
      tf.errors.InvalidArgumentError: at run time, *value* is smaller than *size*.
    Differs from TF1: A batch with a size of three is accepted, and each image gets its own window; TF1 raised
      ValueError.
    Source: TF 1.15.5 ``python/ops/random_ops.py``.
    """
    if rank_of(value) == 4 and _numbers_in(size) == 3:
        with tf.name_scope(name or "random_crop"):
            return _drawn_crops(tf.convert_to_tensor(value), size, 1, seed)[:, 0]
    return tf.compat.v1.random_crop(value, size, seed=seed, name=name)


def random_crops(image: Any, size: Sequence[int], n: int, seed: Optional[int] = None, *, labels: Any = None) -> Any:
    """*n* random windows of each image, as examples.

    Args:
      image: ``[height, width, channels]``, or a batch of b such images.
      size: height and width of a window, and optionally the number of channels.
      n: number of windows of each image.
      seed: random seed.
      labels: None, or a tensor or structure of tensors that belongs to the image; for a batch, with a
        first dimension of b.
    Returns:
      ``[n, *size]``; of a batch ``[b * n, *size]``, image after image. With *labels* a pair: the
      crops, and the labels repeated to the same length.
    Raises:
      ValueError: *image* has a different rank; *size* does not have two or three numbers; *n* is less than 1.
      tf.errors.InvalidArgumentError: at run time, the image is smaller than *size*.
    """
    with tf.name_scope("random_crops"):
        images = _as_batch(image, "random_crops")
        crops = _several_crops(images, size, n, seed, "random_crops")
        return _as_examples(crops, n, labels, is_single=rank_of(image) != 4)


def random_crops_and_mirrors(
    image: Any, size: Sequence[int], n: int, seed: Optional[int] = None, *, labels: Any = None
) -> Any:
    """*n* random windows of each image and their mirror images: 2n examples.

    Args:
      image, size, n, seed, labels: as ``random_crops``.
    Returns:
      ``[2 * n, *size]``: the crops, then the same ones flipped from left to right; of a batch
      ``[b * 2 * n, *size]``, image after image. With *labels* a pair: these, and the labels repeated
      to the same length.
    Raises:
      ValueError: *image* has a different rank; *size* does not have two or three numbers; *n* is less than 1.
      tf.errors.InvalidArgumentError: at run time, the image is smaller than *size*.
    """
    with tf.name_scope("random_crops_and_mirrors"):
        images = _as_batch(image, "random_crops_and_mirrors")
        crops = _several_crops(images, size, n, seed, "random_crops_and_mirrors")
        return _as_examples(_with_mirrors(crops), 2 * n, labels, is_single=rank_of(image) != 4)


def ten_crop(image: Any, size: Sequence[int], *, labels: Any = None) -> Any:
    """The four corners and the centre of each image, and their mirror images (ten-crop testing).

    Args:
      image: ``[height, width, channels]``, or a batch of b such images.
      size: height and width of a window; a third number, the channels, must be all of them.
      labels: as in ``random_crops``.
    Returns:
      ``[10, *size]``: top left, top right, bottom left, bottom right, centre, then the same five
      flipped from left to right. Of a batch ``[b * 10, *size]``, image after image. With *labels* a
      pair: these, and the labels repeated to the same length.
    Raises:
      ValueError: *image* has a different rank; *size* does not have two or three numbers; or the graph knows that
        the image is smaller.
      tf.errors.InvalidArgumentError: at run time, the image is smaller than *size*.
    """
    with tf.name_scope("ten_crop"):
        images = _as_batch(image, "ten_crop")
        height, width = _size(size, images, "ten_crop")[:2]
        _, rows, columns, _ = sides(images)
        bottom, right = rows - height, columns - width
        corners = [(0, 0), (0, right), (bottom, 0), (bottom, right), (bottom // 2, right // 2)]
        views = [tf.image.crop_to_bounding_box(images, y, x, height, width) for y, x in corners]
        return _as_examples(_with_mirrors(tf.stack(views, axis=1)), 10, labels, is_single=rank_of(image) != 4)


def _as_batch(image: Any, function: str) -> tf.Tensor:
    tensor = as_image(image, function)
    return tensor if is_batch(tensor) else tf.expand_dims(tensor, 0)


def _numbers_in(size: Any) -> Optional[int]:
    """The number of elements in *size*; None if it is not known, or if *size* is not a vector."""
    shape = tf.TensorShape(size.shape if hasattr(size, "shape") else np.shape(size))
    return shape.as_list()[0] if shape.rank == 1 else None


def _size(size: Any, images: tf.Tensor, function: str) -> Sequence[Any]:
    """Height, width and channels of a window."""
    count = _numbers_in(size)
    if count not in (2, 3):
        raise ValueError(f"{function}: size is {size}; it must be [height, width] or [height, width, channels]")
    numbers = [size[position] for position in range(count)]
    return numbers if count == 3 else [*numbers, sides(images)[3]]


def _several_crops(images: tf.Tensor, size: Any, n: int, seed: Optional[int], function: str) -> tf.Tensor:
    if n < 1:
        raise ValueError(f"{function}: n is {n}; it must be at least 1, the number of crops of each image")
    return _drawn_crops(images, _size(size, images, function), n, seed)


def _drawn_crops(images: tf.Tensor, size: Any, n: int, seed: Optional[int]) -> tf.Tensor:
    """``[b, n, *size]``, with TF1's random numbers: three per window, each taken modulo the number of positions."""
    wanted = tf.convert_to_tensor(size, tf.int32, name="size")
    shape = tf.shape(images)
    fits = tf.debugging.Assert(
        tf.reduce_all(shape[1:] >= wanted), ["random crop: images of shape", shape, "are smaller than size", wanted]
    )
    with tf.control_dependencies([fits] if fits is not None else []):
        limits = shape[1:] - wanted + 1
    draws = tf.random.uniform([shape[0], n, 3], maxval=_INT32_MAX, dtype=tf.int32, seed=seed)
    return windows(images, draws % limits, wanted)


def _with_mirrors(crops: tf.Tensor) -> tf.Tensor:
    """``[b, n, h, w, c]`` to ``[b, 2 * n, h, w, c]``."""
    return tf.concat([crops, tf.reverse(crops, [3])], axis=1)


def _as_examples(crops: tf.Tensor, count: int, labels: Any, *, is_single: bool) -> Any:
    """``[b, count, ...]`` to ``[b * count, ...]``, and the labels with it."""
    if is_single:
        examples = tf.squeeze(crops, [0])
    else:
        rows, _, *example = known_sides(crops)
        examples = tf.reshape(crops, tf.concat([[-1], tf.shape(crops)[2:]], 0))
        examples.set_shape([None if rows is None else rows * count, *example])
    if labels is None:
        return examples
    return examples, tf.nest.map_structure(lambda label: _repeated(label, count, is_single), labels)


def _repeated(label: Any, count: int, is_single: bool) -> tf.Tensor:
    label = tf.convert_to_tensor(label)
    return tf.repeat(label[tf.newaxis] if is_single else label, count, axis=0)
