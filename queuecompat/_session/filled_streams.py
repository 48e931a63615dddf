"""A stream of a session and its plan, which later calls of the program may change.

A stage is lowered as soon as it is made, since a graph may be finalised before it is started. When a plan comes out
differently afterwards, its stream is filled again, until the pipeline has been started.
"""

from __future__ import annotations

from typing import Callable, Mapping, Optional

from queuecompat._backends.tfdata.dataset import PrefixCache, lower
from queuecompat._passes import optimise
from queuecompat._plan import ir
from queuecompat._plan.backend import Lowered
from queuecompat._plan.registry import Pipelines
from queuecompat._plan.stages import Stage, plan_of, shared_plan_of
from queuecompat._session.controls import runner_of
from queuecompat._session.iterators import Stream
from queuecompat._session.passes import count_each, count_queues, gated
from queuecompat._session.placement import outside_user_scopes
from queuecompat._session.resources import SessionResources
from queuecompat._session.throughput import Throughput
from queuecompat.errors import QueueCompatRuntimeError, error

__all__ = ["FilledStream"]


class FilledStream:
    """A stream and the plan that it was last filled from.

    Args:
      shared: the stream that the consumers of the stage of a key share.
      throughput: the figures of what the program draws; None: the stream is for other pipelines of the graph.
    """

    def __init__(
        self,
        pipelines: Pipelines,
        stage: Stage,
        stream: Stream,
        shared: Callable[[str], Stream],
        throughput: Optional[Throughput] = None,
    ) -> None:
        self.stage = stage
        self.stream = stream
        self.throughput = throughput
        self._runner = runner_of(stage)
        self._resources = SessionResources(pipelines, shared, self._runner.sources, throughput)
        self.plan: Optional[ir.Plan] = None
        self._captured: Optional[ir.Plan] = None

    @property
    def is_only_for_later(self) -> bool:
        """Whether it is there for consumers that may come while it runs, and has but one so far."""
        is_shared = self.stage.reads_when_closed.consumers == "stream"
        return self.throughput is None and self.stage.state.consumers == "one" and not is_shared

    def shown(self) -> Lowered:
        """The plan as the user thinks of it."""
        assert self.plan is not None and self._captured is not None
        if self.plan.is_preview or not _draws_from_open(self.stage):
            return Lowered(self.stage, self._captured, self.plan)
        captured = plan_of(self.stage, shows_open=False)
        return Lowered(self.stage, captured, optimise(captured))

    def bring_up_to_date(self, prefixes: PrefixCache, capacities: Mapping[str, int]) -> bool:
        """Fills the stream again if the plan has changed.

        Args:
          capacities: of the queues of the graph, by the keys of their stages.
        Returns:
          Whether it has.
        Raises:
          QueueCompatRuntimeError: QC304, it has been started.
        """
        captured = self._captured_plan()
        if captured == self._captured:
            return False
        if self._captured is not None and self._runner.has_started:
            if captured.is_preview:
                return False  # no training data: it may go on as it is
            raise error(QueueCompatRuntimeError, "QC304", stage=self.stage.name)
        self._captured, earlier = captured, self.plan
        self._runner.holds_everything |= _fits(captured)
        self.plan = self._last_passes(count_queues(optimise(captured), capacities))
        self._runner.sources.allowance = _allowance(captured, self.plan)
        if earlier is not None and earlier.steps == self.plan.steps:
            return False  # what has become a peek, mostly: it reads as before, and lowering costs tens of milliseconds
        with outside_user_scopes(self._runner.placement, f"{self.stage.scope}/compiled"):
            dataset = lower(self.plan, self._resources, prefixes)
        self.stream.fill(dataset, after=[self._runner.once])
        return True

    def _last_passes(self, plan: ir.Plan) -> ir.Plan:
        if self.throughput is not None:
            plan = self.throughput.counted(plan, plan_of(self.stage, is_preview=True), self._resources)
        elif self.stage.state.is_open:
            plan = count_each(plan)
        return gated(plan, self.stream.scope)

    def _captured_plan(self) -> ir.Plan:
        reads = self.stage.reads.tensors
        if self.throughput is not None and reads == "stream":
            return shared_plan_of(self.stage)
        return plan_of(self.stage, is_preview=self.throughput is not None and reads == "preview")


def _draws_from_open(stage: Stage) -> bool:
    return any(one.reads != one.reads_when_closed or _draws_from_open(one) for one in stage.upstream)


def _fits(plan: ir.Plan) -> bool:
    """Whether the queue of *plan*, as captured, has room for all elements, as far as can be seen."""
    produce, *rest = plan.steps
    if not isinstance(produce, ir.Produce) or produce.total is None:
        return False
    for step in rest:
        if isinstance(step, ir.Queue):
            return produce.total <= step.capacity
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
