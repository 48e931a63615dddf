"""Rotation, translation and projective transforms, with the names and numbers of ``tf.contrib.image``.

A transform ``[a0, a1, a2, b0, b1, b2, c0, c1]`` maps a point (x, y) of the *output* to the point
``((a0 x + a1 y + a2) / k, (b0 x + b1 y + b2) / k)`` of the input, with ``k = c0 x + c1 y + 1``. x runs along
the width, y along the height, downwards. Points outside the input are zero.
"""

from __future__ import annotations

from typing import Any, Callable, Optional

import tensorflow as tf

from queuecompat.image._forms import as_image, is_batch

__all__ = [
    "angles_to_projective_transforms",
    "compose_transforms",
    "flat_transforms_to_matrices",
    "matrices_to_flat_transforms",
    "random_rotate",
    "random_translate",
    "rotate",
    "transform",
    "translate",
    "translations_to_projective_transforms",
]

_DTYPES = (tf.uint8, tf.int32, tf.int64, tf.float16, tf.float32, tf.float64)


def rotate(images: Any, angles: Any, interpolation: str = "NEAREST", name: Optional[str] = None) -> tf.Tensor:
    """Images rotated counter-clockwise about their centre.

    Args:
      images: ``[height, width]``, ``[height, width, channels]`` or ``[n, height, width, channels]``, of uint8,
        int32, int64 or a floating-point type.
      angles: in radians: a scalar, or for a batch ``[n]``.
      interpolation: "NEAREST" or "BILINEAR".
      name: name scope of the ops.
    Returns:
      The same shape and dtype; zeros outside of the input.
    Raises:
      TypeError: a wrong dtype or rank of *images* or *angles*; the rank of *images* is unknown.
      tf.errors.InvalidArgumentError, ValueError: an unknown *interpolation*, or a number of angles that is neither
        1 nor n.
    Differs from TF1: None known.
    Source: TF 1.15.5 ``contrib/image/python/ops/image_ops.py``.
    """
    with tf.compat.v1.name_scope(name, "rotate"):
        return _on_batch(images, lambda batch: _transformed(batch, _turns(batch, angles), interpolation))


def translate(images: Any, translations: Any, interpolation: str = "NEAREST", name: Optional[str] = None) -> tf.Tensor:
    """Images moved.

    Args:
      images: as ``rotate``.
      translations: ``[dx, dy]`` in pixels, to the right and downwards; for a batch also ``[n, 2]``.
      interpolation, name: as ``rotate``.
    Returns:
      The same shape and dtype; zeros outside of the input.
    Raises:
      TypeError: a wrong dtype or rank of *images* or *translations*, or an unknown rank.
      tf.errors.InvalidArgumentError, ValueError: an unknown *interpolation*, or not two numbers.
    Differs from TF1: None known.
    Source: TF 1.15.5 ``contrib/image/python/ops/image_ops.py``.
    """
    with tf.compat.v1.name_scope(name, "translate"):
        moves = translations_to_projective_transforms(translations)
        return _on_batch(images, lambda batch: _transformed(batch, moves, interpolation))


def transform(
    images: Any,
    transforms: Any,
    interpolation: str = "NEAREST",
    output_shape: Any = None,
    name: Optional[str] = None,
) -> tf.Tensor:
    """Images under projective transforms.

    Args:
      images: as ``rotate``.
      transforms: ``[8]``, or for a batch ``[n, 8]``; see the top of this module.
      interpolation, name: as ``rotate``.
      output_shape: ``[height, width]``; that of *images* if None.
    Returns:
      The same rank and dtype; zeros outside of the input.
    Raises:
      TypeError: a wrong dtype or rank of *images* or *transforms*, or an unknown rank.
      ValueError: *output_shape* does not have two numbers.
      tf.errors.InvalidArgumentError, ValueError: an unknown *interpolation*, or not eight numbers.
    Differs from TF1: None known.
    Source: TF 1.15.5 ``contrib/image/python/ops/image_ops.py``.
    """
    with tf.compat.v1.name_scope(name, "transform"):
        rows = _rows(transforms, "transforms")
        if output_shape is not None:
            output_shape = tf.convert_to_tensor(output_shape, tf.int32, name="output_shape")
            if not output_shape.shape.is_compatible_with([2]):
                raise ValueError(
                    f"transform: output_shape has shape {output_shape.shape}; it must be two numbers, height and width"
                )
        return _on_batch(images, lambda batch: _transformed(batch, rows, interpolation, output_shape))


def random_rotate(
    images: Any, max_angle: float, interpolation: str = "NEAREST", seed: Optional[int] = None
) -> tf.Tensor:
    """Images rotated about their centre by a random angle, one for each image of a batch.

    Args:
      images: ``[height, width, channels]`` or ``[n, height, width, channels]``; dtypes as ``rotate``.
      max_angle: in radians; the angle is drawn from ``[-max_angle, max_angle)``.
      interpolation: "NEAREST" or "BILINEAR".
      seed: random seed.
    Returns:
      The same shape and dtype; zeros outside of the input.
    Raises:
      ValueError: *max_angle* is negative, or the image has a different rank.
      TypeError: a wrong dtype.
    """
    if max_angle < 0:
        raise ValueError(f"random_rotate: max_angle is {max_angle}; it must not be negative")
    with tf.name_scope("random_rotate"):
        tensor = as_image(images, "random_rotate")
        shape = [tf.shape(tensor)[0]] if is_batch(tensor) else []
        return rotate(tensor, tf.random.uniform(shape, -max_angle, max_angle, seed=seed), interpolation)


def random_translate(
    images: Any, max_shift: Any, interpolation: str = "NEAREST", seed: Optional[int] = None
) -> tf.Tensor:
    """Images moved by a random offset, one for each image of a batch.

    Args:
      images: ``[height, width, channels]`` or ``[n, height, width, channels]``; dtypes as ``rotate``.
      max_shift: in pixels, a number or ``[dx, dy]``; each offset is drawn from ``[-max_shift, max_shift)``, fractions
        of a pixel included ("NEAREST" rounds them).
      interpolation: "NEAREST" or "BILINEAR".
      seed: random seed.
    Returns:
      The same shape and dtype; zeros outside of the input.
    Raises:
      ValueError: the image has a different rank.
      TypeError: a wrong dtype.
    """
    with tf.name_scope("random_translate"):
        tensor = as_image(images, "random_translate")
        shape = [tf.shape(tensor)[0], 2] if is_batch(tensor) else [2]
        ways = tf.random.uniform(shape, -1.0, 1.0, seed=seed) * tf.cast(max_shift, tf.float32)
        return translate(tensor, ways, interpolation)


def angles_to_projective_transforms(
    angles: Any, image_height: Any, image_width: Any, name: Optional[str] = None
) -> tf.Tensor:
    """The transforms that rotate images about their centre.

    Args:
      angles: in radians, counter-clockwise: a scalar or ``[n]``.
      image_height, image_width: in pixels, float32: scalars or ``[1]``.
      name: name scope of the ops.
    Returns:
      ``[n, 8]``, float32; n is 1 for a scalar.
    Raises:
      TypeError: *angles* has a wrong rank.
    Differs from TF1: None known.
    Source: TF 1.15.5 ``contrib/image/python/ops/image_ops.py``.
    """
    with tf.compat.v1.name_scope(name, "angles_to_projective_transforms"):
        angles = tf.convert_to_tensor(angles, tf.float32, name="angles")
        if angles.shape.rank not in (0, 1):
            raise TypeError(f"rotate: angles have shape {angles.shape}; pass a scalar, or one angle for each image")
        angles = tf.reshape(angles, [-1])
        right, bottom = image_width - 1, image_height - 1
        cos, sin = tf.cos(angles), tf.sin(angles)
        # In the same order as contrib's arithmetic: the last bit of an offset can change which pixel is nearest.
        across = (right - (cos * right - sin * bottom)) / 2.0
        down = (bottom - (sin * right + cos * bottom)) / 2.0
        nothing = tf.zeros_like(angles)
        return tf.stack([cos, -sin, across, sin, cos, down, nothing, nothing], axis=1)


def translations_to_projective_transforms(translations: Any, name: Optional[str] = None) -> tf.Tensor:
    """The transforms that move images.

    Args:
      translations: ``[dx, dy]`` or ``[n, 2]``, in pixels, to the right and downwards.
      name: name scope of the ops.
    Returns:
      ``[n, 8]``, float32; n is 1 for a vector.
    Raises:
      TypeError: a wrong or unknown rank.
    Differs from TF1: None known.
    Source: TF 1.15.5 ``contrib/image/python/ops/image_ops.py``.
    """
    with tf.compat.v1.name_scope(name, "translations_to_projective_transforms"):
        ways = _rows(translations, "translations")
        across, down = -ways[:, 0], -ways[:, 1]
        nothing, same = tf.zeros_like(across), tf.ones_like(across)
        return tf.stack([same, nothing, across, nothing, same, down, nothing, nothing], axis=1)


def compose_transforms(*transforms: Any) -> tf.Tensor:
    """One transform that is equivalent to *transforms* one after the other.

    Args:
      transforms: each ``[8]``, or each ``[n, 8]``.
    Returns:
      ``[n, 8]``; n is 1 for vectors.
    Raises:
      AssertionError: *transforms* is empty.
      ValueError: one of *transforms* has a wrong rank.
    Differs from TF1: None known.
    Source: TF 1.15.5 ``contrib/image/python/ops/image_ops.py``.
    """
    assert transforms, "compose_transforms: pass at least one transform"
    with tf.name_scope("compose_transforms"):
        matrices = [flat_transforms_to_matrices(one) for one in transforms]
        composed = matrices[0]
        for matrix in matrices[1:]:
            composed = tf.matmul(composed, matrix)
        return matrices_to_flat_transforms(composed)


def flat_transforms_to_matrices(transforms: Any) -> tf.Tensor:
    """``[8]`` or ``[n, 8]`` to ``[n, 3, 3]``, the ninth number being 1. ValueError: a wrong rank."""
    with tf.name_scope("flat_transforms_to_matrices"):
        flat = tf.convert_to_tensor(transforms, name="transforms")
        if flat.shape.rank not in (1, 2):
            raise ValueError(f"flat_transforms_to_matrices: transforms have shape {flat.shape}, not [8] or [n, 8]")
        flat = tf.reshape(flat, [-1, 8])
        return tf.reshape(tf.concat([flat, tf.ones_like(flat[:, :1])], 1), [-1, 3, 3])


def matrices_to_flat_transforms(transform_matrices: Any) -> tf.Tensor:
    """``[3, 3]`` or ``[n, 3, 3]`` to ``[n, 8]``, divided by the ninth number. ValueError: a wrong rank."""
    with tf.name_scope("matrices_to_flat_transforms"):
        matrices = tf.convert_to_tensor(transform_matrices, name="transform_matrices")
        if matrices.shape.rank not in (2, 3):
            raise ValueError(
                f"matrices_to_flat_transforms: matrices have shape {matrices.shape}, not [3, 3], [n, 3, 3]"
            )
        flat = tf.reshape(matrices, [-1, 9])
        return (flat / flat[:, 8:])[:, :8]


def _rows(numbers: Any, what: str) -> tf.Tensor:
    """A vector as a matrix of one row, float32."""
    tensor = tf.convert_to_tensor(numbers, tf.float32, name=what)
    if tensor.shape.rank not in (1, 2):
        raise TypeError(f"{what} have shape {tensor.shape}; pass a vector, or a matrix with one row for each image")
    return tensor if tensor.shape.rank == 2 else tensor[tf.newaxis]


def _turns(batch: tf.Tensor, angles: Any) -> tf.Tensor:
    height, width = [tf.cast(tf.shape(batch)[axis], tf.float32) for axis in (1, 2)]
    return angles_to_projective_transforms(angles, height, width)


def _on_batch(images: Any, function: Callable[[tf.Tensor], tf.Tensor]) -> tf.Tensor:
    """Calls *function* with a batch; as in contrib, a single image is accepted as well, even without channels."""
    tensor = tf.convert_to_tensor(images, name="images")
    if tensor.dtype not in _DTYPES:
        raise TypeError(
            f"images of {tensor.dtype.name} cannot be transformed; tf.cast them to one of "
            + ", ".join(dtype.name for dtype in _DTYPES)
        )
    if tensor.shape.rank not in (2, 3, 4):
        raise TypeError(
            f"the images have shape {tensor.shape}; pass [height, width], [height, width, channels] or "
            "[n, height, width, channels], and call set_shape if the graph does not know the rank"
        )
    if tensor.shape.rank == 4:
        return function(tensor)
    if tensor.shape.rank == 3:
        return tf.squeeze(function(tensor[tf.newaxis]), [0])
    return tf.squeeze(function(tensor[tf.newaxis, :, :, tf.newaxis]), [0, 3])


def _transformed(batch: tf.Tensor, rows: tf.Tensor, interpolation: str, output_shape: Any = None) -> tf.Tensor:
    known = batch.shape[1:3] if output_shape is None else tf.TensorShape(tf.get_static_value(output_shape))
    result = tf.raw_ops.ImageProjectiveTransformV3(
        images=batch,
        transforms=rows,
        output_shape=tf.shape(batch)[1:3] if output_shape is None else output_shape,
        fill_value=0.0,
        interpolation=interpolation.upper(),
    )
    result.set_shape(tf.TensorShape([batch.shape[0]]).concatenate(known).concatenate(batch.shape[3:]))
    return result
