"""Warps by a flow or by control points, with the names and numbers of ``tf.contrib.image``.

Points and flows are ``[y, x]`` in pixels, y downwards. A flow says where a pixel of the output comes from:
``output[j, i] = image[j - flow[j, i, 0], i - flow[j, i, 1]]``, between pixels interpolated, and beyond the
border the border's pixel.
"""

from __future__ import annotations

from typing import Any, Tuple

import numpy as np
import tensorflow as tf

__all__ = ["dense_image_warp", "interpolate_spline", "sparse_image_warp"]

# Keeps logarithms and roots of a distance, and their gradients, finite at 0; contrib's number.
_TINY = 1e-10


def dense_image_warp(image: Any, flow: Any, name: str = "dense_image_warp") -> tf.Tensor:
    """Images warped by a flow for each pixel.

    Args:
      image: ``[n, height, width, channels]``, of a floating-point type; height and width at least 2.
      flow: ``[n, height, width, 2]``, of any floating-point type; see the top of this module.
      name: for the ops.
    Returns:
      The shape and dtype of *image*.
    Raises:
      ValueError: *image* has a different rank.
      tf.errors.InvalidArgumentError: height or width is less than 2; at run time, where the graph does not know it.
    Differs from TF1: None known.
    Source: TF 1.15.5 ``contrib/image/python/ops/dense_image_warp.py``.
    """
    with tf.name_scope(name):
        image, flow = tf.convert_to_tensor(image, name="image"), tf.convert_to_tensor(flow, name="flow")
        if image.shape.rank != 4:
            raise ValueError(f"dense_image_warp: the images have shape {image.shape}, not [n, height, width, channels]")
        height, width = tf.shape(image)[1], tf.shape(image)[2]
        checks = [
            tf.debugging.assert_greater_equal(side, 2, message=f"dense_image_warp: the {what} must be at least 2")
            for what, side in (("height", height), ("width", width))
        ]
        with tf.control_dependencies([check for check in checks if check is not None]):
            grid = tf.stack(tf.meshgrid(tf.range(height), tf.range(width), indexing="ij"), axis=2)
        points = tf.cast(grid, flow.dtype)[tf.newaxis] - flow
        warped = _between_pixels(image, points[..., 0], points[..., 1], height, width)
        return tf.ensure_shape(warped, image.shape)


def interpolate_spline(
    train_points: Any,
    train_values: Any,
    query_points: Any,
    order: int,
    regularization_weight: float = 0.0,
    name: str = "interpolate_spline",
) -> tf.Tensor:
    """The values of a polyharmonic spline through given points.

    Args:
      train_points: ``[b, n, d]``, where values are known; d known to the graph.
      train_values: ``[b, n, k]``, the values there; k known to the graph.
      query_points: ``[b, m, d]``, where values are wanted.
      order: 1 for ``r``, 2 for ``r^2 log r`` (the thin plate), 3 for ``r^3`` and so on.
      regularization_weight: above 0 the spline is smoother and misses the values a little; try 0.001.
      name: for the ops.
    Returns:
      ``[b, m, k]``.
    Raises:
      ValueError: d or k is not known.
      tf.errors.InvalidArgumentError: at run time, the points do not determine a spline (two are equal, or all
        lie on a line).
    Differs from TF1: The last bits differ, because TensorFlow's solver has changed.
    Source: TF 1.15.5 ``contrib/image/python/ops/interpolate_spline.py``.
    """
    with tf.name_scope(name):
        centres, values = tf.convert_to_tensor(train_points), tf.convert_to_tensor(train_values)
        points = tf.convert_to_tensor(query_points)
        for what, tensor in (("train_points", centres), ("train_values", values)):
            if tensor.shape.rank is None or tensor.shape.as_list()[-1] is None:
                raise ValueError(f"interpolate_spline: the last dimension of {what}, {tensor.shape}, must be known")
        curved, straight = _fitted(centres, values, order, regularization_weight)
        distances = _squared_distances(points, centres)
        return tf.matmul(_radial(distances, order), curved) + tf.matmul(_with_ones(points), straight)


def sparse_image_warp(
    image: Any,
    source_control_point_locations: Any,
    dest_control_point_locations: Any,
    interpolation_order: int = 2,
    regularization_weight: float = 0.0,
    num_boundary_points: int = 0,
    name: str = "sparse_image_warp",
) -> Tuple[tf.Tensor, tf.Tensor]:
    """Images warped so that some points move to given places, and a spline moves the others.

    Args:
      image: ``[n, height, width, channels]``, of a floating-point type; all but channels known to the graph.
      source_control_point_locations: ``[n, points, 2]``, where they are.
      dest_control_point_locations: ``[n, points, 2]``, where they go.
      interpolation_order, regularization_weight: see ``interpolate_spline``.
      num_boundary_points: into how many parts points that stay cut each edge: 1 is the corners alone; 0: none stay.
      name: for the ops.
    Returns:
      The warped images, of the shape and dtype of *image*, and the flow, ``[n, height, width, 2]``.
    Raises:
      As ``interpolate_spline`` and ``dense_image_warp``; TypeError: a dimension is not known.
    Differs from TF1: The last bits differ, because TensorFlow's solver has changed.
    Source: TF 1.15.5 ``contrib/image/python/ops/sparse_image_warp.py``.
    """
    image = tf.convert_to_tensor(image)
    source = tf.convert_to_tensor(source_control_point_locations)
    destination = tf.convert_to_tensor(dest_control_point_locations)
    ways = destination - source
    with tf.name_scope(name):
        count, height, width, _ = image.shape.as_list()
        if None in (count, height, width):
            raise TypeError(f"sparse_image_warp: the images have shape {image.shape}; only channels may be unknown")
        if num_boundary_points > 0:
            border = _border(height, width, num_boundary_points)
            fixed = tf.constant(np.tile(border, [count, 1, 1]), destination.dtype)
            destination = tf.concat([destination, fixed], 1)
            ways = tf.concat([ways, tf.zeros_like(fixed)], 1)
        pixels = np.stack(np.meshgrid(np.arange(height), np.arange(width), indexing="ij"), -1).reshape(-1, 2)
        queries = tf.constant(np.tile(pixels, [count, 1, 1]), image.dtype)
        flow = interpolate_spline(destination, ways, queries, interpolation_order, regularization_weight)
        flow = tf.reshape(flow, [count, height, width, 2])
        return dense_image_warp(image, flow), flow


def _between_pixels(image: tf.Tensor, y: tf.Tensor, x: tf.Tensor, height: tf.Tensor, width: tf.Tensor) -> tf.Tensor:
    """The values of *image* at the points (*y*, *x*), each ``[n, height, width]``."""
    top, down = _floor_and_rest(y, height, image.dtype)
    left, right = _floor_and_rest(x, width, image.dtype)

    def corner(row: tf.Tensor, column: tf.Tensor) -> tf.Tensor:
        return tf.gather_nd(image, tf.stack([row, column], axis=-1), batch_dims=1)

    # In contrib's own order of arithmetic, to the last bit: along x first, each from its left end.
    top_left, bottom_left = corner(top, left), corner(top + 1, left)
    above = right * (corner(top, left + 1) - top_left) + top_left
    below = right * (corner(top + 1, left + 1) - bottom_left) + bottom_left
    return down * (below - above) + above


def _floor_and_rest(place: tf.Tensor, side: tf.Tensor, dtype: tf.DType) -> Tuple[tf.Tensor, tf.Tensor]:
    """The pixel before *place* (never the last one), and the distance from it to *place*, from 0 to 1, ``[..., 1]``."""
    zero, last = tf.constant(0, place.dtype), tf.cast(side - 2, place.dtype)
    floor = tf.minimum(tf.maximum(zero, tf.floor(place)), last)
    rest = tf.cast(place - floor, dtype)
    rest = tf.minimum(tf.maximum(tf.constant(0, dtype), rest), tf.constant(1, dtype))
    return tf.cast(floor, tf.int32), rest[..., tf.newaxis]


def _fitted(centres: tf.Tensor, values: tf.Tensor, order: int, weight: float) -> Tuple[tf.Tensor, tf.Tensor]:
    """The spline's weights: ``[b, n, k]`` of the radial part and ``[b, d + 1, k]`` of the linear one."""
    radial = _radial(_squared_distances(centres, centres), order)
    count = tf.shape(centres)[1]
    if weight > 0:
        radial += weight * tf.eye(count, dtype=centres.dtype)[tf.newaxis]
    linear = _with_ones(centres)
    corner = tf.zeros_like(tf.matmul(linear, linear, transpose_a=True))
    upper = tf.concat([radial, linear], 2)
    lower = tf.concat([tf.linalg.matrix_transpose(linear), corner], 2)
    known = tf.concat([values, tf.zeros_like(tf.matmul(linear, values, transpose_a=True))], 1)
    solved = tf.linalg.solve(tf.concat([upper, lower], 1), known)
    return solved[:, :count, :], solved[:, count:, :]


def _squared_distances(left: tf.Tensor, right: tf.Tensor) -> tf.Tensor:
    """``[b, n, d]`` and ``[b, m, d]`` to ``[b, n, m]``."""
    products = tf.matmul(left, right, adjoint_b=True)
    left_norms = tf.reduce_sum(tf.square(left), 2)[:, :, tf.newaxis]
    right_norms = tf.reduce_sum(tf.square(right), 2)[:, tf.newaxis, :]
    return left_norms - 2 * products + right_norms


def _radial(squared: tf.Tensor, order: int) -> tf.Tensor:
    """The spline's radial function, evaluated at squared distances."""
    away_from_zero = tf.maximum(squared, _TINY)
    if order == 1:
        return tf.sqrt(away_from_zero)
    if order == 2:
        return 0.5 * squared * tf.math.log(away_from_zero)
    if order == 4:
        return 0.5 * tf.square(squared) * tf.math.log(away_from_zero)
    power = tf.pow(away_from_zero, 0.5 * order)
    return power if order % 2 else 0.5 * power * tf.math.log(away_from_zero)


def _with_ones(points: tf.Tensor) -> tf.Tensor:
    return tf.concat([points, tf.ones_like(points[..., :1])], 2)


def _border(height: int, width: int, parts: int) -> np.ndarray:
    """The points that divide each edge of the image into *parts*, row by row."""
    rows, columns = np.linspace(0, height - 1, parts + 1), np.linspace(0, width - 1, parts + 1)
    y, x = np.meshgrid(rows, columns, indexing="ij")
    is_border = (x == 0) | (x == width - 1) | (y == 0) | (y == height - 1)
    return np.stack([y[is_border], x[is_border]], axis=-1)
