"""Mirrors some elements of a batch: only those are copied twice."""

from __future__ import annotations

from typing import Any, List, Sequence

import tensorflow as tf

__all__: List[str] = ["mirrored"]


def mirrored(rows: Any, axes: Sequence[int], condition: Any, numbers: Any) -> Any:
    """Returns *rows*, of which those with a true *condition* are mirrored along *axes* of the element.

    Args:
      condition: bool ``[batch]``.
      numbers: the numbers of the rows, from 0.
    """
    sides = tf.cast(condition, tf.int32)
    places = tf.dynamic_partition(numbers, sides, 2)
    same, changed = tf.dynamic_partition(rows, sides, 2)
    stitched = tf.dynamic_stitch(places, [same, tf.reverse(changed, [axis + 1 for axis in axes])])
    stitched.set_shape(rows.shape)
    return stitched
