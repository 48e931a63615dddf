"""The plan of an input function as a tf.data.Dataset of eager mode."""

from __future__ import annotations

import dataclasses
from typing import Any, Callable, Dict, List, Sequence, Tuple

import tensorflow as tf

from queuecompat._compiler import ir
from queuecompat._compiler.lowering.dataset import as_it_is, lower
from queuecompat._compiler.passes import optimise
from queuecompat._compiler.slicing import Slice
from queuecompat._compiler.stages import Stage, plan_of
from queuecompat._datasets.binding import Binding
from queuecompat._datasets.tracing import Trace, shared_stages
from queuecompat.errors import CannotCompileError

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
    lowering = _Lowering(traced)
    shared = [(stage, _optimised(plan_of(stage))) for stage in shared_stages(end)]
    if shared:
        # Who shares a stream shares it within one iterator of the dataset: each begins with streams of its own.
        begin = tf.autograph.experimental.do_not_convert(lambda _: lowering.with_shared(plan, shared))
        flat = as_it_is(tf.data.Dataset.range(1).flat_map(begin))
    else:
        flat = lowering.dataset(plan)
    dataset = _structured(flat, traced)
    if _is_endless(plan):
        # TensorFlow finds that out by itself, but not in its older versions.
        dataset = dataset.apply(tf.data.experimental.assert_cardinality(tf.data.INFINITE_CARDINALITY))
    # What is derived from a dataset keeps it, and so the variables and tables that are found here.
    dataset._queuecompat = Compiled(plan, lowering.binding)
    return dataset


class _Lowering:
    """Plans of one trace as datasets of eager mode."""

    def __init__(self, traced: Trace) -> None:
        self.binding = Binding(traced.graph, traced.pipelines.lent)
        self._streams: Dict[str, _SharedStream] = {}

    def dataset(self, plan: ir.Plan) -> tf.data.Dataset:
        return lower(_mapped(plan, self._bound))

    def with_shared(self, plan: ir.Plan, shared: Sequence[Tuple[Stage, ir.Plan]]) -> tf.data.Dataset:
        """The dataset of *plan*; to be called where an iterator begins.

        Args:
          shared: the stages with several consumers and the plan behind each, upstream ones first.
        """
        for stage, behind in shared:
            self._streams[stage.name] = _SharedStream(stage.components, self.dataset(behind))
        return self.dataset(plan)

    def _bound(self, step: Any) -> ir.Step:
        if isinstance(step, ir.Pull):
            if step.is_native:
                raise CannotCompileError("QC209", tensor=step.stage, what="TensorFlow's own")
            return dataclasses.replace(step, stream=self._streams[step.stage])
        body = getattr(step, "body", None)
        return dataclasses.replace(step, body=body.bound(self.binding)) if isinstance(body, Slice) else step


class _SharedStream:
    """An iterator that several pipelines of one dataset take from."""

    def __init__(self, components: ir.Components, elements: tf.data.Dataset) -> None:
        self._specs = {
            "output_types": [spec.dtype for spec in components],
            "output_shapes": [spec.shape for spec in components],
        }
        self._handle = tf.raw_ops.AnonymousIteratorV3(**self._specs)
        tf.raw_ops.MakeIterator(dataset=tf.data.experimental.to_variant(elements), iterator=self._handle)

    def draw(self) -> List[tf.Tensor]:
        return tf.raw_ops.IteratorGetNext(iterator=self._handle, **self._specs)


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
