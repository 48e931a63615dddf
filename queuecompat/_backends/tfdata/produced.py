"""Datasets of ``ir.Produce``: the rows of epoch after epoch, or the blocks of the files that the rows name."""

from __future__ import annotations

import sys
from typing import Any, List, Optional, Sequence

import tensorflow as tf

from queuecompat._backends.tfdata.blocks import blocks_of_epoch
from queuecompat._backends.tfdata.functions import dataset_function, shared, traced
from queuecompat._backends.tfdata.mapping import filtered, mapped, unbatched
from queuecompat._backends.tfdata.numbered import (
    beside_numbers,
    in_order_of_epoch,
    of_part,
    with_numbers_of,
)
from queuecompat._backends.tfdata.places import produced_after
from queuecompat._backends.tfdata.reading import have_records
from queuecompat._backends.tfdata.replay import replayed
from queuecompat._backends.tfdata.service import split_rows
from queuecompat._plan import ir
from queuecompat._plan.resources import Counter, Occupancy, Resources
from queuecompat.errors import layout

__all__ = ["rows_after", "rows_of_epochs"]

from_variant = tf.data.experimental.from_variant
to_variant = tf.data.experimental.to_variant


def rows_of_epochs(_: None, step: ir.Produce, resources: Resources) -> tf.data.Dataset:
    """Returns the dataset of *step*, which is the first step of its plan."""
    if step.is_split:
        return split_rows(step)
    numbered = _numbered_epochs(step)
    specs = numbered.element_spec
    of_epoch = _of_part(specs[0], step.part)
    some_rows = (of_epoch,) if not step.numbered else (of_epoch, tf.TensorSpec(of_epoch.shape[:1], tf.int64))
    counts = resources.occupancy(step.queue) if step.is_counted and step.num_epochs is not None else None
    counters = [] if counts is None else [handle for counter in counts for handle in counter.handles]
    message = tf.constant(layout("QC303", stage=step.stage))
    start = None if step.start is None else resources.start(step.start)

    if step.blocks is not None:
        return _produced_blocks(numbered, specs, step, start, counts, _epochs_before(step, resources))

    def epoch(
        values: tf.Tensor, number: tf.Tensor, complaint: tf.Tensor, before: tf.Tensor, *handles: tf.Tensor
    ) -> List[tf.Tensor]:
        values, *numbers = of_part(with_numbers_of(number + before if step.numbered else None, values), step.part)
        # With num_epochs=None an empty source would loop forever, and tf.data cannot unbatch zero-size rows.
        tested = tf.raw_ops.Assert(condition=_is_valid_epoch(values, number, step), data=[complaint])
        set_counts = [] if counts is None else _counts_of_epoch(values, number, step.num_epochs, counts, handles)
        with tf.control_dependencies([tested, *set_counts]):
            values = tf.identity(values)
        return in_order_of_epoch([values, *numbers], number, step, start)

    more = [tf.TensorSpec([], tf.string), tf.TensorSpec([], tf.int64)]
    given = [*specs, *more, *(tf.TensorSpec([], tf.resource) for _ in counters)]
    how = (step.num_epochs, step.seeds, step.read_by, step.part, step.numbered, len(counters))
    function = shared(lambda: traced(epoch, given), "epoch", some_rows, *how) if start is None else traced(epoch, given)
    epochs = mapped(numbered, function, some_rows, arguments=[message, _epochs_before(step, resources), *counters])
    if step.replayed:
        epochs = replayed(epochs, some_rows)
    produced = epochs if step.is_whole else unbatched(epochs, step.components)
    return produced if counts is None else produced.concatenate(_nothing_left(step, counts[0]))


def _numbered_epochs(step: ir.Produce) -> tf.data.Dataset:
    """Pairs of an epoch's rows and its number.

    Both come from one source: a tf.data service may hand out the elements of each source to its workers separately, and
    an epoch of which one worker has the rows and another the number would be lost.
    """
    number = tf.TensorSpec([], tf.int64)
    rows = step.body.function([number], carries=True)
    # Including the number of rows, if the graph knows it: tf.data derives the number of elements from it.
    some_rows = tf.TensorSpec(rows.outputs[0].shape, rows.outputs[0].dtype)
    numbers = tf.data.Dataset.range(sys.maxsize if step.num_epochs is None else step.num_epochs)
    return mapped(numbers, rows, (some_rows, number), ends=step.body.may_end)


def _of_part(rows: tf.TensorSpec, part: Optional[ir.Part]) -> tf.TensorSpec:
    """The spec of the rows of *part*, with their number if the total number is known."""
    count = rows.shape[0]
    if part is None or count is None:
        return rows
    first, end = (count * number // part.count for number in (part.number, part.number + 1))
    return tf.TensorSpec([end - first, *rows.shape[1:]], rows.dtype)


def rows_after(_: None, step: ir.Produce, resources: Resources, gone: Any) -> tf.data.Dataset:
    numbered = _numbered_epochs(step)
    message = layout("QC303", stage=step.stage)
    counts = resources.occupancy(step.queue) if step.is_counted and step.num_epochs is not None else None

    def tested(values: tf.Tensor, number: tf.Tensor, has_some: tf.Tensor) -> List[tf.Operation]:
        is_sound = _is_valid_epoch(values, number, step) if step.blocks is None else has_some
        ops = [tf.raw_ops.Assert(condition=is_sound, data=[message])] if _must_have_elements(step) else []
        handles = [] if counts is None else [handle for counter in counts for handle in counter.handles]
        set_counts = [] if counts is None else _counts_of_epoch(values, number, step.num_epochs, counts, handles)
        return [*ops, *set_counts]

    start = None if step.start is None else resources.start(step.start)
    produced = produced_after(numbered, step, gone, start, tested, _epochs_before(step, resources))
    return produced if counts is None else produced.concatenate(_nothing_left(step, counts[0]))


def _must_have_elements(step: ir.Produce) -> bool:
    """Whether an epoch without elements is an error. For blocks it is one only if the epochs would go on forever."""
    return step.blocks is None or step.num_epochs is None


def _epochs_before(step: ir.Produce, resources: Resources) -> tf.Tensor:
    """How many epochs the earlier iterators had; 0 for endless producers, where each iterator begins with the first."""
    if not step.numbered or step.num_epochs is None:
        return tf.constant(0, tf.int64)
    return resources.iteration() * step.num_epochs


def _produced_blocks(
    numbered: tf.data.Dataset,
    specs: Sequence[tf.TensorSpec],
    step: ir.Produce,
    start: Optional[tf.Tensor],
    counts: Optional[Occupancy],
    epochs_before: tf.Tensor,
) -> tf.data.Dataset:
    """The blocks of the files that are the rows of *numbered* epochs.

    A checkpoint holds the names and the number of the current epoch; its blocks are made again from them.
    """
    is_reshuffled = step.blocks is not None and not step.blocks.is_global and step.seeds is not None
    counters = [] if counts is None else [handle for counter in counts for handle in counter.handles]
    complaint = layout("QC303", stage=step.stage)
    given = [*specs, tf.TensorSpec([], tf.int64), *(tf.TensorSpec([], tf.resource) for _ in counters)]

    def epoch(names: tf.Tensor, number: tf.Tensor, before: tf.Tensor, *handles: tf.Tensor) -> List[tf.Tensor]:
        blocks = blocks_of_epoch(names, number, step, start, before)
        is_empty = tf.equal(tf.size(blocks), 0)
        tested = [] if step.num_epochs is not None else [tf.raw_ops.Assert(condition=~is_empty, data=[complaint])]
        set_counts = [] if counts is None else _counts_of_epoch(blocks, number, step.num_epochs, counts, handles)
        with tf.control_dependencies([*tested, *set_counts]):
            blocks = tf.identity(blocks)
        if is_reshuffled:
            (blocks,) = in_order_of_epoch([blocks], number, step, start)
        return [tf.raw_ops.TensorSliceDataset(components=[blocks], output_shapes=[[]])]

    function = traced(epoch, given)
    variant = tf.raw_ops.FlatMapDataset(
        input_dataset=to_variant(numbered),
        other_arguments=[epochs_before, *counters, *function.captured_inputs],
        f=dataset_function(function),
        output_types=[tf.string],
        output_shapes=[[]],
    )
    produced = _beside_numbers(from_variant(variant, tuple(step.components[:1])), step)
    return produced if counts is None else produced.concatenate(_nothing_left(step, counts[0]))


def _beside_numbers(blocks: tf.data.Dataset, step: ir.Produce) -> tf.data.Dataset:
    """*blocks*, with a dummy number if *step* outputs one: the numbers of the records are inside the blocks."""
    return blocks if len(step.components) == 1 else beside_numbers(blocks, 0, step.components)


def _counts_of_epoch(
    values: tf.Tensor, epoch: tf.Tensor, num_epochs: Optional[int], counts: Occupancy, handles: Sequence[tf.Tensor]
) -> List[tf.Operation]:
    """Ops that set how many rows all epochs have together, and how many of them came before this epoch."""
    rows = tf.shape(values, tf.int64)[0]
    entered, left = (counter.with_handles([handle]) for counter, handle in zip(counts, handles))
    return [entered.set(rows * num_epochs), left.set(rows * epoch)]


def _nothing_left(step: ir.Produce, counter: Counter) -> tf.data.Dataset:
    """A dataset without elements; when it is asked for one, it sets *counter*, of the rows still to come, to 0."""

    def is_wanted(*given: tf.Tensor) -> List[tf.Tensor]:
        with tf.control_dependencies([counter.with_handles([given[-1]]).set(tf.constant(0, tf.int64))]):
            return [tf.constant(False)]

    some = tuple(tf.zeros([n or 0 for n in row.shape.as_list()], row.dtype) for row in step.components)
    specs = tuple(tf.TensorSpec(one.shape, one.dtype) for one in some)
    given = [*specs, tf.TensorSpec([], tf.resource)]
    return filtered(
        from_variant(to_variant(tf.data.Dataset.from_tensors(some)), step.components),
        shared(lambda: traced(is_wanted, given), "nothing left", specs),
        counter.handles,
    )


def _is_valid_epoch(values: tf.Tensor, epoch: tf.Tensor, step: ir.Produce) -> tf.Tensor:
    """Whether an epoch with the rows *values* may be used: it has elements, or may be empty."""
    has_content = tf.size(values) > 0
    if step.num_epochs is not None:
        return has_content | tf.equal(tf.shape(values)[0], 0)
    return has_content if step.read_by is None else has_content & have_records(values, epoch, step.read_by)
