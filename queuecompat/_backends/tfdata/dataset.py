"""Plan -> tf.data.Dataset: one function a step, in one table.

An element is a flat tuple of tensors throughout. tf.data's own optimiser is off: it would put in
prefetches and parallel calls that break TF1's bound on held elements and the order of seeded
random numbers, and the passes have done its work.
"""

from __future__ import annotations

import sys
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Type, Union

import tensorflow as tf

from queuecompat._backends.tfdata.blocks import Block, blocks_of_epoch, records_of_all_groups, records_of_block
from queuecompat._backends.tfdata.caching import kept
from queuecompat._backends.tfdata.files import records_of
from queuecompat._backends.tfdata.functions import dataset_function, shared, shared_over, traced
from queuecompat._backends.tfdata.growing import growing
from queuecompat._backends.tfdata.mapping import filtered, flattened, mapped, no_autograph, unbatched
from queuecompat._backends.tfdata.numbered import (
    as_tf1_shuffles,
    beside_numbers,
    in_order_of_epoch,
    of_part,
    with_numbers_of,
)
from queuecompat._backends.tfdata.options import without_tfdata_optimizer
from queuecompat._backends.tfdata.places import produced_after, shuffled_by_windows
from queuecompat._backends.tfdata.replay import replayed
from queuecompat._backends.tfdata.service import fetched, split_rows
from queuecompat._backends.tfdata.skipping import skipping
from queuecompat._backends.tfdata.skipping_files import readable_records
from queuecompat._plan import ir
from queuecompat._plan.bodies import Around, alone
from queuecompat._plan.positions import places
from queuecompat._plan.resources import Counter, NoResources, Occupancy, Resources
from queuecompat.errors import layout

__all__ = ["PrefixCache", "lower"]

from_variant = tf.data.experimental.from_variant
to_variant = tf.data.experimental.to_variant


class PrefixCache:
    """What the plans of one graph begin with, lowered once: many readers on one queue all begin alike.

    Iterators share a dataset as long as nothing in it has a state of its own, as a shuffle has.
    """

    def __init__(self) -> None:
        self._known: List[Tuple[Tuple[ir.Step, ...], tf.data.Dataset]] = []

    def find(self, steps: Tuple[ir.Step, ...]) -> Optional[tf.data.Dataset]:
        return next((dataset for known, dataset in self._known if known == steps), None)

    def keep(self, steps: Tuple[ir.Step, ...], dataset: tf.data.Dataset) -> None:
        if all(map(_is_stateless, steps)):
            self._known.append((steps, dataset))


def _is_stateless(step: ir.Step) -> bool:
    if isinstance(step, ir.Produce):
        return not (step.replayed or step.is_split)
    return isinstance(step, (ir.Endless, ir.Pull)) or (isinstance(step, ir.Read) and not step.skips)


def lower(
    plan: ir.Plan,
    resources: Optional[Resources] = None,
    prefixes: Optional[PrefixCache] = None,
    position: Optional[tf.Tensor] = None,
) -> tf.data.Dataset:
    """The dataset of *plan*, whose passes have run. Call it in the graph that the plan was made in.

    Args:
      resources: what the plan names; None: it names nothing.
      prefixes: of the same graph; what is not among them yet is added.
      position: how many of the elements came before the first one, int64 ``[]``; None: none.
    """
    lowering = _Lowering(resources or NoResources(), prefixes or PrefixCache())
    dataset = lowering.dataset(plan) if position is None else lowering.dataset_after(plan, position)
    return without_tfdata_optimizer(dataset)


class _Lowering:
    """Lowers plans that name the same *resources*."""

    def __init__(self, resources: Resources, prefixes: PrefixCache) -> None:
        self._resources = resources
        self._beginnings = prefixes

    def dataset(self, plan: ir.Plan) -> tf.data.Dataset:
        dataset: Any = None
        for number, step in enumerate(plan.steps, 1):
            known = self._beginnings.find(plan.steps[:number])
            if known is None:
                branches = self._datasets(getattr(step, "branches", ()))
                known = _LOWERINGS[type(step)](branches or dataset, step, self._resources)
                self._beginnings.keep(plan.steps[:number], known)
            dataset = known
        return dataset

    def dataset_after(self, plan: ir.Plan, position: Any) -> tf.data.Dataset:
        """The elements of *plan* after the first *position*."""
        dataset: Any = None
        for step, place in zip(plan.steps, places(plan.steps, position)):
            lowered = _LOWERINGS_AT.get(type(step))
            if isinstance(step, ir.Zip):
                before: Any = [self.dataset_after(branch, place.begin) for branch in step.branches]
            else:
                before = self._datasets(getattr(step, "branches", ())) or dataset
            if lowered is not None:
                dataset = lowered(before, step, self._resources, place.begin)
            else:
                dataset = _LOWERINGS[type(step)](before, step, self._resources)
            if place.skipped is not None:
                dataset = dataset.skip(place.skipped)
        return dataset

    def _datasets(self, branches: Sequence[ir.Plan]) -> List[tf.data.Dataset]:
        """The dataset of each; threads, which all run the same slice, have one and the same."""
        are_threads = len(branches) > 1 and all(branch.steps == branches[0].steps for branch in branches)
        if are_threads and isinstance(branches[0].steps[0], ir.Endless):
            return [self.dataset(branches[0])] * len(branches)
        return [self.dataset(branch) for branch in branches]


def _produce(_: None, step: ir.Produce, resources: Resources) -> tf.data.Dataset:
    if step.is_split:
        return split_rows(step)
    numbered = _numbered_epochs(step)
    specs = numbered.element_spec
    some_rows = specs[1:] if not step.numbered else (*specs[1:], tf.TensorSpec(specs[1].shape[:1], tf.int64))
    counts = resources.occupancy(step.queue) if step.is_counted and step.num_epochs is not None else None
    counters = [] if counts is None else [handle for counter in counts for handle in counter.handles]
    message = tf.constant(layout("QC303", stage=step.stage))
    start = None if step.start is None else resources.start(step.start)

    if step.blocks is not None:
        return _produced_blocks(numbered, specs, step, start, counts, _epochs_before(step, resources))

    def epoch(
        number: tf.Tensor, values: tf.Tensor, complaint: tf.Tensor, before: tf.Tensor, *handles: tf.Tensor
    ) -> List[tf.Tensor]:
        values, *numbers = of_part(with_numbers_of(number + before if step.numbered else None, values), step.part)
        # An endless producer of nothing would spin; and TensorFlow cannot cut rows without content.
        tested = tf.raw_ops.Assert(condition=_gives_something(values, number, step), data=[complaint])
        told = [] if counts is None else _counts_of_epoch(values, number, step.num_epochs, counts, handles)
        with tf.control_dependencies([tested, *told]):
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
    """Pairs of the number of an epoch and its rows."""
    number = tf.TensorSpec([], tf.int64)
    rows = step.body.function([number])
    # With the number of rows, where the graph knows it: by that tf.data knows how many elements there are.
    some_rows = (tf.TensorSpec(rows.outputs[0].shape, rows.outputs[0].dtype),)
    numbers = tf.data.Dataset.range(sys.maxsize if step.num_epochs is None else step.num_epochs)
    epochs = mapped(numbers, rows, some_rows, ends=step.body.may_end)
    return from_variant(to_variant(tf.data.Dataset.zip((numbers, epochs))), (number, *some_rows))


def _produce_after(_: None, step: ir.Produce, resources: Resources, gone: Any) -> tf.data.Dataset:
    numbered = _numbered_epochs(step)
    message = layout("QC303", stage=step.stage)
    counts = resources.occupancy(step.queue) if step.is_counted and step.num_epochs is not None else None

    def tested(values: tf.Tensor, number: tf.Tensor, has_some: tf.Tensor) -> List[tf.Operation]:
        is_sound = _gives_something(values, number, step) if step.blocks is None else has_some
        ops = [tf.raw_ops.Assert(condition=is_sound, data=[message])] if _has_to_give(step) else []
        handles = [] if counts is None else [handle for counter in counts for handle in counter.handles]
        told = [] if counts is None else _counts_of_epoch(values, number, step.num_epochs, counts, handles)
        return [*ops, *told]

    start = None if step.start is None else resources.start(step.start)
    produced = produced_after(numbered, step, gone, start, tested, _epochs_before(step, resources))
    return produced if counts is None else produced.concatenate(_nothing_left(step, counts[0]))


def _has_to_give(step: ir.Produce) -> bool:
    """Whether an epoch without elements is an error; of blocks, it is one only where that would go on forever."""
    return step.blocks is None or step.num_epochs is None


def _epochs_before(step: ir.Produce, resources: Resources) -> tf.Tensor:
    """How many epochs the iterators before this one had; of what has no end, each begins with the first."""
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

    A checkpoint has the names and the number of an epoch that is under way, and its blocks are made again from them.
    """
    is_reshuffled = step.blocks is not None and not step.blocks.is_global and step.seeds is not None
    counters = [] if counts is None else [handle for counter in counts for handle in counter.handles]
    complaint = layout("QC303", stage=step.stage)
    given = [*specs, tf.TensorSpec([], tf.int64), *(tf.TensorSpec([], tf.resource) for _ in counters)]

    def epoch(number: tf.Tensor, names: tf.Tensor, before: tf.Tensor, *handles: tf.Tensor) -> List[tf.Tensor]:
        blocks = blocks_of_epoch(names, number, step, start, before)
        is_empty = tf.equal(tf.size(blocks), 0)
        tested = [] if step.num_epochs is not None else [tf.raw_ops.Assert(condition=~is_empty, data=[complaint])]
        told = [] if counts is None else _counts_of_epoch(blocks, number, step.num_epochs, counts, handles)
        with tf.control_dependencies([*tested, *told]):
            blocks = tf.identity(blocks)
        if is_reshuffled:
            blocks = as_tf1_shuffles(blocks, step.seeds or (0, 0))
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
    """*blocks*, beside which some number comes where *step* outputs one: those of the records are in them."""
    return blocks if len(step.components) == 1 else beside_numbers(blocks, 0, step.components)


def _counts_of_epoch(
    values: tf.Tensor, epoch: tf.Tensor, num_epochs: Optional[int], counts: Occupancy, handles: Sequence[tf.Tensor]
) -> List[tf.Operation]:
    """Ops that say how many rows of all epochs there are, and how many of them came before this one."""
    rows = tf.shape(values, tf.int64)[0]
    entered, left = (counter.over([handle]) for counter, handle in zip(counts, handles))
    return [entered.set(rows * num_epochs), left.set(rows * epoch)]


def _nothing_left(step: ir.Produce, counter: Counter) -> tf.data.Dataset:
    """No elements; when one is asked for, *counter*, of what the producer still has, is set to 0."""

    def is_wanted(*given: tf.Tensor) -> List[tf.Tensor]:
        with tf.control_dependencies([counter.over([given[-1]]).set(tf.constant(0, tf.int64))]):
            return [tf.constant(False)]

    some = tuple(tf.zeros([n or 0 for n in row.shape.as_list()], row.dtype) for row in step.components)
    specs = tuple(tf.TensorSpec(one.shape, one.dtype) for one in some)
    given = [*specs, tf.TensorSpec([], tf.resource)]
    return filtered(
        from_variant(to_variant(tf.data.Dataset.from_tensors(some)), step.components),
        shared(lambda: traced(is_wanted, given), "nothing left", specs),
        counter.handles,
    )


def _gives_something(values: tf.Tensor, epoch: tf.Tensor, step: ir.Produce) -> tf.Tensor:
    """Whether an epoch of *values* has an element; files are looked into from the second epoch on, now and then.

    By then they all have been read once, so that what is wrong with one has been said by the read itself.
    """
    has_content = tf.size(values) > 0
    if step.num_epochs is not None:
        return has_content | tf.equal(tf.shape(values)[0], 0)
    if step.read_by is None:
        return has_content
    read_by = step.read_by
    first = _records_of_all(tf.data.Dataset.from_tensor_slices((values,)), read_by)
    first = first.take(1)
    # A look costs tens of milliseconds, as much as thousands of records: so at epochs 1, 2, 4, 8 ... only.
    is_time = (epoch > 0) & tf.equal(tf.bitwise.bitwise_and(epoch, epoch - 1), 0)
    return tf.cond(is_time, lambda: first.reduce(False, no_autograph(lambda *_: True)), lambda: has_content)


def _distribute(branches: List[tf.data.Dataset], step: ir.Distribute, resources: Resources) -> tf.data.Dataset:
    (branch,) = branches
    return fetched(branch, step, resources.iteration())


def _endless(_: None, step: ir.Endless, resources: Resources) -> tf.data.Dataset:
    return from_variant(to_variant(tf.data.Dataset.range(sys.maxsize)), step.components)


def _pull(_: None, step: ir.Pull, resources: Resources) -> tf.data.Dataset:
    clock = tf.data.Dataset.range(sys.maxsize)
    stream, around = resources.stream(step.stream, step.is_native), _around(step, resources)
    count = len(step.components)  # the number, where there is one, comes last, and not every plan wants it
    if not stream.handles or around is not alone:
        draw = traced(lambda tick: around(stream.draw)[:count], _specs(clock))
        return mapped(clock, draw, step.components, ends=True)
    how = ("draw", step.components, step.has_numbers)
    draw, captured = shared_over(
        stream.handles, lambda tick, *handles: stream.over(handles).draw()[:count], _specs(clock), *how
    )
    return mapped(clock, draw, step.components, ends=True, captured=captured)


def _zip(branches: List[tf.data.Dataset], step: ir.Zip, resources: Resources) -> tf.data.Dataset:
    nested = tf.data.Dataset.zip(tuple(branches))
    # The same tensors as one flat tuple: a matter of names only, so no function call for it.
    return tf.data.experimental.from_variant(tf.data.experimental.to_variant(nested), tuple(step.components))


def _merge(branches: List[tf.data.Dataset], step: ir.Merge, resources: Resources) -> tf.data.Dataset:
    """The branches side by side, each in a thread of its own, taken from as they have elements."""
    count = len(step.branches)
    variants = tf.stack([tf.data.experimental.to_variant(branch) for branch in branches])
    common = dict(
        input_dataset=tf.raw_ops.TensorSliceDataset(components=[variants], output_shapes=[[]]),
        other_arguments=[],
        cycle_length=tf.constant(count, tf.int64),
        block_length=tf.constant(1, tf.int64),
        f=traced(lambda branch: [tf.identity(branch)], [tf.TensorSpec([], tf.variant)]),
        output_types=[spec.dtype for spec in step.components],
        output_shapes=[spec.shape for spec in step.components],
    )
    if step.in_turn:
        merged = tf.raw_ops.InterleaveDataset(**common)
    else:
        # The public ``interleave`` sets no bound on the elements that it holds.
        merged = tf.raw_ops.ParallelInterleaveDatasetV4(
            **common,
            buffer_output_elements=tf.constant(step.ahead, tf.int64),
            prefetch_input_elements=tf.constant(0, tf.int64),
            num_parallel_calls=tf.constant(count, tf.int64),
            deterministic="false",
        )
    return tf.data.experimental.from_variant(merged, tuple(step.components))


def _read(dataset: tf.data.Dataset, step: ir.Read, resources: Resources) -> tf.data.Dataset:
    return readable_records(dataset, step, resources.skip_log()) if step.skips else _records_of_all(dataset, step)


def _records_of_all(dataset: tf.data.Dataset, step: ir.Read) -> tf.data.Dataset:
    """The records of the files that *dataset* names."""

    def records(file_name: tf.Tensor) -> List[tf.Tensor]:
        found = records_of_block(Block.of(file_name), step) if step.open_blocks else records_of(file_name, step)
        return [to_variant(found)]

    if step.open_blocks > 1:
        return records_of_all_groups(dataset, step)
    function = shared(lambda: traced(records, [tf.TensorSpec([], tf.string)]), "records", step)
    return flattened(dataset, function, step.components)


def _run(dataset: tf.data.Dataset, step: ir.Run, resources: Resources) -> tf.data.Dataset:
    # The slice itself is what is called: inside of another function, as Dataset.map would have it, a call of it
    # costs as much again for each element.
    if step.skip is not None:
        return skipping(dataset, step, _specs(dataset), resources.skip_log())
    if step.by_number:
        return _run_after(dataset, step, resources, 0)
    ends = step.body.may_end or step.entrance is not None
    function = step.body.function(_specs(dataset), step.uses, _around(step, resources), step.carries)
    return mapped(
        dataset,
        function,
        step.components,
        parallel_calls=step.parallel_calls,
        ordered=step.ordered or ends,
        ends=ends,
        inline=step.by_index and step.body.only_draws_few,
    )


def _run_after(dataset: tf.data.Dataset, step: ir.Run, resources: Resources, first: Any) -> tf.data.Dataset:
    """As ``_run``; the first element is the *first* one that there is."""
    if not step.by_number:
        return _run(dataset, step, resources)
    assert step.start is not None
    specs, seed = _specs(dataset), tf.TensorSpec([2], tf.int64)
    numbered = tf.data.Dataset.zip((dataset, _seeds_after(resources.start(step.start), first)))
    flat = from_variant(to_variant(numbered), (*specs, seed))
    function = step.body.function([*specs, seed], (*step.uses, len(specs)))
    return mapped(flat, function, step.components, parallel_calls=step.parallel_calls, ends=step.body.may_end)


def _seeds_after(start: tf.Tensor, first: Any) -> tf.data.Dataset:
    """What decides the random numbers of one call after the other, from the one of the number *first* on."""
    seed = tf.TensorSpec([2], tf.int64)
    numbers = tf.data.Dataset.range(tf.cast(first, tf.int64), sys.maxsize)
    plus = shared(
        lambda: traced(lambda number, start: [start + tf.stack([0, number])], [tf.TensorSpec([], tf.int64), seed]),
        "start and number",
    )
    return mapped(numbers, plus, [seed], arguments=[start], inline=True)


def _around(step: Union[ir.Pull, ir.Run], resources: Resources) -> Around:
    """What lets the draws of *step* go through its entrance, if it has one."""
    return alone if step.entrance is None else resources.entrance(step.entrance)


def _cache(dataset: tf.data.Dataset, step: ir.Cache, resources: Resources) -> tf.data.Dataset:
    def made(elements: tf.data.Dataset) -> tf.data.Dataset:
        for one in step.inner:
            elements = _LOWERINGS[type(one)](elements, one, resources)
        return elements

    return kept(dataset, step, _specs(dataset), made)


def _filter(dataset: tf.data.Dataset, step: ir.Filter, resources: Resources) -> tf.data.Dataset:
    specs = _specs(dataset)
    is_kept = shared(lambda: traced(lambda *given: [tf.identity(given[-1])], specs), "last", tuple(specs))
    rest = shared(
        lambda: traced(lambda *given: list(map(tf.identity, given[:-1])), specs), "all but last", tuple(specs)
    )
    return mapped(filtered(dataset, is_kept), rest, step.components)


def _unbatch(dataset: tf.data.Dataset, step: ir.Unbatch, resources: Resources) -> tf.data.Dataset:
    if not step.may_be_empty:
        return unbatched(dataset, step.components)
    # TensorFlow 2.18 to 2.21 die in unbatch() of rows without content.
    return dataset.flat_map(no_autograph(lambda *components: tf.data.Dataset.from_tensor_slices(components)))


def _count(dataset: tf.data.Dataset, step: ir.Count, resources: Resources) -> tf.data.Dataset:
    counter = resources.counter(step)
    if step.every > 1:
        return _counted_ahead(dataset, step, counter)
    specs = _specs(dataset)

    def counted(*given: tf.Tensor) -> List[tf.Tensor]:
        components = given[: len(specs)]
        count = tf.shape(components[0], tf.int64)[0] if step.batched else tf.constant(1, tf.int64)
        with tf.control_dependencies([counter.over(given[len(specs) :]).add(count + step.room)]):
            return [tf.identity(component) for component in components]

    how = (type(counter), step.batched, step.room)
    function, captured = shared_over(counter.handles, counted, specs, "counted", *how)
    return mapped(dataset, function, step.components, ends=True, inline=True, captured=captured)


def _counted_ahead(dataset: tf.data.Dataset, step: ir.Count, counter: Counter) -> tf.data.Dataset:
    """Counts without a call for each element: what chooses the next source, of one, ticks in its place."""

    def ticks(_: tf.Tensor, *handles: tf.Tensor) -> List[tf.Tensor]:
        with tf.control_dependencies([counter.over(handles).add(tf.constant(step.every, tf.int64))]):
            return [tf.zeros([step.every], tf.int64)]

    tick = tf.TensorSpec([], tf.int64)
    function, captured = shared_over(counter.handles, ticks, [tick], "ticks", type(counter), step.every)
    numbers, row = tf.data.Dataset.range(sys.maxsize), tf.TensorSpec([step.every], tf.int64)
    rows = mapped(numbers, function, [row], ends=True, captured=captured)
    chosen = tf.raw_ops.DirectedInterleaveDataset(
        selector_input_dataset=to_variant(unbatched(rows, [tick])),
        data_input_datasets=[to_variant(dataset)],
        output_types=[spec.dtype for spec in step.components],
        output_shapes=[spec.shape for spec in step.components],
        stop_on_empty_dataset=True,
    )
    return from_variant(chosen, tuple(step.components))


def _shuffle(dataset: tf.data.Dataset, step: ir.Shuffle, resources: Resources) -> tf.data.Dataset:
    if step.by_windows:
        return _shuffle_after(dataset, step, resources, 0)
    seed = step.seed
    if step.start is not None:
        seed = tf.random.stateless_uniform([], resources.start(step.start), None, None, tf.int64)
    if step.growth is None:
        return dataset.shuffle(step.buffer, seed=seed)
    own = [resources.stream(key, is_native=True) for key in step.growth.own]
    return growing(dataset, step, own)


def _shuffle_after(dataset: tf.data.Dataset, step: ir.Shuffle, resources: Resources, first: Any) -> tf.data.Dataset:
    start = None if step.start is None else resources.start(step.start)
    return shuffled_by_windows(dataset, step, first, start)


def _endless_after(_: None, step: ir.Endless, resources: Resources, gone: Any) -> tf.data.Dataset:
    return from_variant(to_variant(tf.data.Dataset.range(gone, sys.maxsize)), step.components)


def _batch(dataset: tf.data.Dataset, step: ir.Batch, resources: Resources) -> tf.data.Dataset:
    if step.refills:
        return _refilled(dataset, step)
    return _stacked(dataset, step.components, step.size, step)


def _refilled(dataset: tf.data.Dataset, step: ir.Batch) -> tf.data.Dataset:
    """Batches of the rows of *dataset*'s; one that is whole passes as it is."""
    variant = tf.raw_ops.RebatchDatasetV2(
        input_dataset=to_variant(dataset),
        batch_sizes=tf.constant([step.size], tf.int64),
        drop_remainder=tf.constant(step.drop_remainder),
        output_types=[spec.dtype for spec in step.components],
        output_shapes=[spec.shape for spec in step.components],
    )
    return from_variant(variant, tuple(step.components))


def _stacked(
    dataset: tf.data.Dataset, components: ir.Components, size: Any, step: Union[ir.Batch, ir.Bucket]
) -> tf.data.Dataset:
    """Batches of *size*, a number or a tensor, with what *step* says of padding and of the last one."""
    if step.padded and any(spec.dtype == tf.variant for spec in components):
        return _padded_with_variants(dataset, components, size, step.drop_remainder)
    if step.padded:
        shapes = tuple(spec.shape[1:] for spec in components)
        return dataset.padded_batch(size, padded_shapes=shapes, drop_remainder=step.drop_remainder)
    return dataset.batch(size, drop_remainder=step.drop_remainder)


def _padded_with_variants(
    dataset: tf.data.Dataset, components: ir.Components, size: Any, drop_remainder: bool
) -> tf.data.Dataset:
    """``padded_batch``, whose public form takes no variants (stored SparseTensors; they need no padding)."""
    nothing = tf.raw_ops.EmptyTensorList(
        element_shape=tf.constant([], tf.int32), max_num_elements=0, element_dtype=tf.int32
    )
    shapes = [[-1 if n is None else n for n in spec.shape[1:].as_list()] for spec in components]
    batched = tf.raw_ops.PaddedBatchDatasetV2(
        input_dataset=tf.data.experimental.to_variant(dataset),
        batch_size=tf.convert_to_tensor(size, tf.int64),
        padded_shapes=[tf.constant(shape, tf.int64) for shape in shapes],
        padding_values=[nothing if spec.dtype == tf.variant else tf.zeros([], spec.dtype) for spec in components],
        drop_remainder=tf.constant(drop_remainder),
        output_shapes=[spec.shape for spec in components],
    )
    return tf.data.experimental.from_variant(batched, tuple(components))


def _bucket(dataset: tf.data.Dataset, step: ir.Bucket, resources: Resources) -> tf.data.Dataset:
    """One window for each bucket. The number travels along and is stacked too: no call an element takes it off."""
    count, (number, *stacked) = len(step.sizes), step.components
    rows = None if len(set(step.sizes)) > 1 or not step.drop_remainder else step.sizes[0]
    components = (*stacked, tf.TensorSpec([rows], number.dtype))

    def is_bucket(key: tf.Tensor) -> tf.Tensor:
        return (key >= 0) & (key < count)

    @no_autograph
    def size_of(key: tf.Tensor) -> tf.Tensor:
        # What is in no bucket is a window of its own, so that nothing collects there.
        return tf.gather(
            tf.constant([*step.sizes, 1], tf.int64), tf.where(is_bucket(key), key, tf.constant(count, tf.int64))
        )

    @no_autograph
    def batches(key: tf.Tensor, window: tf.data.Dataset) -> tf.data.Dataset:
        size = size_of(key) if len(set(step.sizes)) > 1 else step.sizes[0]
        everything, nothing = tf.constant(-1, tf.int64), tf.constant(0, tf.int64)
        return _stacked(window.take(tf.where(is_bucket(key), everything, nothing)), components, size, step)

    key_of = no_autograph(lambda *components: tf.cast(components[-1], tf.int64))
    grouped = dataset.group_by_window(key_of, batches, window_size_func=size_of)
    return grouped.map(no_autograph(lambda *components: (components[-1][0], *components[:-1])))


def _prefetch(dataset: tf.data.Dataset, step: ir.Prefetch, resources: Resources) -> tf.data.Dataset:
    return dataset.prefetch(step.count)


_LOWERINGS: Dict[Type[ir.Step], Callable[[Any, Any, Resources], tf.data.Dataset]] = {
    ir.Batch: _batch,
    ir.Bucket: _bucket,
    ir.Cache: _cache,
    ir.Count: _count,
    ir.Distribute: _distribute,
    ir.Endless: _endless,
    ir.Filter: _filter,
    ir.Merge: _merge,
    ir.Prefetch: _prefetch,
    ir.Produce: _produce,
    ir.Pull: _pull,
    ir.Read: _read,
    ir.Run: _run,
    ir.Shuffle: _shuffle,
    ir.Unbatch: _unbatch,
    ir.Zip: _zip,
}

# The same of steps that can begin at a place: of an element, or of a window.
_LOWERINGS_AT: Dict[Type[ir.Step], Callable[[Any, Any, Resources, Any], tf.data.Dataset]] = {
    ir.Endless: _endless_after,
    ir.Produce: _produce_after,
    ir.Run: _run_after,
    ir.Shuffle: _shuffle_after,
}


def _specs(dataset: tf.data.Dataset) -> List[tf.TensorSpec]:
    return [tf.TensorSpec(spec.shape, spec.dtype) for spec in tf.nest.flatten(dataset.element_spec)]
