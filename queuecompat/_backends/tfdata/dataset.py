"""Plan -> tf.data.Dataset: one table with a function per kind of step. Larger ones have modules of their own.

An element is always a flat tuple of tensors. tf.data's own optimiser is off: it would insert prefetches and parallel
calls that break TF1's bound on the elements held and the order of seeded random numbers, and the passes have already
done its work.
"""

from __future__ import annotations

import dataclasses
import functools
import sys
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Type, Union

import tensorflow as tf

from queuecompat._backends.tfdata.batches import batched, bucketed
from queuecompat._backends.tfdata.caching import cached
from queuecompat._backends.tfdata.counting import counted
from queuecompat._backends.tfdata.functions import shared, shared_over, traced
from queuecompat._backends.tfdata.growing import growing
from queuecompat._backends.tfdata.mapping import filtered, mapped, no_autograph, specs_of, unbatched
from queuecompat._backends.tfdata.numbered import one_number
from queuecompat._backends.tfdata.options import without_tfdata_optimizer
from queuecompat._backends.tfdata.places import shuffled_by_windows
from queuecompat._backends.tfdata.produced import rows_after, rows_of_epochs
from queuecompat._backends.tfdata.reading import records_of_all
from queuecompat._backends.tfdata.service import fetched
from queuecompat._backends.tfdata.skipping import skipping
from queuecompat._backends.tfdata.skipping_files import readable_records
from queuecompat._plan import ir
from queuecompat._plan.bodies import Around, alone
from queuecompat._plan.positions import places
from queuecompat._plan.resources import NoResources, Resources

__all__ = ["PrefixCache", "lower"]

from_variant = tf.data.experimental.from_variant
to_variant = tf.data.experimental.to_variant


class PrefixCache:
    """The common prefixes of the plans of one graph, each lowered once: all readers of a queue begin in the same way.

    Iterators can share a dataset if no step in it has state of its own, such as a shuffle's.
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
    """The dataset of *plan*, on which the passes have run. Must be called in the graph in which the plan was made.

    Args:
      resources: what the plan refers to; None: it refers to nothing.
      prefixes: the prefix cache of the same graph; new prefixes are added to it.
      position: how many elements to leave out at the beginning, int64 ``[]``; None: none.
    """
    lowering = _Lowering(resources or NoResources(), prefixes or PrefixCache())
    dataset = lowering.dataset(plan) if position is None else lowering.dataset_after(plan, position)
    return without_tfdata_optimizer(dataset)


class _Lowering:
    """Lowers plans that refer to the same *resources*."""

    def __init__(self, resources: Resources, prefixes: PrefixCache) -> None:
        self._resources = resources
        self._prefixes = prefixes

    def dataset(self, plan: ir.Plan) -> tf.data.Dataset:
        dataset: Any = None
        for number, step in enumerate(plan.steps, 1):
            known = self._prefixes.find(plan.steps[:number])
            if known is None:
                branches = self._datasets(getattr(step, "branches", ()))
                known = _LOWERINGS[type(step)](branches or dataset, step, self._resources)
                self._prefixes.keep(plan.steps[:number], known)
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
        """The dataset of each branch.

        Branches that stand for threads running the same slice without an input share one dataset.
        """
        are_threads = len(branches) > 1 and all(branch.steps == branches[0].steps for branch in branches)
        if are_threads and isinstance(branches[0].steps[0], ir.Endless):
            return [self.dataset(branches[0])] * len(branches)
        return [self.dataset(branch) for branch in branches]


def _distribute(branches: List[tf.data.Dataset], step: ir.Distribute, resources: Resources) -> tf.data.Dataset:
    (branch,) = branches
    return fetched(branch, step, resources.iteration())


def _endless(_: None, step: ir.Endless, resources: Resources) -> tf.data.Dataset:
    return from_variant(to_variant(tf.data.Dataset.range(sys.maxsize)), step.components)


def _pull(_: None, step: ir.Pull, resources: Resources) -> tf.data.Dataset:
    clock = tf.data.Dataset.range(sys.maxsize)
    stream, around = resources.stream(step.stream, step.is_native), _around(step, resources)
    count = len(step.components)  # drops the number, which comes last, if the plan does not use it
    inline = stream.waits_inline and around is alone
    if not stream.handles or around is not alone:
        draw = traced(lambda tick: around(functools.partial(stream.draw, inline=inline))[:count], specs_of(clock))
        return mapped(clock, draw, step.components, ends=True, inline=inline)
    how = ("draw", step.components, step.has_numbers, inline)
    draw, captured = shared_over(
        stream.handles,
        lambda tick, *handles: stream.with_handles(handles).draw(inline=inline)[:count],
        specs_of(clock),
        *how,
    )
    return mapped(clock, draw, step.components, ends=True, inline=inline, captured=captured)


def _zip(branches: List[tf.data.Dataset], step: ir.Zip, resources: Resources) -> tf.data.Dataset:
    nested = tf.data.Dataset.zip(tuple(branches))
    widths = [len(specs_of(branch)) for branch in branches]
    specs = specs_of(nested)
    # Regroups the same tensors into one flat tuple, without a function call.
    flat = from_variant(to_variant(nested), tuple(specs if step.numbered else step.components))
    if not step.numbered:
        return flat
    of_numbers = {sum(widths[: number + 1]) - 1 for number in range(len(widths))}

    def with_one_number(*given: tf.Tensor) -> List[tf.Tensor]:
        elements = [tf.identity(one) for place, one in enumerate(given) if place not in of_numbers]
        return [*elements, one_number([given[place] for place in sorted(of_numbers)])]

    function = shared(lambda: traced(with_one_number, specs), "one number", tuple(specs), tuple(widths))
    return mapped(flat, function, step.components, inline=True)


def _merge(branches: List[tf.data.Dataset], step: ir.Merge, resources: Resources) -> tf.data.Dataset:
    """The elements of all branches, in the order in which they become ready; each branch has a thread of its own.

    With ``step.in_turn``, the branches alternate instead.
    """
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
        # The public ``interleave`` does not bound the elements that it holds.
        merged = tf.raw_ops.ParallelInterleaveDatasetV4(
            **common,
            buffer_output_elements=tf.constant(step.ahead, tf.int64),
            prefetch_input_elements=tf.constant(0, tf.int64),
            num_parallel_calls=tf.constant(count, tf.int64),
            deterministic="false",
        )
    return tf.data.experimental.from_variant(merged, tuple(step.components))


def _read(dataset: tf.data.Dataset, step: ir.Read, resources: Resources) -> tf.data.Dataset:
    return readable_records(dataset, step, resources.skip_log()) if step.skips else records_of_all(dataset, step)


def _run(dataset: tf.data.Dataset, step: ir.Run, resources: Resources) -> tf.data.Dataset:
    # The slice is called directly. Dataset.map would call it from inside a function of its own, which doubles the cost
    # per element.
    if step.skip is not None:
        return skipping(dataset, step, specs_of(dataset), resources.skip_log())
    if step.by_number:
        return _run_after(dataset, step, resources, 0)
    ends = step.body.may_end or step.entrance is not None
    function = step.body.function(specs_of(dataset), step.uses, _around(step, resources), step.carries)
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
    """Like ``_run``, for elements of which the first is number *first* of the whole pipeline."""
    if not step.by_number:
        return _run(dataset, step, resources)
    assert step.start is not None
    specs, seed = specs_of(dataset), tf.TensorSpec([2], tf.int64)
    numbered = tf.data.Dataset.zip((dataset, _seeds_after(resources.start(step.start), first)))
    flat = from_variant(to_variant(numbered), (*specs, seed))
    function = step.body.function([*specs, seed], (*step.uses, len(specs)))
    return mapped(flat, function, step.components, parallel_calls=step.parallel_calls, ends=step.body.may_end)


def _seeds_after(start: tf.Tensor, first: Any) -> tf.data.Dataset:
    """The seeds of consecutive calls, int64 ``[2]`` each, from the call with number *first* on."""
    seed = tf.TensorSpec([2], tf.int64)
    numbers = tf.data.Dataset.range(tf.cast(first, tf.int64), sys.maxsize)
    plus = shared(
        lambda: traced(lambda number, start: [start + tf.stack([0, number])], [tf.TensorSpec([], tf.int64), seed]),
        "start and number",
    )
    return mapped(numbers, plus, [seed], arguments=[start], inline=True)


def _around(step: Union[ir.Pull, ir.Run], resources: Resources) -> Around:
    """Lets the draws of *step* pass its entrance, if it has one."""
    return alone if step.entrance is None else resources.entrance(step.entrance)


def _cache(dataset: tf.data.Dataset, step: ir.Cache, resources: Resources) -> tf.data.Dataset:
    inner = step.with_inner(_of_single_blocks).inner

    def compute(elements: tf.data.Dataset) -> tf.data.Dataset:
        for one in inner:
            elements = _LOWERINGS[type(one)](elements, one, resources)
        return elements

    return cached(dataset, step, specs_of(dataset), compute)


def _of_single_blocks(step: ir.Step) -> ir.Step:
    """*step* for use inside a cache, which splits groups of blocks itself and reads one block at a time."""
    if not isinstance(step, ir.Read) or step.open_blocks <= 1:
        return step
    return dataclasses.replace(step, open_blocks=1, in_turn=1)


def _filter(dataset: tf.data.Dataset, step: ir.Filter, resources: Resources) -> tf.data.Dataset:
    specs = specs_of(dataset)
    is_kept = shared(lambda: traced(lambda *given: [tf.identity(given[-1])], specs), "last", tuple(specs))
    rest = shared(
        lambda: traced(lambda *given: list(map(tf.identity, given[:-1])), specs), "all but last", tuple(specs)
    )
    return mapped(filtered(dataset, is_kept), rest, step.components)


def _unbatch(dataset: tf.data.Dataset, step: ir.Unbatch, resources: Resources) -> tf.data.Dataset:
    if not step.may_be_empty:
        return unbatched(dataset, step.components)
    # In TensorFlow 2.18 to 2.21, unbatch() of zero-size rows crashes the process.
    return dataset.flat_map(no_autograph(lambda *components: tf.data.Dataset.from_tensor_slices(components)))


def _shuffle(dataset: tf.data.Dataset, step: ir.Shuffle, resources: Resources) -> tf.data.Dataset:
    if step.by_windows:
        return _shuffle_after(dataset, step, resources, 0)
    seed = step.seed
    if step.start is not None:
        seed = tf.random.stateless_uniform([], resources.start(step.start), None, None, tf.int64)
    if step.growth is None:
        return dataset.shuffle(step.buffer, seed=seed)
    own = [resources.stream(key, is_native=True) for key in step.growth.own]
    return growing(dataset, step, seed, own)


def _shuffle_after(dataset: tf.data.Dataset, step: ir.Shuffle, resources: Resources, first: Any) -> tf.data.Dataset:
    start = None if step.start is None else resources.start(step.start)
    return shuffled_by_windows(dataset, step, first, start)


def _endless_after(_: None, step: ir.Endless, resources: Resources, gone: Any) -> tf.data.Dataset:
    return from_variant(to_variant(tf.data.Dataset.range(gone, sys.maxsize)), step.components)


def _prefetch(dataset: tf.data.Dataset, step: ir.Prefetch, resources: Resources) -> tf.data.Dataset:
    return dataset.prefetch(step.count)


_LOWERINGS: Dict[Type[ir.Step], Callable[[Any, Any, Resources], tf.data.Dataset]] = {
    ir.Batch: batched,
    ir.Bucket: bucketed,
    ir.Cache: _cache,
    ir.Count: counted,
    ir.Distribute: _distribute,
    ir.Endless: _endless,
    ir.Filter: _filter,
    ir.Merge: _merge,
    ir.Prefetch: _prefetch,
    ir.Produce: rows_of_epochs,
    ir.Pull: _pull,
    ir.Read: _read,
    ir.Run: _run,
    ir.Shuffle: _shuffle,
    ir.Unbatch: _unbatch,
    ir.Zip: _zip,
}

# The lowerings of steps that can begin at a position: that of an element, or of a window.
_LOWERINGS_AT: Dict[Type[ir.Step], Callable[[Any, Any, Resources, Any], tf.data.Dataset]] = {
    ir.Endless: _endless_after,
    ir.Produce: rows_after,
    ir.Run: _run_after,
    ir.Shuffle: _shuffle_after,
}
