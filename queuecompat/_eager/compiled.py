"""The plan of an input function as a tf.data.Dataset of eager mode."""

from __future__ import annotations

import dataclasses
import itertools
from typing import Any, Optional, Sequence, Tuple

import tensorflow as tf

from queuecompat._analysis.slicing import Slice
from queuecompat._backends.tfdata.dataset import lower
from queuecompat._backends.tfdata.options import without_tfdata_optimizer
from queuecompat._backends.tfdata.replay import SharedStream, replayed
from queuecompat._eager.binding import Binding
from queuecompat._eager.deterministic import decided_by_starts, deterministic, filled_at_once, is_seeded, is_stateful
from queuecompat._eager.resources import DatasetResources
from queuecompat._eager.trace_backend import TraceBackend
from queuecompat._eager.tracing import Trace, shared_stages
from queuecompat._passes import optimise
from queuecompat._plan import ir
from queuecompat._plan.cardinality import is_endless
from queuecompat._plan.resources import NoResources, Resources
from queuecompat._plan.stages import Stage, plan_of
from queuecompat.errors import Reason

__all__ = ["DatasetInfo", "compiled"]


@dataclasses.dataclass(frozen=True)
class DatasetInfo:
    """What a dataset hangs on, for ``explain``, and because it has to live as long.

    Attributes:
      plan: of its elements; None where they come from a session, for *reason*.
      shared: the streams that it shares out, by name, with the plan of each; upstream ones first.
      structure: its elements, with specs for leaves.
      bind: from what a slice captured to its twin.
      captured: pairs of a stream's or the dataset's name and the plan before any pass.
    """

    plan: Optional[ir.Plan] = None
    shared: Tuple[Tuple[str, ir.Plan], ...] = ()
    structure: Any = None
    bind: Any = None
    reason: Optional[Reason] = None
    captured: Tuple[Tuple[str, ir.Plan], ...] = ()


def compiled(traced: Trace, end: Stage) -> tf.data.Dataset:
    """The dataset of what *end* outputs, the last stage of *traced*.

    Raises:
      CannotCompileError: something in it lives in a session alone.
    """
    stages = shared_stages(end)
    captured = tuple((stage.key, plan_of(stage)) for stage in (*stages, end))
    plans = [optimise(plan) for _, plan in captured]
    replays = any(map(is_stateful, plans))
    if not replays:
        plans = [ir.mapped(plan, filled_at_once) for plan in plans]
    else:
        *plans, plan = [deterministic(plan) for plan in plans]
        # The batch in flight: whoever prefetches before the end is not counted as taken.
        plans.append(plan.with_steps((*plan.steps, ir.Prefetch(plan.components, 1))))
    *behind, plan = plans
    lowering = _Lowering(traced, plan, list(zip(stages, behind)), replays)
    dataset = _structured(_with_position(lowering.dataset()), traced)
    if is_endless(plan):
        # TensorFlow finds that out by itself, but not in its older versions.
        dataset = dataset.apply(tf.data.experimental.assert_cardinality(tf.data.INFINITE_CARDINALITY))
    # What is derived from a dataset keeps it, and so the variables and tables that are found here.
    named = tuple((stage.key, one) for stage, one in zip(stages, behind))
    dataset._queuecompat = DatasetInfo(plan, named, traced.structure, lowering.binding, captured=captured)
    return dataset


def _with_position(dataset: tf.data.Dataset) -> tf.data.Dataset:
    """*dataset*, of which TensorFlow may save where an iterator stands: what it misses of it, ``replayed`` adds."""
    options = tf.data.Options()
    options.experimental_external_state_policy = tf.data.experimental.ExternalStatePolicy.IGNORE
    return without_tfdata_optimizer(dataset).with_options(options)


class _Lowering:
    """One plan, and those of the stages that it shares, as a dataset of eager mode.

    Rule 1: what the streams of several consumers and the seeded ops of the function have done belongs to one iterator
            of the dataset: it begins when that begins.
    Rule 2: where an iterator stands can be saved and restored, whatever is in the plan (see ``replay``).

    Args:
      shared: the stages with several consumers and the plan of each, upstream ones first.
      replays: whether all of it is drawn again when a position is restored.
    """

    def __init__(self, traced: Trace, plan: ir.Plan, shared: Sequence[Tuple[Stage, ir.Plan]], replays: bool) -> None:
        backend = traced.pipelines.backend
        assert isinstance(backend, TraceBackend)
        self.binding = Binding(traced.graph, backend.arrays)
        self._plan = plan
        self._shared = shared
        self._replays = replays

    def dataset(self) -> tf.data.Dataset:
        if not self._replays and not any(map(is_seeded, ir.all_steps(self._plan))):
            return self._lowered(self._plan, NoResources())
        begun = tf.autograph.experimental.do_not_convert(self._begun)
        elements = tf.data.Dataset.range(1).map(_start).flat_map(begun)
        # Of what has no end TensorFlow counts the epochs, and gets lost among numbers too large for it.
        if not self._shared and not is_endless(self._plan):
            count = self._lowered(self._plan, NoResources()).cardinality()
            if count != tf.data.UNKNOWN_CARDINALITY:
                elements = elements.apply(tf.data.experimental.assert_cardinality(count))
        return elements

    def _begun(self, start: tf.Tensor) -> tf.data.Dataset:
        """The elements of one iterator; *start* decides what no seed does."""
        if not self._replays:
            return self._lowered(ir.mapped(self._plan, _with_replayed_epochs), NoResources())
        numbers, resources = itertools.count(), DatasetResources(start)
        for stage, behind in self._shared:
            elements = self._lowered(decided_by_starts(behind, numbers), resources)
            resources.add_stream(stage.key, SharedStream(stage.components, elements))
        *steps, prefetch = decided_by_starts(self._plan, numbers).steps
        assert isinstance(prefetch, ir.Prefetch)
        elements = self._lowered(self._plan.with_steps(tuple(steps)), resources)
        return replayed(elements, self._plan.components).prefetch(prefetch.count)

    def _lowered(self, plan: ir.Plan, resources: Resources) -> tf.data.Dataset:
        return lower(ir.mapped(plan, self._bound), resources)

    def _bound(self, step: ir.Step) -> ir.Step:
        if isinstance(step, (ir.Produce, ir.Run)) and isinstance(step.body, Slice):
            return dataclasses.replace(step, body=step.body.bound(self.binding))
        return step


@tf.autograph.experimental.do_not_convert
def _start(_: tf.Tensor) -> tf.Tensor:
    # A checkpoint holds it, as an element that is in work.
    return tf.random.uniform([2], 0, tf.int64.max, tf.int64)


def _with_replayed_epochs(step: Any) -> ir.Step:
    return dataclasses.replace(step, replayed=True) if is_seeded(step) else step


def _structured(flat: tf.data.Dataset, traced: Trace) -> tf.data.Dataset:
    """The elements of *flat* in the structure that the input function returned."""
    leaves = tf.nest.flatten(traced.structure)
    if all(isinstance(leaf, tf.TensorSpec) for leaf in leaves):
        # A matter of names only, so no function call for it.
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

    # In the order of nest.flatten, as the tensors are.
    leaves = [take(spec) for spec in tf.nest.flatten(structure)]
    return tf.nest.pack_sequence_as(structure, leaves)
