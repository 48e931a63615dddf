"""Random brightness, contrast, saturation, hue and gamma.

TF1 drew one random number for a whole batch, and so do the functions with TF1's names, bit for bit. With
``per_image=True`` there is one number for each image of a batch; for a single image, or a batch of one, it is the
same number in both cases.
"""

from __future__ import annotations

from typing import Any, Callable, Optional

import tensorflow as tf

from queuecompat.image._forms import as_image, check_range, expanded, is_batch, on_batch, uniform

__all__ = [
    "adjust_brightness",
    "adjust_contrast",
    "adjust_gamma",
    "adjust_hue",
    "adjust_saturation",
    "random_brightness",
    "random_contrast",
    "random_gamma",
    "random_hue",
    "random_saturation",
]

adjust_brightness = tf.compat.v1.image.adjust_brightness
# Powers of floats differ from those of 1.15 in the last bit: Eigen computes them now, and the C library did then.
adjust_gamma = tf.compat.v1.image.adjust_gamma

# Maps images and one number for each image, [n, 1, 1, 1], to images.
Adjustment = Callable[[tf.Tensor, tf.Tensor], tf.Tensor]


def adjust_contrast(images: Any, contrast_factor: Any) -> tf.Tensor:
    """The image with each channel's distance from its mean multiplied by *contrast_factor*.

    Args:
      images: ``[..., height, width, channels]``.
      contrast_factor: a float.
    Returns:
      The same shape and dtype; integers are clipped to 0 and the maximum.
    Raises:
      ValueError: fewer than 3 dimensions.
    Differs from TF1: The last bit of float16 may differ.
    Source: TF 1.15.5 ``python/ops/image_ops_impl.py``.
    """
    return _without_float16(images, lambda wide: tf.compat.v1.image.adjust_contrast(wide, contrast_factor))


def adjust_hue(image: Any, delta: Any, name: Optional[str] = None) -> tf.Tensor:
    """The image with *delta* added to its hue (the H of HSV, where 1 is a full turn).

    Args:
      image: ``[..., 3]``.
      delta: a float.
      name: name scope.
    Returns:
      The same shape and dtype.
    Raises:
      ValueError: the image does not have 3 channels; eagerly also if *delta* is not in ``[-1, 1]``.
    Differs from TF1: The last bit of float16 may differ.
    Source: TF 1.15.5 ``python/ops/image_ops_impl.py``.
    """
    return _without_float16(image, lambda wide: tf.compat.v1.image.adjust_hue(wide, delta, name=name))


def adjust_saturation(image: Any, saturation_factor: Any, name: Optional[str] = None) -> tf.Tensor:
    """The image with its saturation (the S of HSV) multiplied by *saturation_factor*, and clipped to 1.

    Args:
      image: ``[..., 3]``.
      saturation_factor: a float.
      name: name scope.
    Returns:
      The same shape and dtype.
    Raises:
      ValueError: the image does not have 3 channels.
    Differs from TF1: The last bit of float16 may differ.
    Source: TF 1.15.5 ``python/ops/image_ops_impl.py``.
    """
    return _without_float16(
        image, lambda wide: tf.compat.v1.image.adjust_saturation(wide, saturation_factor, name=name)
    )


def random_brightness(
    image: Any, max_delta: float, seed: Optional[int] = None, *, per_image: bool = False
) -> tf.Tensor:
    """The image with a random number added to every pixel.

    Args:
      image: any shape; with *per_image*, ``[height, width, channels]`` or ``[n, height, width, channels]``.
        For integers, the number is a fraction of the maximum: 0.1 adds 25 to uint8.
      max_delta: the number is drawn from ``[-max_delta, max_delta)``.
      seed: random seed.
      per_image: whether to draw one number for each image of a batch.
    Returns:
      The same shape and dtype; integers are clipped to 0 and the maximum.
    Raises:
      ValueError: *max_delta* is negative.
    Differs from TF1: *per_image* is new.
    Source: TF 1.15.5 ``python/ops/image_ops_impl.py``.
    """
    if not per_image:
        return tf.compat.v1.image.random_brightness(image, max_delta, seed=seed)
    if max_delta < 0:
        raise ValueError(f"random_brightness: max_delta is {max_delta}; it must not be negative")
    return _drawn(image, "random_brightness", -max_delta, max_delta, seed, tf.add)


def random_contrast(
    image: Any, lower: float, upper: float, seed: Optional[int] = None, *, per_image: bool = False
) -> tf.Tensor:
    """The image with each channel's distance from its mean multiplied by a random number.

    Args:
      image: ``[..., height, width, channels]``; with *per_image*, of rank 3 or 4.
      lower, upper: the number is drawn from ``[lower, upper)``.
      seed: random seed.
      per_image: whether to draw one number for each image of a batch.
    Returns:
      The same shape and dtype; integers are clipped to 0 and the maximum.
    Raises:
      ValueError: *lower* is negative, or not less than *upper*; fewer than 3 dimensions.
    Differs from TF1: *per_image* is new. The last bit of float16 may differ.
    Source: TF 1.15.5 ``python/ops/image_ops_impl.py``.
    """
    if not per_image:
        return _without_float16(image, lambda wide: tf.compat.v1.image.random_contrast(wide, lower, upper, seed=seed))
    check_range("random_contrast", ("lower", "upper"), lower, upper)
    return _drawn(image, "random_contrast", lower, upper, seed, _with_contrast)


def random_saturation(
    image: Any, lower: float, upper: float, seed: Optional[int] = None, *, per_image: bool = False
) -> tf.Tensor:
    """The image with its saturation (the S of HSV) multiplied by a random number, and clipped to 1.

    Args:
      image: ``[..., 3]``; with *per_image*, of rank 3 or 4.
      lower, upper: the number is drawn from ``[lower, upper)``.
      seed: random seed.
      per_image: whether to draw one number for each image of a batch.
    Returns:
      The same shape and dtype.
    Raises:
      ValueError: *lower* is negative, or not less than *upper*; the image does not have 3 channels.
    Differs from TF1: *per_image* is new. The last bit of float16 may differ.
    Source: TF 1.15.5 ``python/ops/image_ops_impl.py``.
    """
    if not per_image:
        return _without_float16(image, lambda wide: tf.compat.v1.image.random_saturation(wide, lower, upper, seed=seed))
    check_range("random_saturation", ("lower", "upper"), lower, upper)
    return _drawn(image, "random_saturation", lower, upper, seed, _with_saturation)


def random_hue(image: Any, max_delta: float, seed: Optional[int] = None, *, per_image: bool = False) -> tf.Tensor:
    """The image with a random number added to its hue (the H of HSV, where 1 is a full turn).

    Args:
      image: ``[..., 3]``; with *per_image*, of rank 3 or 4.
      max_delta: the number is drawn from ``[-max_delta, max_delta)``.
      seed: random seed.
      per_image: whether to draw one number for each image of a batch.
    Returns:
      The same shape and dtype.
    Raises:
      ValueError: *max_delta* is negative or above 0.5; the image does not have 3 channels.
    Differs from TF1: *per_image* is new. The last bit of float16 may differ.
    Source: TF 1.15.5 ``python/ops/image_ops_impl.py``.
    """
    if not per_image:
        return _without_float16(image, lambda wide: tf.compat.v1.image.random_hue(wide, max_delta, seed=seed))
    if not 0 <= max_delta <= 0.5:
        raise ValueError(f"random_hue: max_delta is {max_delta}; it must be between 0 and 0.5, which is half a turn")
    return _drawn(image, "random_hue", -max_delta, max_delta, seed, _with_hue)


def random_gamma(image: Any, lower: float, upper: float, seed: Optional[int] = None) -> tf.Tensor:
    """The image with every pixel raised to a random power, one for each image of a batch. Not in TF1.

    Args:
      image: ``[height, width, channels]`` or ``[n, height, width, channels]``, not negative.
      lower, upper: the power is drawn from ``[lower, upper)``; below 1 it makes the image lighter.
      seed: random seed.
    Returns:
      The same shape and dtype.
    Raises:
      ValueError: *lower* is negative, or not less than *upper*; the image has a different rank.
    """
    check_range("random_gamma", ("lower", "upper"), lower, upper)
    return _drawn(image, "random_gamma", lower, upper, seed, tf.pow)


def _without_float16(image: Any, function: Callable[[Any], tf.Tensor]) -> tf.Tensor:
    """Returns *function* of *image*, computed in float32 if that is float16.

    TensorFlow 1's ops for contrast, hue and saturation took float16; those of TensorFlow 2 do so on a GPU only.
    """
    dtype = getattr(image, "dtype", None)
    if tf.float16 != getattr(dtype, "base_dtype", dtype):
        return function(image)
    return tf.cast(function(tf.cast(image, tf.float32)), tf.float16)


def _drawn(
    image: Any, function: str, low: float, high: float, seed: Optional[int], adjustment: Adjustment
) -> tf.Tensor:
    """Applies *adjustment* to each image with its own random number."""
    with tf.name_scope(function):
        tensor = as_image(image, function)

        def of_batch(images: tf.Tensor) -> tf.Tensor:
            floats = tf.image.convert_image_dtype(images, tf.float32)
            draws = uniform(tf.shape(images)[0] if is_batch(tensor) else 1, low, high, seed)
            adjusted = adjustment(floats, expanded(draws))
            return tf.image.convert_image_dtype(adjusted, images.dtype, saturate=True)

        return on_batch(tensor, of_batch)


def _with_contrast(images: tf.Tensor, factors: tf.Tensor) -> tf.Tensor:
    # With a factor of 0 the op returns the means of the channels: the same as reduce_mean, but faster.
    means = tf.image.adjust_contrast(images, 0.0)[:, :1, :1]
    return (images - means) * factors + means


def _with_saturation(images: tf.Tensor, factors: tf.Tensor) -> tf.Tensor:
    hue, saturation, value = tf.split(tf.image.rgb_to_hsv(images), 3, axis=-1)
    return tf.image.hsv_to_rgb(tf.concat([hue, tf.minimum(saturation * factors, 1), value], -1))


def _with_hue(images: tf.Tensor, deltas: tf.Tensor) -> tf.Tensor:
    hue, saturation, value = tf.split(tf.image.rgb_to_hsv(images), 3, axis=-1)
    return tf.image.hsv_to_rgb(tf.concat([tf.math.floormod(hue + deltas, 1), saturation, value], -1))
