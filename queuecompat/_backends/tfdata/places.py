"""Sources and shuffles that begin at a position, which is known when an iterator begins (``_plan.positions``).

Rule 1: the orders of epochs and windows are functions of a key (a seed, or the start of the iterator) and of the number
        of the epoch or window. The only exception are the orders of a seeded producer, which are TF1's: those of all
        earlier epochs are drawn again, with one op per epoch.
Rule 2: the rows before the position are counted epoch by epoch, because epochs may differ in their number of rows.
"""

from __future__ import annotations

import sys
from typing import Any, Callable, List, Optional, Sequence, Tuple

import tensorflow as tf

from queuecompat._backends.tfdata.blocks import blocks_after
from queuecompat._backends.tfdata.mapping import no_autograph, unbatched
from queuecompat._backends.tfdata.numbered import in_order_of_epoch, of_part, with_numbers_of
from queuecompat._plan import ir

__all__ = ["produced_after", "shuffled_by_windows"]


def produced_after(
    numbered: tf.data.Dataset,
    step: ir.Produce,
    gone: Any,
    start: Optional[tf.Tensor],
    tested: Callable[[tf.Tensor, tf.Tensor, tf.Tensor], List[tf.Operation]],
    epochs_before: tf.Tensor,
) -> tf.data.Dataset:
    """The elements of *step* after the first *gone*, which counts elements or, if *step* outputs blocks, records.

    Args:
      numbered: pairs of an epoch's rows and its number.
      start: determines the orders if no seed does, int64 ``[2]``.
      tested: called with an epoch's rows, its number, and whether it has elements; returns ops that fail if it may not
        be empty and is.
      epochs_before: how many epochs there were before those of this iterator, int64 ``[]``.
    """
    row = ir.rows_spec(step.components[0])
    rest_of = _rows_after if step.blocks is None else _blocks_after

    def epoch(left: tf.Tensor, pair: Tuple[tf.Tensor, tf.Tensor]) -> Tuple[tf.Tensor, Any]:
        rows, number = pair
        rest, total = rest_of(rows, number, left, step, start, epochs_before)
        with tf.control_dependencies(tested(rows, number, total > 0)):
            first = tf.ensure_shape(tf.identity(rest[0]), row.shape)
        return tf.maximum(left - total, 0), (first, *rest[1:])

    epochs = numbered.scan(tf.cast(gone, tf.int64), no_autograph(epoch))
    return unbatched(epochs, step.components)


def _rows_after(
    rows: tf.Tensor,
    number: tf.Tensor,
    gone: tf.Tensor,
    step: ir.Produce,
    start: Optional[tf.Tensor],
    epochs_before: tf.Tensor,
) -> Tuple[List[tf.Tensor], tf.Tensor]:
    given = of_part(with_numbers_of(number + epochs_before if step.numbered else None, rows), step.part)
    total = tf.shape(given[0], tf.int64)[0]
    given = in_order_of_epoch(given, number, step, start)
    return [one[tf.minimum(gone, total) :] for one in given], total


def _blocks_after(
    names: tf.Tensor,
    number: tf.Tensor,
    gone: tf.Tensor,
    step: ir.Produce,
    start: Optional[tf.Tensor],
    epochs_before: tf.Tensor,
) -> Tuple[List[tf.Tensor], tf.Tensor]:
    assert step.blocks is not None
    given = [names, tf.range(tf.shape(names, tf.int64)[0])]
    if not step.blocks.is_global and step.part is None:
        given = in_order_of_epoch(given, number, step, start)
    blocks, total = blocks_after(given[0], number, gone, step, start, given[1], epochs_before)
    return [blocks], total


def shuffled_by_windows(
    dataset: tf.data.Dataset, step: ir.Shuffle, first: Any, start: Optional[tf.Tensor]
) -> tf.data.Dataset:
    """*dataset*, with each window of ``step.buffer`` elements shuffled; the number of the first window is *first*."""
    specs: Sequence[Any] = step.components
    key = tf.constant([step.seed, 0], tf.int64) if start is None else start

    def elements(number: tf.Tensor, *window: Any) -> tf.data.Dataset:
        seeds = tf.random.stateless_uniform([2], key + [0, number], None, None, tf.int64)
        flat = tf.data.Dataset.zip(tuple(window))
        variant = tf.raw_ops.ShuffleDataset(
            input_dataset=tf.data.experimental.to_variant(flat),
            buffer_size=tf.constant(step.buffer, tf.int64),
            seed=seeds[0],
            seed2=seeds[1],
            reshuffle_each_iteration=False,
            output_types=[spec.dtype for spec in specs],
            output_shapes=[spec.shape for spec in specs],
        )
        return tf.data.experimental.from_variant(variant, tuple(specs))

    windows = dataset.window(step.buffer)
    numbers = tf.data.Dataset.range(tf.cast(first, tf.int64), sys.maxsize)
    numbered = tf.data.Dataset.zip((numbers, windows))
    return numbered.flat_map(no_autograph(lambda number, window: elements(number, *_parts(window))))


def _parts(window: Any) -> Tuple[Any, ...]:
    return tuple(window) if isinstance(window, (tuple, list)) else (window,)
