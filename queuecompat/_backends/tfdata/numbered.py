"""Rows of an epoch beside their numbers (``records.numbers``), which take the same way: into parts, into an order."""

from __future__ import annotations

from typing import Callable, List, Optional, Sequence

import tensorflow as tf

from queuecompat._plan import ir
from queuecompat.records.numbers import MASK, OF_EPOCH

__all__ = ["of_part", "shuffled_alike", "with_numbers_of"]


def with_numbers_of(epoch: Optional[tf.Tensor], rows: tf.Tensor) -> List[tf.Tensor]:
    """*rows*, and their numbers in the *epoch* of that number, int64 ``[rows]``; None: *rows* alone."""
    if epoch is None:
        return [rows]
    first = tf.bitwise.bitwise_and(tf.cast(epoch, tf.int64) * OF_EPOCH, tf.constant(MASK, tf.int64))
    return [rows, first + tf.range(tf.shape(rows, tf.int64)[0])]


def of_part(given: Sequence[tf.Tensor], part: Optional[ir.Part]) -> List[tf.Tensor]:
    """The rows of each of *given* that are of *part*; None: all."""
    if part is None:
        return list(given)
    rows = tf.shape(given[0], tf.int64)[0]
    return [one[rows * part.number // part.count : rows * (part.number + 1) // part.count] for one in given]


def shuffled_alike(given: Sequence[tf.Tensor], shuffle: Callable[[tf.Tensor], tf.Tensor]) -> List[tf.Tensor]:
    """All of *given* in the one order that *shuffle* has for as many rows."""
    if len(given) == 1:
        return [shuffle(given[0])]
    # The order of TensorFlow's shuffles is a function of the number of rows and the seed, not of what they are.
    order = shuffle(tf.range(tf.shape(given[0], tf.int64)[0]))
    return [tf.gather(one, order) for one in given]
