"""A stream of a session and the plan behind it, which later calls of the program may change.

A stage is lowered as soon as it is made, since a graph may be finalised before it is started. When a plan comes out
differently afterwards, its stream is filled again, until the pipeline has been started.
"""

from __future__ import annotations

from typing import Optional

from queuecompat._compiler import ir
from queuecompat._compiler.lowering.dataset import Beginnings, lower
from queuecompat._compiler.passes import optimise
from queuecompat._compiler.stages import Stage, plan_of
from queuecompat._runtime.delivery import Delivery
from queuecompat._runtime.gated import gated, ticking
from queuecompat._runtime.iterators import Stream
from queuecompat._runtime.placement import apart
from queuecompat.errors import QueueCompatRuntimeError, error

__all__ = ["FilledStream"]


class FilledStream:
    """A stream and the plan that it was last filled from."""

    def __init__(self, stage: Stage, stream: Stream, delivery: Optional[Delivery] = None) -> None:
        self.stage = stage
        self.stream = stream
        # None: the stream is for other pipelines of the graph, and not for the program.
        self.delivery = delivery
        self.plan: Optional[ir.Plan] = None
        self._captured: Optional[ir.Plan] = None

    @property
    def is_only_for_later(self) -> bool:
        """Whether it is there for consumers that may come while it runs, and has but one so far."""
        return self.delivery is None and len(self.stage.consumers) == 1 and not self.stage.is_needed_by_several

    def shown(self) -> ir.Plan:
        """The plan as the user thinks of it."""
        assert self.plan is not None
        if self.plan.is_peek or not _draws_from_open(self.stage):
            return self.plan
        return optimise(plan_of(self.stage, shows_open=False))

    @property
    def size(self) -> int:
        """How many elements TF1's queue is asked for at once."""
        batch = self.stage.steps[-1] if self.stage.steps else None
        return batch.size if isinstance(batch, ir.Batch) else 1

    def bring_up_to_date(self, beginnings: Beginnings) -> bool:
        """Fills the stream again if the plan has changed.

        Returns:
          Whether it has.
        Raises:
          QueueCompatRuntimeError: QC304, it has been started.
        """
        captured = self._captured_plan()
        if captured == self._captured:
            return False
        if self._captured is not None and self.stage.runner.has_started:
            if captured.is_peek:
                return False  # no training data: it may go on as it is
            raise error(QueueCompatRuntimeError, "QC304", stage=self.stage.name)
        self._captured, earlier = captured, self.plan
        self.stage.runner.holds_everything |= _fits(captured)
        self.plan = optimise(captured)
        if self.delivery is not None:
            self.plan = self.delivery.counted(self.plan, plan_of(self.stage, is_peek=True))
        elif self.stage.is_open:
            self.plan = ticking(self.plan, self.stage.runner.sources)
        self.plan = gated(self.plan, self.stage.runner.sources, self.stream.scope)
        self.stage.runner.sources.allowance = _allowance(captured, self.plan)
        if earlier is not None and earlier.steps == self.plan.steps:
            return False  # what has become a peek, mostly: it reads as before, and lowering costs tens of milliseconds
        with apart(self.stage.runner.placement, f"{self.stage.scope}/compiled"):
            dataset = lower(self.plan, beginnings)
        self.stream.fill(dataset, after=[self.stage.runner.once])
        return True

    def _captured_plan(self) -> ir.Plan:
        stage = self.stage
        if self.delivery is None or not stage.is_captured:
            return plan_of(stage)
        if stage.has_native_consumer:
            # The stage's own tensors feed a native queue: one consumer among the others.
            step = ir.Pull(stage.components, stage.stream, stage.name)
            return ir.Plan(stage.name, stage.made_at, (step,))
        return plan_of(stage, is_peek=True)


def _draws_from_open(stage: Stage) -> bool:
    upstream = [one for inlet in stage.inlets for one in inlet.upstream]
    return any((one.is_open and not one.is_needed_by_several) or _draws_from_open(one) for one in upstream)


def _fits(plan: ir.Plan) -> bool:
    """Whether the queue of *plan*, as captured, has room for all elements, as far as can be seen."""
    produce, *rest = plan.steps
    if not isinstance(produce, ir.Produce) or produce.fullness is None:
        return False
    for step in rest:
        if isinstance(step, ir.Queue):
            return 0 <= produce.fullness.entered.initial <= step.capacity
        if not isinstance(step, ir.Run):
            return False
    return False


def _allowance(captured: ir.Plan, plan: ir.Plan) -> int:
    """How many counts of what comes into *plan* TF1's queue, as captured, had room for."""
    counts = [step for step in plan.steps if isinstance(step, ir.Count)]
    rooms = [step.capacity for step in captured.steps if isinstance(step, (ir.Produce, ir.Queue))]
    if not counts or not rooms:
        return 0
    sizes = [step.size for step in captured.steps if isinstance(step, ir.Batch)]
    each = sizes[-1] if counts[0].batched and sizes else counts[0].every
    return max(0, rooms[-1]) // each
