"""Stages: the pieces of a queue pipeline as the user's calls made them, and the plan behind each.

Rule 1: a stage knows what is upstream of it and which steps it adds; plans are derived, never stored.
Rule 2: a stage with more than one consumer is *shared*: its elements come from one stream, and each
        element goes to exactly one consumer.
Rule 3: a tensor that a compiled stage has captured may still be run by itself (a summary of an image
        upstream of the batch). Such a run is a *peek*: it reads on a stream of its own and takes
        no element from anybody.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import Any, Callable, List, Optional, Sequence, Tuple

import tensorflow as tf

from queuecompat._compiler import ir
from queuecompat._compiler.slicing import Slice
from queuecompat.errors import Reason

__all__ = ["Inlet", "NativeStage", "Stage", "narrowest", "plan_of", "run_step"]


@dataclasses.dataclass(frozen=True)
class Inlet:
    """One of the ways on which elements come into a join: the stages upstream, and steps on their elements."""

    upstream: Tuple[Stage, ...]
    steps: Tuple[ir.Step, ...]

    @property
    def components(self) -> ir.Components:
        """What comes in on it."""
        return self.steps[-1].components if self.steps else _components(self)


class Stage:
    """One compiled stage.

    Args:
      name: TF1's name of it, as summaries and error messages call it.
      made_at: the user's line.
      scope: the name in the graph that everything of the stage stands below.
      runner: what starts it; opaque here.
      upstream: the stages that its elements come from.
      inlets: in place of *upstream*, where several ways lead here (a join).
      steps: what it adds; the first is a source if nothing is upstream.
    """

    def __init__(
        self,
        name: str,
        made_at: str,
        *,
        scope: str,
        runner: Any,
        upstream: Sequence[Stage] = (),
        inlets: Sequence[Inlet] = (),
        steps: Sequence[ir.Step] = (),
    ) -> None:
        self.name = name
        self.made_at = made_at
        self.scope = scope.rstrip("/")
        self.runner = runner
        self.inlets = tuple(inlets) or (Inlet(tuple(upstream), ()),)
        self.steps = tuple(steps)
        self.consumers: List[Any] = []
        # Where a shared stage's elements come from; the runtime puts it there.
        self.stream: Optional[Any] = None
        # Set when the program uses the queue or reader itself; see ``demote``.
        self.native_stream: Optional[Any] = None
        self.native_reason: Optional[Reason] = None
        # Whether the elements are the outputs of an op of the program's own graph.
        self.is_op = False
        self.has_native_consumer = False
        # Whether its elements come from a stream that later consumers can join, while it runs.
        self.is_open = False
        for inlet in self.inlets:
            for stage in inlet.upstream:
                stage.consumers.append(self)

    @property
    def components(self) -> ir.Components:
        return self.steps[-1].components if self.steps else _components(self.inlets[0])

    @property
    def is_shared(self) -> bool:
        return self.is_open or self.is_needed_by_several

    @property
    def is_needed_by_several(self) -> bool:
        return self.native_stream is not None or len(self.consumers) + self.has_native_consumer > 1

    @property
    def is_captured(self) -> bool:
        return bool(self.consumers)

    def demote(self, stream: Any, reason: Reason) -> None:
        """From now on the elements come from *stream*, the native twin, which takes what is upstream itself."""
        self.native_stream = stream
        self.native_reason = reason
        for inlet in self.inlets:
            for stage in inlet.upstream:
                stage.consumers.remove(self)

    def explain(self, upstream: Stage, steps: Sequence[ir.Step]) -> None:
        """From now on the elements come from *upstream* by *steps*, and no longer from a native stream."""
        self.native_stream = None
        self.inlets, self.steps = (Inlet((upstream,), ()),), tuple(steps)
        upstream.consumers.append(self)


class NativeStage:
    """A stage that runs on TensorFlow's own queues, and why."""

    def __init__(self, name: str, made_at: str, reason: Reason) -> None:
        self.name = name
        self.made_at = made_at
        self.reason = reason


def plan_of(stage: Stage, is_peek: bool = False, shows_open: bool = True) -> ir.Plan:
    """The plan of *stage*'s elements, as captured: no pass has run.

    Args:
      is_peek: read everything from the beginning, sharing nothing with other consumers.
      shows_open: whether a stage that is only open for later consumers is one that is shared.
    """
    if is_peek:
        shares: Callable[[Stage], bool] = lambda upstream: False  # noqa: E731
    elif shows_open:
        shares = lambda upstream: upstream.is_shared  # noqa: E731
    else:
        shares = lambda upstream: upstream.is_needed_by_several  # noqa: E731
    steps = _Reader(is_peek, shares).steps(stage)
    if shares(stage):
        steps = (_read_by_all(steps[0], stage.consumers), *steps[1:])
    return ir.validate(ir.Plan(stage.name, stage.made_at, steps, is_peek))


def run_step(body: Slice, upstream: Sequence[Stage], place: Callable[[Any], Tuple[Stage, int]]) -> Tuple[ir.Step, ...]:
    """The ``Run`` of *body* on the elements of *upstream*; nothing where it changes nothing.

    Args:
      place: function of a source tensor that gives its stage and its number in that stage.
    """
    offsets, total = {}, 0
    for stage in upstream:
        offsets[id(stage)] = total
        total += len(stage.components)
    uses = []
    for tensor in body.sources:
        stage, number = place(tensor)
        uses.append(offsets[id(stage)] + number)
    names = [t.name for t in body.outputs]
    # Draws from several queues of the program come out of one step, and so out of one slice.
    is_drawn_together = len(upstream) > 1 and any(stage.is_op for stage in upstream)
    changes_nothing = body.is_empty and names == [t.name for t in body.sources] and uses == list(range(total))
    if changes_nothing and not is_drawn_together:
        return ()
    components = tuple(tf.TensorSpec(t.shape, t.dtype) for t in body.outputs)
    return (ir.Run(components, body, tuple(uses)),)


def _read_by_all(step: ir.Step, consumers: Sequence[Stage]) -> ir.Step:
    """*step*; if it gives files for ever and every consumer reads them alike, it knows how (``Produce.read_by``)."""
    firsts = [consumer.steps[0] if consumer.steps else None for consumer in consumers]
    if not firsts or not isinstance(firsts[0], ir.Read) or any(first != firsts[0] for first in firsts):
        return step
    if not isinstance(step, ir.Produce) or step.num_epochs is not None:
        return step
    return dataclasses.replace(step, read_by=firsts[0].without_key())


class _Reader:
    """Puts the steps of stages together.

    Args:
      shares: whether the elements of a stage come from a stream that it shares with other consumers.
    """

    def __init__(self, is_peek: bool, shares: Callable[[Stage], bool]) -> None:
        self._is_peek = is_peek
        self._shares = shares

    def steps(self, stage: Stage) -> Tuple[ir.Step, ...]:
        if stage.native_stream is not None:
            return (ir.Pull(stage.components, stage.native_stream, stage.name, is_native=True, is_op=stage.is_op),)
        ways = [self._way(inlet) for inlet in stage.inlets]
        if len(ways) == 1:
            return ways[0] + stage.steps
        branches = tuple(
            ir.Plan(f"{stage.name}, list {number}", stage.made_at, way, self._is_peek)
            for number, way in enumerate(ways)
        )
        return (ir.Merge(narrowest([way[-1].components for way in ways]), branches),) + stage.steps

    def _way(self, inlet: Inlet) -> Tuple[ir.Step, ...]:
        lines = [self._line(upstream) for upstream in inlet.upstream]
        if not lines:
            return inlet.steps
        if len(lines) == 1:
            return lines[0] + inlet.steps
        branches = tuple(
            ir.Plan(upstream.name, upstream.made_at, line, self._is_peek)
            for upstream, line in zip(inlet.upstream, lines)
        )
        return (ir.Zip(_components(inlet), branches),) + inlet.steps

    def _line(self, stage: Stage) -> Tuple[ir.Step, ...]:
        if stage.native_stream is None and self._shares(stage):
            is_computed = ir.are_computed(self.steps(stage))
            return (ir.Pull(stage.components, stage.stream, stage.name, is_computed=is_computed),)
        return self.steps(stage)


def narrowest(ways: Sequence[ir.Components]) -> ir.Components:
    """The narrowest specs that hold on every way."""
    return tuple(
        functools.reduce(lambda a, b: type(a)(a.shape.most_specific_compatible_shape(b.shape), a.dtype), specs)
        for specs in zip(*ways)
    )


def _components(inlet: Inlet) -> ir.Components:
    return tuple(spec for stage in inlet.upstream for spec in stage.components)
