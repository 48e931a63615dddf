"""Rows of an epoch with their numbers (``records.numbers``), which are cut into parts and shuffled together."""

from __future__ import annotations

import sys
from typing import Any, List, Optional, Sequence

import tensorflow as tf

from queuecompat._plan import ir
from queuecompat.records.numbers import MASK, OF_EPOCH, OF_FILE, OF_PRODUCER

__all__ = [
    "as_tf1_shuffles",
    "beside_numbers",
    "first_of_file",
    "in_order_of_epoch",
    "of_part",
    "one_number",
    "with_numbers_of",
]


def with_numbers_of(epoch: Optional[tf.Tensor], rows: tf.Tensor) -> List[tf.Tensor]:
    """*rows*, and their numbers in that *epoch*, int64 ``[rows]``; *rows* alone if *epoch* is None."""
    if epoch is None:
        return [rows]
    first = _positive(tf.cast(epoch, tf.int64) * OF_EPOCH)
    return [rows, first + tf.range(tf.shape(rows, tf.int64)[0])]


def beside_numbers(records: tf.data.Dataset, first: Any, components: Sequence[tf.TensorSpec]) -> tf.data.Dataset:
    """*records*, each with its number, which counts from *first*.

    Args:
      components: the specs of record and number, flat.
    """
    zipped = tf.data.Dataset.zip((records, tf.data.Dataset.range(first, sys.maxsize)))
    # Regroups the same tensors into one flat tuple, without a function call.
    return tf.data.experimental.from_variant(tf.data.experimental.to_variant(zipped), tuple(components))


def first_of_file(number: tf.Tensor) -> tf.Tensor:
    """The number of the first record of a file whose own number, as a row, is *number*."""
    return _positive(number * OF_FILE)


def one_number(numbers: Sequence[tf.Tensor]) -> tf.Tensor:
    """The number of an element that was made of records with these *numbers*."""
    one, *others = numbers
    for other in others:
        one = _positive(one * OF_PRODUCER + other)
    return one


def _positive(number: tf.Tensor) -> tf.Tensor:
    return tf.bitwise.bitwise_and(number, tf.constant(MASK, tf.int64))


def of_part(given: Sequence[tf.Tensor], part: Optional[ir.Part]) -> List[tf.Tensor]:
    """The rows of each of *given* that belong to *part*; all of them if *part* is None."""
    if part is None:
        return list(given)
    rows = tf.shape(given[0], tf.int64)[0]
    return [one[rows * part.number // part.count : rows * (part.number + 1) // part.count] for one in given]


def in_order_of_epoch(
    given: Sequence[tf.Tensor], number: tf.Tensor, step: ir.Produce, start: Optional[tf.Tensor]
) -> List[tf.Tensor]:
    """The rows of each of *given*, all in the order of the epoch with that *number*."""
    if step.seeds is None:
        return list(given)
    if len(given) == 1:
        return [_shuffled(given[0], number, step, start)]
    # The order of a TensorFlow shuffle depends on the number of rows and the seed, not on the rows.
    order = _shuffled(tf.range(tf.shape(given[0], tf.int64)[0]), number, step, start)
    return [tf.gather(one, order) for one in given]


def _shuffled(rows: tf.Tensor, number: tf.Tensor, step: ir.Produce, start: Optional[tf.Tensor]) -> tf.Tensor:
    if step.is_seeded or start is None:
        assert step.seeds is not None
        return as_tf1_shuffles(rows, step.seeds)
    return tf.random.experimental.stateless_shuffle(rows, start + [0, number])


def as_tf1_shuffles(values: tf.Tensor, seeds: ir.Seeds) -> tf.Tensor:
    """*values* in a random order; the same as in TensorFlow 1, if *seeds* has a seed."""
    return tf.raw_ops.RandomShuffle(value=values, seed=seeds[0] or 0, seed2=seeds[1] or 0)
