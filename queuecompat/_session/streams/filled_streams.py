"""A stream of a session and its plan, which later calls of the program may change.

A stream is filled when its graph is settled (``backend``, Rule 1). If its plan comes out differently afterwards, it is
filled again, unless the pipeline has been started.
"""

from __future__ import annotations

import itertools
from typing import Callable, Mapping, Optional

from queuecompat._backends.tfdata.dataset import PrefixCache, lower
from queuecompat._passes import optimise
from queuecompat._passes.cache_elements import warn_uncached
from queuecompat._passes.draw_by_index import warn_unindexed
from queuecompat._plan import ir
from queuecompat._plan.backend import Lowered
from queuecompat._plan.positions import fingerprint, lost, warn_if_not_resumable
from queuecompat._plan.registry import Pipelines
from queuecompat._plan.service import local_reason, remote_plan_of
from queuecompat._plan.skipped import SkipLog
from queuecompat._plan.stages import Stage, plan_of, shared_plan_of
from queuecompat._plan.starts import decided_by_starts
from queuecompat._session.graph_ops.iterators import Stream
from queuecompat._session.graph_ops.placement import outside_user_scopes
from queuecompat._session.graph_ops.waits import after
from queuecompat._session.starting.controls import runner_of
from queuecompat._session.streams.resources import SessionResources
from queuecompat._session.streams.saved_positions import SavedPosition
from queuecompat._session.streams.session_passes import check_ends, count_each, count_queues, gated
from queuecompat._session.streams.throughput import Throughput
from queuecompat.errors import QueueCompatRuntimeError, Reason, error

__all__ = ["FilledStream"]


class FilledStream:
    """A stream and the plan that it was last filled from.

    Args:
      shared: returns the stream that the consumers of a stage share, by the stage's key.
      throughput: counts what the program draws; None: the stream is for other pipelines of the graph.
      saved_position: the position of the pipeline in the program's checkpoints; None: it is not saved.
    Attributes:
      skipped: the log of elements that the plan skips; None where an error ends the pipeline.
      is_deferred: whether it is a preview that has a plan and is not filled yet (``previews``).
    """

    def __init__(
        self,
        pipelines: Pipelines,
        stage: Stage,
        stream: Stream,
        shared: Callable[[str], Stream],
        throughput: Optional[Throughput] = None,
        saved_position: Optional[SavedPosition] = None,
    ) -> None:
        self.saved_position = saved_position
        self.stage = stage
        self.stream = stream
        self.throughput = throughput
        self._runner = runner_of(stage)
        most, skips = stage.options.max_errors, stage.options.on_error == "skip"
        self.skipped = SkipLog(stage.name, stage.made_at, most) if skips else None
        self._resources = SessionResources(
            pipelines, shared, self._runner.sources, throughput, self.skipped, saved_position
        )
        self.plan: Optional[ir.Plan] = None
        self.local_reason: Optional[Reason] = None  # why this process computes it although a data service was chosen
        self._captured: Optional[ir.Plan] = None
        self.is_deferred = False

    @property
    def draw(self) -> str:
        """The name of the op with which the program takes elements."""
        return self.stage.scope

    @property
    def is_only_for_later(self) -> bool:
        """Whether it exists for consumers that may come while it runs, and has only one so far."""
        is_shared = self.stage.reads_when_closed.consumers == "stream"
        return self.throughput is None and self.stage.state.consumers == "one" and not is_shared

    def shown(self) -> Lowered:
        """The plan to show to the user: it ignores that stages were opened for consumers that may still come."""
        assert self.plan is not None and self._captured is not None
        if self.plan.is_preview or not _draws_from_open(self.stage):
            return Lowered(self.stage, self._captured, self.plan, local_reason=self.local_reason)
        captured = plan_of(self.stage, shows_open=False)
        return Lowered(self.stage, captured, optimise(captured), local_reason=self.local_reason)

    def bring_up_to_date(self, prefixes: PrefixCache, capacities: Mapping[str, int]) -> bool:
        """Fills the stream again if its plan has changed.

        A preview only gets its plan, until a step needs it (``fill``).

        Args:
          capacities: the capacities of the graph's queues, by the keys of their stages.
        Returns:
          Whether the plan has changed. Its runner must then be refreshed, because different counters count what its
          queue holds.
        Raises:
          QueueCompatRuntimeError: QC304, the plan has changed after the pipeline was started.
        """
        captured = self._captured_plan()
        if captured == self._captured:
            return False
        if self._captured is not None and self._runner.has_started:
            if captured.is_preview:
                return False  # a preview is no training data: it may go on unchanged
            raise error(QueueCompatRuntimeError, "QC304", stage=self.stage.name)
        self._captured, earlier = captured, self.plan
        self._runner.holds_everything |= _fits(captured)
        if captured.is_remote and captured.options.data_service is not None:
            self._runner.services.add(captured.options.data_service)
        optimised = optimise(captured)
        if self.skipped is not None:
            self.skipped.is_inner = self.throughput is None or captured.is_preview
        warn_uncached(optimised)
        warn_unindexed(optimised)
        self.plan = self._last_passes(count_queues(optimised, capacities))
        self._runner.sources.allowance = _allowance(captured, self.plan)
        if earlier is not None and earlier.steps == self.plan.steps:
            # Mostly because it has become a preview: its steps are the same, and lowering takes tens of milliseconds.
            return False
        self.is_deferred = captured.is_preview and (earlier is None or self.is_deferred)
        if not self.is_deferred:
            self.fill(prefixes)
        return True

    def fill(self, prefixes: PrefixCache) -> None:
        """Fills the stream with the dataset of its plan."""
        assert self.plan is not None
        self.is_deferred = False
        with outside_user_scopes(self._runner.placement, f"{self.stage.scope}/compiled"):
            if self.stage.options.checkpoint:
                self._fill_from_position()
            else:
                self.stream.fill(lower(self.plan, self._resources, prefixes), after=[self._runner.claim_op])

    def _fill_from_position(self) -> None:
        """Fills the stream so that each start, and each restored checkpoint, decides at which position it begins."""
        assert self.plan is not None
        plan = decided_by_starts(self.plan, itertools.count())
        feeds_queue = self.stage.state.has_external_consumer
        if self.saved_position is not None and not plan.is_preview:
            warn_if_not_resumable(plan, feeds_queue)
        if self.saved_position is None:
            self.stream.fill(lower(plan, self._resources), after=[self._runner.claim_op])
            return
        with after([self.saved_position.begun()]):
            position = None if lost(plan, feeds_queue) else self.saved_position.received()
            dataset = lower(plan, self._resources, position=position)
        noted = self.saved_position.note_plan(fingerprint(self.plan))
        self.stream.fill(
            dataset, after=[self._runner.claim_op, noted], rewinds_after=None if position is None else [noted]
        )

    def _last_passes(self, plan: ir.Plan) -> ir.Plan:
        if self.throughput is not None:
            plan = self.throughput.counted(plan, plan_of(self.stage, is_preview=True), self._resources)
        elif self.stage.state.is_open:
            plan = count_each(plan)
        return gated(check_ends(plan), self.stream.scope)

    def find_local_reason(self) -> Optional[Reason]:
        """Why this process computes the pipeline although a data service was chosen.

        None: no service was chosen, the service computes the pipeline, or it is only a preview.
        """
        is_delivered = self.throughput is not None and self.stage.reads.tensors != "preview"
        return local_reason(self.stage) if is_delivered and self.stage.options.data_service is not None else None

    def _captured_plan(self) -> ir.Plan:
        reads = self.stage.reads.tensors
        is_wanted = self.throughput is not None and reads != "preview" and self.stage.options.data_service is not None
        self.local_reason = local_reason(self.stage) if is_wanted else None
        if is_wanted and self.local_reason is None:
            return remote_plan_of(self.stage)
        if self.throughput is not None and reads == "stream":
            return shared_plan_of(self.stage)
        return plan_of(self.stage, is_preview=self.throughput is not None and reads == "preview")


def _draws_from_open(stage: Stage) -> bool:
    return any(one.reads != one.reads_when_closed or _draws_from_open(one) for one in stage.upstream)


def _fits(plan: ir.Plan) -> bool:
    """Whether the queue of *plan*, as captured, is known to have room for all its elements."""
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
    """How many counts of elements entering *plan* correspond to the room in TF1's queue, as captured."""
    counts = [step for step in plan.steps if isinstance(step, ir.Count)]
    rooms = [step.capacity for step in captured.steps if isinstance(step, (ir.Produce, ir.Queue))]
    if not counts or not rooms:
        return 0
    sizes = [step.size for step in captured.steps if isinstance(step, ir.Batch)]
    each = sizes[-1] if counts[0].batched and sizes else counts[0].every
    return max(0, rooms[-1]) // each
