"""Lowers the plan of an input function to a tf.data.Dataset for eager mode."""

from __future__ import annotations

import dataclasses
import itertools
from typing import Any, Callable, Optional, Sequence, Tuple

import tensorflow as tf

from queuecompat._analysis.slicing import Slice
from queuecompat._backends.tfdata.dataset import PrefixCache, lower
from queuecompat._backends.tfdata.dispatchers import require_dispatcher
from queuecompat._backends.tfdata.mapping import no_autograph
from queuecompat._backends.tfdata.options import without_tfdata_optimizer
from queuecompat._backends.tfdata.replay import SharedStream, replayed, resumed
from queuecompat._eager.binding import Binding
from queuecompat._eager.deterministic import (
    deterministic,
    filled_at_once,
    has_blocks_by_start,
    is_in_global_order,
    is_seeded,
    is_stateful,
)
from queuecompat._eager.explaining import DatasetExplainer, explaining
from queuecompat._eager.own_variables import own_variable
from queuecompat._eager.program_seeds import ProgramSeeds, key_of, program_seeds
from queuecompat._eager.resources import DatasetResources
from queuecompat._eager.restoring import warned_if_different, watch_for_lost_positions
from queuecompat._eager.trace_backend import TraceBackend
from queuecompat._eager.tracing import Trace, failure_of, shared_stages
from queuecompat._native.python_functions import numpy_function
from queuecompat._passes import optimise
from queuecompat._passes.cache_elements import warn_uncached
from queuecompat._passes.draw_by_index import warn_unindexed
from queuecompat._plan import ir
from queuecompat._plan.cardinality import is_endless
from queuecompat._plan.orders import warn_of_order_problems
from queuecompat._plan.positions import fingerprint, warn_if_not_resumable
from queuecompat._plan.resources import Resources
from queuecompat._plan.service import local_reason, remote_plan_of
from queuecompat._plan.skipped import SkipLog
from queuecompat._plan.stages import Stage, plan_of
from queuecompat._plan.starts import decided_by_starts
from queuecompat._session.steps import failures
from queuecompat.errors import QueueCompatRuntimeError, Reason, at_line

__all__ = ["DatasetInfo", "compiled"]


@dataclasses.dataclass(frozen=True)
class DatasetInfo:
    """The plans and objects that a dataset was made from, for ``explain``, and to keep them alive.

    Attributes:
      plan: the plan of its elements; None if they come from a session, for *reason*.
      shared: the streams that several consumers share: name and plan of each, upstream ones first.
      structure: the structure of its elements, with specs as leaves.
      bind: maps a tensor that a slice captured to its eager twin.
      captured: the name and the plan before any pass, of each shared stream and of the dataset.
      ignored: for elements from a session: text about options that TensorFlow's own queues ignore.
      local_reason: why this process computes the elements, although a tf.data service was chosen.
    """

    plan: Optional[ir.Plan] = None
    shared: Tuple[Tuple[str, ir.Plan], ...] = ()
    structure: Any = None
    bind: Any = None
    reason: Optional[Reason] = None
    captured: Tuple[Tuple[str, ir.Plan], ...] = ()
    ignored: str = ""
    local_reason: Optional[Reason] = None


def compiled(traced: Trace, end: Stage) -> tf.data.Dataset:
    """Returns the dataset of the elements of *end*, the last stage of *traced*.

    Raises:
      CannotCompileError: an op in it can only run in a session.
    """
    warn_of_order_problems([one for one in traced.pipelines.stages if isinstance(one, Stage)], set())
    why_here = local_reason(end) if end.options.data_service is not None else None
    if end.options.data_service is not None and why_here is None:
        return _from_service(traced, end)
    stages = shared_stages(end)
    captured = tuple((stage.key, plan_of(stage)) for stage in (*stages, end))
    plans = [optimise(plan) for _, plan in captured]
    for plan in plans:
        warn_uncached(plan)
        warn_unindexed(plan)
    seeds = program_seeds()
    resumes = plans[-1].options.checkpoint and not stages
    replays = any(map(is_stateful, plans)) and not resumes
    if not resumes and (replays or seeds is not None):
        plans = [deterministic(plan, by_number=seeds is not None) for plan in plans]
    if resumes:  # the pass 'order_by_position' has prepared the plan for this
        warn_if_not_resumable(plans[-1])
        watch_for_lost_positions()
    elif not replays:
        plans = [ir.mapped(plan, filled_at_once) for plan in plans]
    else:
        # One batch is prefetched after the counter of the replayed stream (the batch in flight). Elements that
        # prefetches before that counter hold do not count as taken.
        plans[-1] = plans[-1].with_steps((*plans[-1].steps, ir.Prefetch(plans[-1].components, 1)))
    *shared_plans, plan = plans
    lowering = _Lowering(traced, plan, list(zip(stages, shared_plans)), replays, seeds)
    elements = _with_position(_failing(lowering.dataset(), failure_of(traced, end)))
    dataset = _with_cardinality(_structured(elements, traced), plan)
    # Every derived dataset references this one, and so the variables and tables that are kept here.
    named = tuple((stage.key, one) for stage, one in zip(stages, shared_plans))
    dataset._queuecompat = DatasetInfo(
        plan, named, traced.structure, lowering.binding, captured=captured, local_reason=why_here
    )
    preview, all_of_it = plan_of(end, is_preview=True), [*shared_plans, plan]
    return explaining(dataset, DatasetExplainer(preview, traced.graph, lowering.binding, all_of_it))


def _from_service(traced: Trace, end: Stage) -> tf.data.Dataset:
    """Returns the dataset of the elements of *end*, computed by the workers of its tf.data service."""
    captured = remote_plan_of(end)
    plan = optimise(captured)
    warn_unindexed(plan)
    lowering = _Lowering(traced, plan, [], replays=False)
    elements = _failing(lowering.dataset(), failure_of(traced, end))
    dataset = _with_cardinality(_structured(without_tfdata_optimizer(elements), traced), plan)
    pairs = ((end.key, captured),)
    dataset._queuecompat = DatasetInfo(plan, (), traced.structure, lowering.binding, captured=pairs)
    return explaining(dataset, DatasetExplainer(plan_of(end, is_preview=True), traced.graph, lowering.binding, [plan]))


def _with_cardinality(dataset: tf.data.Dataset, plan: ir.Plan) -> tf.data.Dataset:
    """Returns *dataset*, known to have no end if *plan* has none: older versions of TensorFlow do not infer this."""
    if not is_endless(plan):
        return dataset
    return dataset.apply(tf.data.experimental.assert_cardinality(tf.data.INFINITE_CARDINALITY))


def _failing(dataset: tf.data.Dataset, text: str) -> tf.data.Dataset:
    """Returns *dataset*; if there is a *text*, one that raises InvalidArgumentError with it at the first element."""
    if not text:
        return dataset

    def failed(number: tf.Tensor) -> tf.Tensor:
        with tf.control_dependencies([tf.raw_ops.Assert(condition=tf.constant(False), data=[text])]):
            return tf.identity(number)

    return tf.data.Dataset.range(1).map(no_autograph(failed)).flat_map(no_autograph(lambda _: dataset))


def _with_position(dataset: tf.data.Dataset) -> tf.data.Dataset:
    """Returns *dataset* so that TensorFlow can save an iterator's position; ``replayed`` saves the rest of it."""
    options = tf.data.Options()
    options.experimental_external_state_policy = tf.data.experimental.ExternalStatePolicy.IGNORE
    return without_tfdata_optimizer(dataset).with_options(options)


class _Lowering:
    """Lowers one plan, and those of the shared stages upstream, to a dataset for eager mode.

    Rule 1: The state of shared streams, and of seeded ops of the input function, belongs to one iterator of the dataset
            and starts with it.
    Rule 2: The position of an iterator can be saved and restored, whatever the plan contains (see ``replay``).

    Args:
      shared: the stages with several consumers and the plan of each, upstream ones first.
      replays: whether restoring a position draws all elements before it again.
      seeds: the program's seeds, which decide everything that no seed of the input function does; None: each iterator
        draws its own.
    """

    def __init__(
        self,
        traced: Trace,
        plan: ir.Plan,
        shared: Sequence[Tuple[Stage, ir.Plan]],
        replays: bool,
        seeds: Optional[ProgramSeeds] = None,
    ) -> None:
        backend = traced.pipelines.backend
        assert isinstance(backend, TraceBackend)
        self.binding = Binding(traced.graph, backend.arrays)
        self._plan = plan
        self._shared = shared
        self._replays = replays
        self._seeds = seeds
        self._skipped = _skip_log(plan)
        self._plain = DatasetResources(skipped=self._skipped)
        self._fingerprint = fingerprint(plan, *(one for _, one in shared))
        self._iterations: Optional[tf.Variable] = None
        if seeds is not None or _counts_iterations([plan, *(one for _, one in shared)]):
            self._iterations = own_variable(0, dtype=tf.int64)
            self.binding.keep(self._iterations)

    def dataset(self) -> tf.data.Dataset:
        if self._plan.is_remote:
            return self._fetched()
        if self._plan.options.checkpoint and not self._shared:
            resumed = tf.autograph.experimental.do_not_convert(self._resumed)
            return self._with_count(self._starts().flat_map(resumed))
        decided = [step for step in ir.all_steps(self._plan) if is_seeded(step) or has_blocks_by_start(step)]
        if not self._replays and self._iterations is None:
            if not decided:
                return self._lowered(self._plan, self._plain)
            if self._is_decided_at_source(decided):
                return self._with_count(self._after_source())
        begun = tf.autograph.experimental.do_not_convert(self._begun)
        return self._with_count(self._starts().flat_map(begun))

    def _is_decided_at_source(self, decided: Sequence[ir.Step]) -> bool:
        """Whether the order of the source's blocks is all that a start decides.

        Args:
          decided: all steps that a start decides.
        """
        first = self._plan.steps[0]
        return not self._shared and len(decided) == 1 and decided[0] is first and has_blocks_by_start(first)

    def _after_source(self) -> tf.data.Dataset:
        """Does the same as ``_begun``, but only the source's output passes through the iterator that has the start.

        Passing batches through that iterator cost a tenth more time; a batch of small records takes only a few
        microseconds.
        """
        plan = ir.mapped(_with_starts_of_epochs(self._plan), self._bound)
        source = plan.with_steps(plan.steps[:1])

        def begun(start: tf.Tensor) -> tf.data.Dataset:
            return lower(source, self._resources(start))

        prefixes = PrefixCache()
        prefixes.keep(source.steps, self._starts().flat_map(tf.autograph.experimental.do_not_convert(begun)))
        return lower(plan, self._plain, prefixes)

    def _starts(self) -> tf.data.Dataset:
        """Returns a dataset of one element: the start of an iterator (see ``_resources``), which checkpoints save."""
        return tf.data.Dataset.range(1).map(tf.autograph.experimental.do_not_convert(self._start))

    def _start(self, _: tf.Tensor) -> tf.Tensor:
        number = tf.constant(0, tf.int64) if self._iterations is None else self._iterations.assign_add(1) - 1
        key = tf.random.uniform([2], 0, tf.int64.max, tf.int64) if self._seeds is None else key_of(self._seeds, number)
        return tf.concat([key, [number, self._fingerprint]], 0)

    def _resources(self, start: tf.Tensor) -> DatasetResources:
        """Returns the resources for *start*: a key ``[2]``, the iteration, and the plan's fingerprint, all int64."""
        if self._plan.options.checkpoint:
            # The rest of *start*, since checkpoints made before 2026-11-26 have no fingerprint; these are accepted
            # unchecked.
            with tf.control_dependencies([warned_if_different(start[3:], self._fingerprint, self._plan)]):
                start = tf.identity(start)
        if self._iterations is None:
            return DatasetResources(start[:2], self._skipped)
        # A restored iterator counts as well.
        counted = self._iterations.assign(tf.maximum(self._iterations, start[2] + 1))
        with tf.control_dependencies([counted]):
            return DatasetResources(start[:2], self._skipped, iteration=tf.identity(start[2]))

    def _with_count(self, elements: tf.data.Dataset) -> tf.data.Dataset:
        """Returns *elements* with an asserted cardinality, if it is known."""
        # Not for endless plans: TensorFlow would multiply by the number of epochs, which is too large for its counter.
        if not self._shared and not is_endless(self._plan):
            any_start = DatasetResources(tf.constant([0, 0], tf.int64), self._skipped)
            count = self._lowered(ir.mapped(self._plan, _as_counted), any_start).cardinality()
            if count != tf.data.UNKNOWN_CARDINALITY:
                elements = elements.apply(tf.data.experimental.assert_cardinality(count))
        return elements

    def _fetched(self) -> tf.data.Dataset:
        """Returns the dataset of a remote plan, which each iterator registers again to get orders of its own."""
        address = self._plan.options.data_service
        assert address is not None
        iterations = own_variable(-1, dtype=tf.int64)
        self.binding.keep(iterations)

        def is_there() -> bool:
            try:
                require_dispatcher(address)
            except QueueCompatRuntimeError as problem:  # raised in one of TensorFlow's threads
                raise at_line(problem, self._plan.made_at) from None
            return True

        def begun(_: tf.Tensor) -> tf.data.Dataset:
            there = numpy_function(is_there, [], tf.bool)
            with tf.control_dependencies([there]):
                number = iterations.assign_add(1)
            with tf.control_dependencies([number]):
                return self._lowered(self._plan, DatasetResources(iteration=tf.identity(number)))

        return tf.data.Dataset.range(1).flat_map(tf.autograph.experimental.do_not_convert(begun))

    def _begun(self, start: tf.Tensor) -> tf.data.Dataset:
        """Returns the elements of one iterator; *start* decides everything that no seed does."""
        numbers, resources = itertools.count(), self._resources(start)
        if not self._replays:
            plan = ir.mapped(self._plan, _with_replayed_epochs)
            if self._seeds is None:
                return self._lowered(_with_starts_of_epochs(plan), resources)
            return self._lowered(decided_by_starts(plan, numbers), resources)
        bind = self.binding.for_iterator()
        for stage, plan in self._shared:
            elements = self._lowered(decided_by_starts(plan, numbers), resources, bind=bind)
            resources.add_stream(stage.key, SharedStream(stage.stream_components, elements))
        *steps, prefetch = decided_by_starts(self._plan, numbers).steps
        assert isinstance(prefetch, ir.Prefetch)
        elements = self._lowered(self._plan.with_steps(tuple(steps)), resources, bind=bind)
        return replayed(elements, self._plan.components).prefetch(prefetch.count)

    def _resumed(self, start: tf.Tensor) -> tf.data.Dataset:
        """Returns the elements of one iterator, which can begin at any position that a checkpoint has."""
        plan, resources = decided_by_starts(self._plan, itertools.count()), self._resources(start)
        bind = self.binding.for_iterator()
        return resumed(lambda position: self._lowered(plan, resources, position, bind), self._plan.components)

    def _lowered(
        self,
        plan: ir.Plan,
        resources: Resources,
        position: Optional[tf.Tensor] = None,
        bind: Optional[Callable[[tf.Tensor], Any]] = None,
    ) -> tf.data.Dataset:
        return lower(ir.mapped(plan, lambda step: self._bound(step, bind)), resources, position=position)

    def _bound(self, step: ir.Step, bind: Optional[Callable[[tf.Tensor], Any]] = None) -> ir.Step:
        if isinstance(step, ir.Run) and step.skip is not None and step.skip.alone is not None:
            alone: Any = self._bound(step.skip.alone, bind)
            step = dataclasses.replace(step, skip=dataclasses.replace(step.skip, alone=alone))
        if isinstance(step, (ir.Produce, ir.Run)) and isinstance(step.body, Slice):
            return dataclasses.replace(step, body=step.body.bound(bind or self.binding))
        return step


def _skip_log(plan: ir.Plan) -> Optional[SkipLog]:
    if plan.options.on_error != "skip":
        return None
    log = SkipLog(plan.name, plan.made_at, plan.options.max_errors)
    log.run_again_with("eager mode", _run_again)
    return log


def _run_again(run: Any, given: Sequence[Any]) -> None:
    with tf.init_scope():
        if not tf.executing_eagerly():
            raise RuntimeError("(not known: eager mode is off by now)")
        try:
            run.body.function()(*map(tf.constant, given))
        except (tf.errors.OpError, UnicodeDecodeError) as problem:
            error = failures.op_error(problem)
            if error is None:
                raise
            raise RuntimeError(failures.cause(error)) from None


def _counts_iterations(plans: Sequence[ir.Plan]) -> bool:
    """Whether epochs are numbered across iterators: a step numbers its epochs, and has a limited number of them."""
    steps = [step for plan in plans for step in ir.all_steps(plan) if isinstance(step, ir.Produce)]
    return any(step.numbered and step.num_epochs is not None for step in steps)


def _with_replayed_epochs(step: Any) -> ir.Step:
    return dataclasses.replace(step, replayed=True) if is_seeded(step) else step


def _as_counted(step: Any) -> ir.Step:
    """Returns a step with as many elements as *step*, whose cardinality TensorFlow can infer."""
    if isinstance(step, ir.Run) and step.by_number:
        return dataclasses.replace(step, start=0)
    return dataclasses.replace(step, by_windows=False) if isinstance(step, ir.Shuffle) else step


def _with_starts_of_epochs(plan: ir.Plan) -> ir.Plan:
    """Returns *plan* so that the start of the iterator decides the order of each epoch that no seed decides.

    When TensorFlow restores an iterator, it makes its dataset and the rows of the current epoch again; they must be the
    same.
    """
    numbers = itertools.count()

    def decided(step: Any) -> ir.Step:
        is_free = isinstance(step, ir.Produce) and step.seeds is not None and not step.is_seeded
        return dataclasses.replace(step, start=next(numbers)) if is_free or is_in_global_order(step) else step

    return ir.mapped(plan, decided)


def _structured(flat: tf.data.Dataset, traced: Trace) -> tf.data.Dataset:
    """Returns the elements of *flat* in the structure that the input function returned."""
    leaves = tf.nest.flatten(traced.structure)
    if all(isinstance(leaf, tf.TensorSpec) for leaf in leaves):
        # Only the names differ, so no function has to be called for each element.
        return tf.data.experimental.from_variant(tf.data.experimental.to_variant(flat), traced.structure)
    packed = tf.autograph.experimental.do_not_convert(lambda *tensors: _packed(traced.structure, tensors))
    return flat.map(packed)


def _packed(structure: Any, tensors: Tuple[tf.Tensor, ...]) -> Any:
    waiting = list(tensors)

    def take(spec: Any) -> Any:
        if spec is None:
            return None
        parts = [waiting.pop(0) for _ in tf.nest.flatten(spec, expand_composites=True)]
        return tf.nest.pack_sequence_as(spec, parts, expand_composites=True)

    # In the order of nest.flatten, in which the tensors are.
    leaves = [take(spec) for spec in tf.nest.flatten(structure)]
    return tf.nest.pack_sequence_as(structure, leaves)
