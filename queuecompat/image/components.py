"""Connected components and greedy matching, with the names and numbers of ``tf.contrib.image``.

contrib had a C++ op for each; here they are loops of ordinary ops, each step on whole images. Images with long
winding areas need the most steps; ``bipartite_match`` needs a step for each pair.
"""

from __future__ import annotations

from typing import Any, Tuple

import tensorflow as tf

__all__ = ["bipartite_match", "connected_components"]


def connected_components(images: Any) -> tf.Tensor:
    """Numbers the areas of equal, non-zero pixels that touch above, below, left or right.

    Args:
      images: ``[height, width]`` or ``[n, height, width]``, of any type that has a zero.
    Returns:
      The same shape, int32: 0 where *images* is zero; elsewhere the number of the area, starting at 1, in the
      order of the areas' first pixels, row by row and image by image.
    Raises:
      TypeError: a different or unknown rank.
    Differs from TF1: None known.
    Source: TF 1.15.5 ``contrib/image/python/ops/image_ops.py``.
    """
    with tf.name_scope("connected_components"):
        tensor = tf.convert_to_tensor(images, name="images")
        if tensor.shape.rank not in (2, 3):
            raise TypeError(
                f"connected_components: the images have shape {tensor.shape}, not [height, width], [n, height, width]"
            )
        batch = tensor if tensor.shape.rank == 3 else tensor[tf.newaxis]
        roots = _roots(batch)
        flat = tf.reshape(roots, [-1])
        # A root is the first pixel of its area, so counting roots in order is contrib's numbering.
        is_root = tf.equal(flat, tf.range(1, tf.size(flat) + 1))
        numbers = tf.concat([[0], tf.cumsum(tf.cast(is_root, tf.int32))], 0)
        result = tf.gather(numbers, roots)
        result.set_shape(batch.shape)
        return result if tensor.shape.rank == 3 else result[0]


def bipartite_match(
    distance_mat: Any, num_valid_rows: Any, top_k: int = -1, name: str = "bipartite_match"
) -> Tuple[tf.Tensor, tf.Tensor]:
    """Pairs rows with columns, in increasing order of distance, until all rows or all columns are used.

    Args:
      distance_mat: ``[rows, columns]``, float32.
      num_valid_rows: number of rows to pair, the first ones; a scalar or ``[1]``; negative: all rows.
      top_k: maximum number of pairs; 0 or less: not limited.
      name: name scope of the ops.
    Returns:
      The column of each row and the row of each column, int32, ``[rows]`` and ``[columns]``; -1 for none.
    Raises:
      ValueError: *distance_mat* has a different rank.
      tf.errors.InvalidArgumentError: *num_valid_rows* is more than there are.
    Differs from TF1: Of equal distances, the first in row-major order is paired first; TF1's op had its own order.
    Source: TF 1.15.5 ``contrib/image/python/ops/image_ops.py``.
    """
    with tf.name_scope(name):
        distances = tf.convert_to_tensor(distance_mat, tf.float32)
        if distances.shape.rank != 2:
            raise ValueError(f"bipartite_match: distance_mat has shape {distances.shape}, not [rows, columns]")
        rows, columns = tf.shape(distances)[0], tf.shape(distances)[1]
        valid = tf.cast(tf.reshape(num_valid_rows, []), tf.int32)
        enough = tf.debugging.assert_less_equal(valid, rows, message="bipartite_match: fewer rows than num_valid_rows")
        with tf.control_dependencies([enough] if enough is not None else []):
            valid = tf.where(valid < 0, rows, valid)
        pairs = tf.minimum(valid, columns)
        if top_k > 0:
            pairs = tf.minimum(pairs, top_k)

        def pair(count: tf.Tensor, column_of: tf.Tensor, row_of: tf.Tensor) -> Tuple[tf.Tensor, ...]:
            is_free = (column_of < 0)[:, tf.newaxis] & (row_of < 0) & (tf.range(rows) < valid)[:, tf.newaxis]
            nearest = tf.argmin(
                tf.reshape(tf.where(is_free, distances, distances.dtype.max), [-1]), output_type=tf.int32
            )
            row, column = nearest // columns, nearest % columns
            column_of = tf.tensor_scatter_nd_update(column_of, [[row]], [column])
            row_of = tf.tensor_scatter_nd_update(row_of, [[column]], [row])
            return count + 1, column_of, row_of

        start = (tf.constant(0), tf.fill([rows], -1), tf.fill([columns], -1))
        _, column_of, row_of = tf.while_loop(lambda count, *_: count < pairs, pair, start)
        column_of.set_shape(distances.shape[:1])
        row_of.set_shape(distances.shape[1:])
        return column_of, row_of


def _roots(batch: tf.Tensor) -> tf.Tensor:
    """For each pixel, the number, starting at 1, of the first pixel of its area; 0 for zeros."""
    is_set = tf.not_equal(batch, tf.zeros([], batch.dtype))
    own = tf.reshape(tf.range(1, tf.size(is_set) + 1), tf.shape(batch))
    right = tf.equal(batch[:, :, 1:], batch[:, :, :-1])
    below = tf.equal(batch[:, 1:], batch[:, :-1])

    def spread(roots: tf.Tensor, _: tf.Tensor) -> Tuple[tf.Tensor, tf.Tensor]:
        least = _lesser(roots, right, axis=2)
        least = _lesser(least, below, axis=1)
        # The root of a root may be smaller by now: a shortcut along the area.
        least = tf.gather(tf.concat([[0], tf.reshape(least, [-1])], 0), least)
        return least, tf.reduce_any(least < roots)

    start = (tf.where(is_set, own, tf.zeros_like(own)), tf.constant(True))
    shapes = (tf.TensorShape([None, None, None]), tf.TensorShape([]))
    return tf.while_loop(lambda _, has_changed: has_changed, spread, start, shape_invariants=shapes)[0]


def _lesser(roots: tf.Tensor, joined: tf.Tensor, axis: int) -> tf.Tensor:
    """The minimum of each pixel's root and those of its neighbours along *axis* that are *joined* to it."""
    length = tf.shape(roots)[axis]
    before, after = tf.gather(roots, tf.range(length - 1), axis=axis), tf.gather(roots, tf.range(1, length), axis=axis)
    both = tf.minimum(before, after)
    edge = [[0, 0], [0, 0], [0, 0]]
    from_left, from_right = [list(e) for e in edge], [list(e) for e in edge]
    from_left[axis], from_right[axis] = [1, 0], [0, 1]
    most = roots.dtype.max
    nearby = tf.where(joined, both, tf.fill(tf.shape(both), most))
    given = [tf.pad(nearby, padding, constant_values=most) for padding in (from_left, from_right)]
    return tf.minimum(roots, tf.minimum(*given))
