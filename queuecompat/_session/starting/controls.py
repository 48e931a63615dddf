"""What a session keeps for each of TF1's queues (implements ``QueueControl``): its runner, placement and counts."""

from __future__ import annotations

import contextlib
from typing import Iterator, List, Optional

import numpy as np
import tensorflow as tf

from queuecompat._native.reference import native
from queuecompat._plan.backend import QueueSpec
from queuecompat._plan.registry import Pipelines
from queuecompat._plan.stages import Stage
from queuecompat._session.graph_ops.occupancy import Occupancy
from queuecompat._session.graph_ops.placement import Placement
from queuecompat._session.starting.runner_queue import RunnerQueue
from queuecompat._session.starting.runners import PipelineRunner

__all__ = ["SessionQueue", "control_of", "runner_of", "runners_of"]

# More rows than any queue can hold.
_ENDLESS = 2**62


class SessionQueue:
    """One queue.

    Args:
      spec: TF1's queue.
      placement: where all its ops are built.
    """

    def __init__(self, spec: QueueSpec, placement: Placement) -> None:
        self.capacity = spec.capacity
        self.placement = placement
        # The stage that the queue belongs to; None until the stage is passed to the back end.
        self.stage: Optional[Stage] = None
        self.runner = PipelineRunner(
            placement,
            spec.scope,
            spec.names,
            spec.cancel_op,
            queue_of=lambda op: RunnerQueue(op, spec, self, self._close),
        )
        self.occupancy = Occupancy(placement, spec.summary_scope, spec.names.size, spec.capacity, spec.minimum)
        self._is_filled_once = spec.is_filled_once
        if spec.is_filled_once:
            total = _ENDLESS if spec.total is None else spec.total
            self.occupancy.entered.initial = total
            self.runner.holds_everything = total <= spec.capacity
        self.runner.add_counters(self.occupancy.entered, self.occupancy.left)
        self._is_registered = not spec.has_runner

    @property
    def graph(self) -> tf.Graph:
        return self.placement.graph

    @property
    def is_running(self) -> bool:
        return self.runner.has_started

    def register(self) -> None:
        """Adds its runner to the collection in which ``start_queue_runners`` looks for it."""
        if not self._is_registered:
            self._is_registered = True
            native("add_queue_runner", self.runner)

    def array(self, array: np.ndarray) -> tf.Tensor:
        return self.runner.add_array(array)

    def summarise(self, tag: Optional[str] = None) -> None:
        self.occupancy.summarise(tag)

    def summarise_size(self, tag: str) -> None:
        self.occupancy.summarise_size(tag)

    def size(self, name: str) -> tf.Tensor:
        return self.occupancy.size(name)

    def is_closed(self, name: Optional[str] = None) -> tf.Tensor:
        """Whether nothing more can come into the queue, a scalar bool; False before the start.

        How much is still to come is only known for a queue that is filled once, from rows in the graph. A queue that
        other pipelines fill counts as closed once a step has reached the end of the data.
        """
        self.runner.watch_end()

        def since_start() -> tf.Tensor:
            is_shut = self.runner.sources.is_shutting(self.capacity)
            return tf.logical_or(is_shut, self.occupancy.has_all()) if self._is_filled_once else is_shut

        return tf.cond(self.runner.sources.has_opened(), since_start, lambda: tf.constant(False), name=name)

    def _close(self, name: str) -> tf.Operation:
        """An op called *name* that closes the queue."""
        assert self.stage is not None
        return Pipelines.of(self.graph).backend.close(self.stage, name)

    @contextlib.contextmanager
    def replaced(self) -> Iterator[None]:
        with self.placement.natives(), self.occupancy.replaced():
            yield


def control_of(stage: Stage) -> SessionQueue:
    """What the session keeps for the queue of *stage*."""
    control = stage.control
    assert isinstance(control, SessionQueue), stage.name
    return control


def runner_of(stage: Stage) -> PipelineRunner:
    """The runner that starts *stage*."""
    return control_of(stage).runner


def runners_of(stage: Stage) -> List[PipelineRunner]:
    """The runners that start *stage* and all stages upstream of it; those upstream come first."""
    before = [one for upstream in stage.upstream for one in runners_of(upstream)]
    return [*before, runner_of(stage)] if stage.has_control else before
