"""Stages: the pieces of a queue pipeline as the user's calls made them, and the plan of each.

Rule 1: a stage knows what is upstream of it and which steps it adds; plans are derived, never stored.
Rule 2: each element goes to exactly one consumer, the one that draws it first. ``Stage.__init__`` counts the consumers;
        how they read follows from the table in ``states``.
Rule 3: a tensor that a compiled stage has captured may still be run by itself (a summary of an image
        upstream of the batch). Such a run is a *preview*: it reads on a stream of its own
        and takes no element from a consumer.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import Callable, List, Optional, Sequence, Tuple

from queuecompat._plan import ir, options, orders
from queuecompat._plan.control import QueueControl
from queuecompat._plan.record_numbers import NUMBER
from queuecompat._plan.resources import Stream
from queuecompat._plan.states import CONSUMERS, READS, Reads, State
from queuecompat.errors import Reason

__all__ = ["InputBranch", "NativeStage", "Stage", "narrowest", "plan_of", "shared_plan_of"]


@dataclasses.dataclass(frozen=True)
class InputBranch:
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
      control: what its back end keeps for the TF1 queue that it belongs to.
      upstream: the stages that its elements come from.
      inputs: in place of *upstream*, where several ways lead here (a join).
      steps: what it adds; the first is a source if nothing is upstream.
    Attributes:
      key: what plans call it by; unlike *name* it is unique in a graph.
      options: what was chosen where it was made.
    """

    def __init__(
        self,
        name: str,
        made_at: str,
        *,
        scope: str,
        control: Optional[QueueControl] = None,
        upstream: Sequence[Stage] = (),
        inputs: Sequence[InputBranch] = (),
        steps: Sequence[ir.Step] = (),
    ) -> None:
        self.name = self.key = name
        self.made_at = made_at
        self.scope = scope.rstrip("/")
        self.options = options.current()
        self._control = control
        self.inputs = tuple(inputs) or (InputBranch(tuple(upstream), ()),)
        self.consumers: List[Stage] = []
        # What it draws from where TensorFlow runs it.
        self.external: Optional[Stream] = None
        # Whether the elements are the outputs of an op of the program's own graph.
        self.is_op = False
        self._steps = tuple(steps)
        self._has_external_consumer = False
        self._is_open = False
        for one in self.upstream:
            one.consumers.append(self)

    @property
    def control(self) -> QueueControl:
        """What its back end keeps for its queue; only stages of queues have one."""
        assert self._control is not None, self.name
        return self._control

    @property
    def has_control(self) -> bool:
        return self._control is not None

    @property
    def upstream(self) -> Tuple[Stage, ...]:
        """The stages that its elements come from."""
        return tuple(stage for branch in self.inputs for stage in branch.upstream)

    @property
    def steps(self) -> Tuple[ir.Step, ...]:
        """What it adds to the plans of what is upstream."""
        return tuple(_keyed(step, self.key) for step in self._steps)

    @property
    def components(self) -> ir.Components:
        return self._steps[-1].components if self._steps else _components(self.inputs[0])

    @property
    def has_numbers(self) -> bool:
        """Whether a stream that its consumers share has the number of each row as well.

        A stream is made once, before all consumers are known: it has one also where blocks have them inside.
        """
        is_producer = len(self._steps) == 1 and isinstance(self._steps[0], ir.Produce)
        return is_producer and self.options.random is not None

    @property
    def stream_components(self) -> ir.Components:
        """What a stream that its consumers share outputs."""
        return (*self.components, NUMBER) if self.has_numbers else self.components

    @property
    def state(self) -> State:
        """The row of the table that it stands in."""
        source = "plan" if self.external is None else "external"
        consumers = CONSUMERS[min(len(self.consumers), 2)]
        return State(source, consumers, self._has_external_consumer, self._is_open)

    @property
    def reads(self) -> Reads:
        """Where its elements are read."""
        return READS[self.state]

    @property
    def reads_when_closed(self) -> Reads:
        """The same without the consumers that may still come."""
        return READS[self.state._replace(is_open=False)]

    def open(self) -> None:
        """From now on its elements come from a stream that consumers can join while it runs."""
        self._is_open = True

    def note_external_consumer(self) -> None:
        """Something that TensorFlow runs itself takes its elements."""
        self._has_external_consumer = True

    def fall_back_to(self, stream: Stream) -> None:
        """From now on the elements come from *stream*, of TensorFlow's own queue, which takes what is upstream."""
        self.external = stream
        for one in self.upstream:
            one.consumers.remove(self)

    def compile_from(self, upstream: Stage, steps: Sequence[ir.Step]) -> None:
        """From now on the elements come from *upstream* by *steps*, and no longer from an external stream."""
        self.external = None
        self.inputs, self._steps = (InputBranch((upstream,), ()),), tuple(steps)
        upstream.consumers.append(self)


class NativeStage:
    """A stage that runs on TensorFlow's own queues, and why.

    Attributes:
      ignored: what is said of options that were chosen and that these queues ignore; empty: none were.
    """

    def __init__(self, name: str, made_at: str, reason: Reason, ignored: str = "") -> None:
        self.name = name
        self.made_at = made_at
        self.reason = reason
        self.ignored = ignored


def plan_of(stage: Stage, is_preview: bool = False, shows_open: bool = True) -> ir.Plan:
    """The plan of *stage*'s elements, as captured: no pass has run.

    Args:
      is_preview: read everything from the beginning, sharing nothing with other consumers.
      shows_open: whether a stage that is only open for later consumers is one that is shared.
    """
    if is_preview:
        shares: Callable[[Stage], bool] = lambda upstream: False  # noqa: E731
    elif shows_open:
        shares = lambda upstream: upstream.reads.consumers == "stream"  # noqa: E731
    else:
        shares = lambda upstream: upstream.reads_when_closed.consumers == "stream"  # noqa: E731
    steps = _Reader(is_preview, shares, stage.options).steps(stage)
    if shares(stage) and stage.external is None:
        steps = (_read_by_all(steps[0], stage.consumers), *steps[1:])
        if stage.has_numbers and isinstance(steps[0], ir.Produce) and not is_preview:
            steps = (dataclasses.replace(steps[0], components=stage.stream_components, numbered=True),)
    return ir.validate(ir.Plan(stage.name, stage.made_at, steps, is_preview, stage.options))


def shared_plan_of(stage: Stage) -> ir.Plan:
    """The plan of what reads the stream that the consumers of *stage* share."""
    return ir.Plan(stage.name, stage.made_at, (_from_stream(stage),), options=stage.options)


def _from_stream(stage: Stage, steps: Sequence[ir.Step] = ()) -> ir.Step:
    """A draw from the stream that the consumers of *stage* share; *steps*: what makes its elements."""
    draws = [step for step in ir.all_steps(ir.Plan("", "", tuple(steps))) if isinstance(step, ir.Pull)]
    is_own = any(step.is_native or step.is_own for step in draws)
    last = steps[-1] if steps else None
    return ir.Pull(
        stage.components,
        stage.key,
        stage.name,
        is_computed=ir.are_computed(steps),
        is_vector=isinstance(last, ir.Read) and last.is_vector,
        is_own=is_own,
        has_numbers=stage.has_numbers,
    )


def _keyed(step: ir.Step, key: str) -> ir.Step:
    """*step*, of the stage of that *key*, if it is one that says so."""
    return dataclasses.replace(step, queue=key) if isinstance(step, (ir.Bucket, ir.Produce, ir.Queue)) else step


def _read_by_all(step: ir.Step, consumers: Sequence[Stage]) -> ir.Step:
    """*step*; if it outputs files forever and every consumer reads them alike, it knows how (``Produce.read_by``)."""
    firsts = [consumer.steps[0] if consumer.steps else None for consumer in consumers]
    if not firsts or not isinstance(firsts[0], ir.Read) or any(first != firsts[0] for first in firsts):
        return step
    if not isinstance(step, ir.Produce) or step.num_epochs is not None or step.blocks is not None:
        return step
    return dataclasses.replace(step, read_by=firsts[0].without_key())


class _Reader:
    """Puts the steps of stages together.

    Args:
      shares: whether the elements of a stage come from a stream that it shares with other consumers.
      chosen: the options of the whole.
    """

    def __init__(self, is_preview: bool, shares: Callable[[Stage], bool], chosen: options.Options) -> None:
        self._is_preview = is_preview
        self._shares = shares
        self._options = chosen

    def steps(self, stage: Stage) -> Tuple[ir.Step, ...]:
        if stage.external is not None:
            return (ir.Pull(stage.components, stage.key, stage.name, is_native=True, is_op=stage.is_op),)
        ways = [self._way(branch) for branch in stage.inputs]
        added = orders.in_its_order(stage)
        if len(ways) == 1:
            return ways[0] + added
        branches = tuple(
            ir.Plan(f"{stage.name}, list {number}", stage.made_at, way, self._is_preview, self._options)
            for number, way in enumerate(ways)
        )
        return (ir.Merge(narrowest([way[-1].components for way in ways]), branches),) + added

    def _way(self, branch: InputBranch) -> Tuple[ir.Step, ...]:
        lines = [self._line(upstream) for upstream in branch.upstream]
        if not lines:
            return branch.steps
        if len(lines) == 1:
            return lines[0] + branch.steps
        branches = tuple(
            ir.Plan(upstream.name, upstream.made_at, line, self._is_preview, self._options)
            for upstream, line in zip(branch.upstream, lines)
        )
        return (ir.Zip(_components(branch), branches),) + branch.steps

    def _line(self, stage: Stage) -> Tuple[ir.Step, ...]:
        if stage.external is None and self._shares(stage):
            return (_from_stream(stage, self.steps(stage)),)
        return self.steps(stage)


def narrowest(ways: Sequence[ir.Components]) -> ir.Components:
    """The narrowest specs that hold on every way."""
    return tuple(
        functools.reduce(lambda a, b: type(a)(a.shape.most_specific_compatible_shape(b.shape), a.dtype), specs)
        for specs in zip(*ways)
    )


def _components(branch: InputBranch) -> ir.Components:
    return tuple(spec for stage in branch.upstream for spec in stage.components)
