"""The plan of an input function as a tf.data.Dataset of eager mode."""

from __future__ import annotations

import dataclasses
import itertools
from typing import Any, Callable, Dict, Iterator, Sequence, Tuple

import tensorflow as tf

from queuecompat._compiler import ir
from queuecompat._compiler.lowering.dataset import as_it_is, lower
from queuecompat._compiler.lowering.replay import SharedStream, replayed
from queuecompat._compiler.passes import optimise
from queuecompat._compiler.slicing import Slice
from queuecompat._compiler.stages import Stage, plan_of
from queuecompat._datasets.binding import Binding
from queuecompat._datasets.tracing import Trace, shared_stages

__all__ = ["Compiled", "compiled"]


@dataclasses.dataclass(frozen=True)
class Compiled:
    """What a dataset hangs on: its *plan*, for ``explain``, and the *binding* that has to live as long."""

    plan: ir.Plan
    binding: Binding


def compiled(traced: Trace, end: Stage) -> tf.data.Dataset:
    """The dataset of what *end* gives, the last stage of *traced*.

    Raises:
      CannotCompileError: something in it lives in a session alone.
    """
    plan = _optimised(plan_of(end))
    shared = [(stage, _optimised(plan_of(stage))) for stage in shared_stages(end)]
    lowering = _Lowering(traced, plan, shared)
    dataset = _structured(_with_position(lowering.dataset()), traced)
    if _is_endless(plan):
        # TensorFlow finds that out by itself, but not in its older versions.
        dataset = dataset.apply(tf.data.experimental.assert_cardinality(tf.data.INFINITE_CARDINALITY))
    # What is derived from a dataset keeps it, and so the variables and tables that are found here.
    dataset._queuecompat = Compiled(plan, lowering.binding)
    return dataset


def _with_position(dataset: tf.data.Dataset) -> tf.data.Dataset:
    """*dataset*, of which TensorFlow may save where an iterator stands: what it misses of it, ``replayed`` adds."""
    options = tf.data.Options()
    options.experimental_external_state_policy = tf.data.experimental.ExternalStatePolicy.IGNORE
    return as_it_is(dataset).with_options(options)


class _Lowering:
    """One plan, and those of the stages that it shares, as a dataset of eager mode.

    Rule 1: what the streams of several consumers and the seeded ops of the function have done belongs to one iterator
            of the dataset: it begins when that begins.
    Rule 2: where an iterator stands can be saved and restored, whatever is in the plan (see ``replay``).

    Args:
      shared: the stages with several consumers and the plan behind each, upstream ones first.
    """

    def __init__(self, traced: Trace, plan: ir.Plan, shared: Sequence[Tuple[Stage, ir.Plan]]) -> None:
        self.binding = Binding(traced.graph, traced.pipelines.lent)
        self._plan = plan
        self._shared = shared
        self._streams: Dict[str, SharedStream] = {}
        self._replays = bool(shared) or _has_history(plan)

    def dataset(self) -> tf.data.Dataset:
        if not self._replays and not any(_is_seeded(step) for step in _all_steps(self._plan)):
            return self._lowered(self._plan)
        begun = tf.autograph.experimental.do_not_convert(self._begun)
        elements = tf.data.Dataset.range(1).map(_start).flat_map(begun)
        count = tf.data.UNKNOWN_CARDINALITY if self._shared else self._lowered(self._plan).cardinality()
        if count != tf.data.UNKNOWN_CARDINALITY:
            elements = elements.apply(tf.data.experimental.assert_cardinality(count))
        return elements

    def _begun(self, start: tf.Tensor) -> tf.data.Dataset:
        """The elements of one iterator; *start* decides what no seed does."""
        if not self._replays:
            replaying = lambda step: dataclasses.replace(step, replayed=True) if _is_seeded(step) else step  # noqa: E731
            return self._lowered(_mapped(self._plan, replaying))
        starts = _Starts(start)
        for stage, behind in self._shared:
            self._streams[stage.name] = SharedStream(stage.components, self._lowered(_repeatable(behind, starts)))
        elements = replayed(self._lowered(_repeatable(self._plan, starts)), self._plan.components)
        return elements.prefetch(1)  # the batch in flight

    def _lowered(self, plan: ir.Plan) -> tf.data.Dataset:
        return lower(_mapped(plan, self._bound))

    def _bound(self, step: Any) -> ir.Step:
        if isinstance(step, ir.Pull):
            return dataclasses.replace(step, stream=self._streams[step.stage])
        body = getattr(step, "body", None)
        return dataclasses.replace(step, body=body.bound(self.binding)) if isinstance(body, Slice) else step


@tf.autograph.experimental.do_not_convert
def _start(_: tf.Tensor) -> tf.Tensor:
    # A checkpoint holds it, as an element that is in work.
    return tf.random.uniform([2], 0, tf.int64.max, tf.int64)


class _Starts:
    """Seeds for what has none, all from *start*, ``[2]``."""

    def __init__(self, start: tf.Tensor) -> None:
        self._start = start
        self._numbers = itertools.count()

    def decide(self, step: Any) -> ir.Step:
        if isinstance(step, ir.Produce):
            return dataclasses.replace(step, start=self._next())
        if isinstance(step, ir.Shuffle) and step.seed is None:
            return dataclasses.replace(step, seed=tf.random.stateless_uniform([], self._next(), None, None, tf.int64))
        return step

    def _next(self) -> tf.Tensor:
        return self._start + [next(self._numbers), 0]


def _repeatable(plan: ir.Plan, starts: _Starts) -> ir.Plan:
    """*plan*, which from the same start gives the same elements in the same order."""
    steps = []
    for step in plan.steps:
        if isinstance(step, (ir.Zip, ir.Merge)):
            # Who shares a stream takes from it in a fixed order: none of the branches runs ahead.
            branches = tuple(_one_by_one(_repeatable(branch, starts)) for branch in step.branches)
            step = dataclasses.replace(step, branches=branches)
        if isinstance(step, ir.Merge):
            step = dataclasses.replace(step, in_turn=True)
        if isinstance(step, ir.Run):
            step = dataclasses.replace(step, ordered=True)
        steps.append(starts.decide(step))
    return plan.with_steps(tuple(steps))


def _one_by_one(plan: ir.Plan) -> ir.Plan:
    if not any(isinstance(step, ir.Pull) for step in _all_steps(plan)):
        return plan
    steps = [step for step in plan.steps if not isinstance(step, ir.Prefetch)]
    return plan.with_steps(
        tuple(dataclasses.replace(step, parallel_calls=1) if isinstance(step, ir.Run) else step for step in steps)
    )


def _is_seeded(step: Any) -> bool:
    return isinstance(step, ir.Produce) and step.is_seeded


def _has_history(plan: ir.Plan) -> bool:
    """Whether what *plan* gives next depends on something that tf.data does not save."""
    bodies = [step.body for step in _all_steps(plan) if isinstance(step, (ir.Produce, ir.Run))]
    return any(body.keeps_its_order or (body.is_random and body.is_seeded) for body in bodies)


def _all_steps(plan: ir.Plan) -> Iterator[Any]:
    for step in plan.steps:
        yield step
        for branch in getattr(step, "branches", ()):
            yield from _all_steps(branch)


def _is_endless(plan: ir.Plan) -> bool:
    """Whether *plan* can be seen to have no end."""
    first = plan.steps[0]
    if isinstance(first, ir.Zip):
        begins = all(_is_endless(branch) for branch in first.branches)
    elif isinstance(first, ir.Merge):
        begins = any(_is_endless(branch) for branch in first.branches)
    elif isinstance(first, ir.Produce):
        begins = first.num_epochs is None and not first.body.may_end
    else:
        begins = isinstance(first, ir.Endless)
    return begins and not any(isinstance(step, ir.Run) and step.body.may_end for step in plan.steps)


def _optimised(plan: ir.Plan) -> ir.Plan:
    return optimise(_mapped(plan, _without_curve))


def _mapped(plan: ir.Plan, change: Callable[[Any], ir.Step]) -> ir.Plan:
    """*plan* with *change* of every step, those of its branches included."""
    steps = []
    for step in plan.steps:
        if isinstance(step, (ir.Zip, ir.Merge)):
            step = dataclasses.replace(step, branches=tuple(_mapped(branch, change) for branch in step.branches))
        steps.append(change(step))
    return plan.with_steps(tuple(steps))


def _without_curve(step: Any) -> ir.Step:
    """There is no session whose summaries could show how full a queue is."""
    return dataclasses.replace(step, fullness=None) if getattr(step, "fullness", None) is not None else step


def _structured(flat: tf.data.Dataset, traced: Trace) -> tf.data.Dataset:
    """The elements of *flat* in the structure that the input function gave."""
    leaves = tf.nest.flatten(traced.structure)
    if all(isinstance(leaf, tf.TensorSpec) for leaf in leaves):
        # A matter of names only, so no function call for it.
        return tf.data.experimental.from_variant(tf.data.experimental.to_variant(flat), traced.structure)
    return flat.map(lambda *tensors: _packed(traced.structure, tensors))


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
