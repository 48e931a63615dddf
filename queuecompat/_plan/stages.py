"""Stages: the pieces of a queue pipeline as the user's calls made them, and the plan of each.

Rule 1: a stage knows the stages upstream of it and the steps that it adds; plans are derived, never stored.
Rule 2: each element goes to exactly one consumer, the one that draws it first. ``Stage.__init__`` registers the stage
        with its upstream stages; the table in ``states`` says how the consumers of a stage read it.
Rule 3: the program may still run a tensor that a compiled stage has captured (a summary of an image upstream of the
        batch). Such a run is a *preview*: it reads a stream of its own and takes no element from a consumer.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import Callable, Dict, Iterable, List, Optional, Sequence, Tuple

from queuecompat._plan import ir, options, orders
from queuecompat._plan.control import QueueControl
from queuecompat._plan.record_numbers import NUMBER
from queuecompat._plan.resources import Stream
from queuecompat._plan.states import CONSUMERS, READS, Reads, State
from queuecompat.errors import Reason

__all__ = ["InputBranch", "NativeStage", "Stage", "narrowest", "plan_of", "shared_plan_of", "with_upstream"]


@dataclasses.dataclass(frozen=True)
class InputBranch:
    """One input of a stage; a join has several.

    Attributes:
      upstream: the stages that its elements come from.
      steps: the steps that are applied to these elements, before those of the stage.
    """

    upstream: Tuple[Stage, ...]
    steps: Tuple[ir.Step, ...]

    @property
    def components(self) -> ir.Components:
        """The specs of the elements of this input."""
        return self.steps[-1].components if self.steps else _components(self)


class Stage:
    """One compiled stage.

    Args:
      name: TF1's name of the stage, as in summaries and error messages.
      made_at: the user's line that made the stage.
      scope: the name scope in the graph of all ops of the stage.
      control: the back end's handle of the TF1 queue that the stage belongs to; None: it belongs to none.
      upstream: the stages that its elements come from.
      inputs: in place of *upstream*: the inputs of a stage that has several (a join).
      steps: the steps that the stage adds; the first is a source if nothing is upstream.
    Attributes:
      key: identifies the stage in plans; unlike *name*, unique in a graph.
      options: the options in effect where the stage was made.
      consumers: the compiled stages that take its elements.
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
        # Where its elements come from if TensorFlow runs the stage itself.
        self.external: Optional[Stream] = None
        # Whether the elements are outputs of an op of the program's own graph.
        self.is_op = False
        self._steps = tuple(steps)
        self._has_external_consumer = False
        self._is_open = False
        for one in self.upstream:
            one.consumers.append(self)

    @property
    def control(self) -> QueueControl:
        """The back end's handle of the stage's queue; only stages of queues have one."""
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
        """The steps that the stage adds to the plans of its upstream stages."""
        return tuple(_keyed(step, self.key) for step in self._steps)

    @property
    def components(self) -> ir.Components:
        return self._steps[-1].components if self._steps else _components(self.inputs[0])

    @property
    def has_numbers(self) -> bool:
        """Whether a stream that its consumers share also outputs the number of each row.

        A stream is made once, before all consumers are known. So it has the numbers even where blocks contain them.
        """
        is_producer = len(self._steps) == 1 and isinstance(self._steps[0], ir.Produce)
        return is_producer and self.options.random is not None

    @property
    def stream_components(self) -> ir.Components:
        """The specs of the elements of a stream that its consumers share."""
        return (*self.components, NUMBER) if self.has_numbers else self.components

    @property
    def state(self) -> State:
        """The current state of the stage, a key of ``states.READS``."""
        source = "plan" if self.external is None else "external"
        consumers = CONSUMERS[min(len(self.consumers), 2)]
        return State(source, consumers, self._has_external_consumer, self._is_open)

    @property
    def reads(self) -> Reads:
        """Where the elements of the stage are read."""
        return READS[self.state]

    @property
    def reads_when_closed(self) -> Reads:
        """Where the elements of the stage would be read if no further consumers could be added."""
        return READS[self.state._replace(is_open=False)]

    def open(self) -> None:
        """From now on the elements come from a shared stream, which consumers can join while it runs."""
        self._is_open = True

    def note_external_consumer(self) -> None:
        """Records that something that TensorFlow runs itself takes elements of the stage."""
        self._has_external_consumer = True

    def fall_back_to(self, stream: Stream) -> None:
        """From now on the elements come from *stream*, TensorFlow's own queue, which takes those of upstream stages."""
        self.external = stream
        for one in self.upstream:
            one.consumers.remove(self)

    def compile_from(self, upstream: Stage, steps: Sequence[ir.Step]) -> None:
        """From now on the elements are those of *upstream* after *steps*, and no longer those of an external stream."""
        self.external = None
        self.inputs, self._steps = (InputBranch((upstream,), ()),), tuple(steps)
        upstream.consumers.append(self)


class NativeStage:
    """A stage that runs on TensorFlow's own queues.

    Attributes:
      reason: why it could not be compiled.
      ignored: the warnings about chosen options that these queues ignore; empty: there are none.
    """

    def __init__(self, name: str, made_at: str, reason: Reason, ignored: str = "") -> None:
        self.name = name
        self.made_at = made_at
        self.reason = reason
        self.ignored = ignored


def plan_of(stage: Stage, is_preview: bool = False, shows_open: bool = True) -> ir.Plan:
    """Returns the plan of *stage*'s elements as captured, before any pass.

    Args:
      is_preview: whether the plan reads everything from the beginning and shares nothing with other consumers.
      shows_open: whether a stage counts as shared merely because it is open to later consumers.
    """

    def shares(upstream: Stage) -> bool:
        reads = upstream.reads if shows_open else upstream.reads_when_closed
        return not is_preview and reads.consumers == "stream"

    steps = _Reader(is_preview, shares, stage.options).steps(stage)
    if shares(stage) and stage.external is None:
        steps = (_read_by_all(steps[0], stage.consumers), *steps[1:])
        if stage.has_numbers and isinstance(steps[0], ir.Produce) and not is_preview:
            steps = (dataclasses.replace(steps[0], components=stage.stream_components, numbered=True),)
    return ir.validate(ir.Plan(stage.name, stage.made_at, steps, is_preview, stage.options))


def shared_plan_of(stage: Stage) -> ir.Plan:
    """Returns a plan that reads the stream that the consumers of *stage* share."""
    return ir.Plan(stage.name, stage.made_at, (_from_stream(stage),), options=stage.options)


def _from_stream(stage: Stage, steps: Sequence[ir.Step] = ()) -> ir.Step:
    """Returns a draw from the stream that the consumers of *stage* share; *steps* make the stream's elements."""
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
    """Returns *step* with the *key* of its stage, if it is of a kind that has one."""
    return dataclasses.replace(step, queue=key) if isinstance(step, (ir.Bucket, ir.Produce, ir.Queue)) else step


def _read_by_all(step: ir.Step, consumers: Sequence[Stage]) -> ir.Step:
    """Returns *step*, with ``Produce.read_by`` if it outputs file names forever and all *consumers* read them alike."""
    firsts = [consumer.steps[0] if consumer.steps else None for consumer in consumers]
    if not firsts or not isinstance(firsts[0], ir.Read) or any(first != firsts[0] for first in firsts):
        return step
    if not isinstance(step, ir.Produce) or step.num_epochs is not None or step.blocks is not None:
        return step
    return dataclasses.replace(step, read_by=firsts[0].without_key())


class _Reader:
    """Assembles plans from the steps of stages.

    Args:
      shares: whether the elements of a stage are read from a stream that its consumers share.
      chosen: the options of the whole plan.
    """

    def __init__(self, is_preview: bool, shares: Callable[[Stage], bool], chosen: options.Options) -> None:
        self._is_preview = is_preview
        self._shares = shares
        self._options = chosen

    def steps(self, stage: Stage) -> Tuple[ir.Step, ...]:
        if stage.external is not None:
            return (ir.Pull(stage.components, stage.key, stage.name, is_native=True, is_op=stage.is_op),)
        inputs = [self._input(branch) for branch in stage.inputs]
        added = orders.in_its_order(stage)
        if len(inputs) == 1:
            return inputs[0] + added
        branches = tuple(
            ir.Plan(f"{stage.name}, list {number}", stage.made_at, steps, self._is_preview, self._options)
            for number, steps in enumerate(inputs)
        )
        return (ir.Merge(narrowest([steps[-1].components for steps in inputs]), branches),) + added

    def _input(self, branch: InputBranch) -> Tuple[ir.Step, ...]:
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


def with_upstream(stages: Iterable[Stage]) -> List[Stage]:
    """Returns *stages* and all stages upstream of them, each once, after those that its elements come from."""
    found: Dict[Stage, None] = {}

    def visit(stage: Stage) -> None:
        if stage not in found:
            for upstream in stage.upstream:
                visit(upstream)
            found[stage] = None

    for stage in stages:
        visit(stage)
    return list(found)


def narrowest(inputs: Sequence[ir.Components]) -> ir.Components:
    """Returns the most specific specs that are compatible with those of all *inputs* of a join."""
    return tuple(
        functools.reduce(lambda a, b: type(a)(a.shape.most_specific_compatible_shape(b.shape), a.dtype), specs)
        for specs in zip(*inputs)
    )


def _components(branch: InputBranch) -> ir.Components:
    return tuple(spec for stage in branch.upstream for spec in stage.components)
