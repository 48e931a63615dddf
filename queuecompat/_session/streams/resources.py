"""What the plans of a session refer to (``resources.Resources``): streams, counters and gates of the user's graph."""

from __future__ import annotations

from typing import Callable, List, Optional, Sequence

import tensorflow as tf

from queuecompat._plan import ir
from queuecompat._plan.bodies import Around
from queuecompat._plan.registry import Pipelines
from queuecompat._plan.resources import Counter, Stream
from queuecompat._plan.resources import Occupancy as Counters
from queuecompat._plan.skipped import SkipLog
from queuecompat._session.graph_ops.gates import SourceGate
from queuecompat._session.starting.controls import control_of
from queuecompat._session.streams.saved_positions import SavedPosition
from queuecompat._session.streams.throughput import Throughput

__all__ = ["SessionResources"]


class SessionResources:
    """What one plan refers to.

    Args:
      shared: returns the stream that the consumers of a stage share, by the stage's key.
      gate: the gate of the plan's sources.
      throughput: counts what the plan delivers to the program; None: it delivers nothing to it.
      skipped: the log of elements that the plan skips; None: it skips none.
      saved_position: the plan's position in checkpoints; None: it is not saved.
    """

    def __init__(
        self,
        pipelines: Pipelines,
        shared: Callable[[str], Stream],
        gate: SourceGate,
        throughput: Optional[Throughput],
        skipped: Optional[SkipLog] = None,
        saved_position: Optional[SavedPosition] = None,
    ) -> None:
        self._saved_position = saved_position
        self._pipelines = pipelines
        self._shared = shared
        self._gate = gate
        self._throughput = throughput
        self._skipped = skipped

    def stream(self, key: str, is_native: bool) -> Stream:
        if not is_native:
            return self._shared(key)
        external = self._pipelines.stage(key).external
        assert external is not None, key
        return external

    def counter(self, count: ir.Count) -> Counter:
        counter = self._counter(count)
        if count.is_gated:
            self._gate.is_passed = True
            counter = _GatedCounter(self._gate, counter)
        if count.is_timed:
            assert self._throughput is not None
            counter = self._throughput.timed(counter)
        return counter

    def _counter(self, count: ir.Count) -> Counter:
        if count.event == "delivered":
            assert self._throughput is not None
            return self._throughput.counter
        entered, left = self.occupancy(count.queue)
        return entered if count.event == "entered" else left

    def occupancy(self, key: str) -> Counters:
        occupancy = control_of(self._pipelines.stage(key)).occupancy
        return occupancy.entered, occupancy.left

    def entrance(self, entrance: ir.Entrance) -> Around:
        return self._gate.entrance(entrance.stream, entrance.number).cancellable

    def start(self, number: int) -> tf.Tensor:
        key = (
            tf.random.uniform([2], 0, tf.int64.max, tf.int64)
            if self._saved_position is None
            else self._saved_position.key()
        )
        return key + [number, 0]

    def skip_log(self) -> SkipLog:
        assert self._skipped is not None
        return self._skipped.open()

    def iteration(self) -> tf.Tensor:
        return tf.constant(0, tf.int64)


class _GatedCounter:
    """*counter*; whatever it counts also has to pass *gate*."""

    def __init__(self, gate: SourceGate, counter: Counter) -> None:
        self._gate = gate
        self._counter = counter

    @property
    def handles(self) -> List[tf.Tensor]:
        return [*self._gate.handles, *self._counter.handles]

    def with_handles(self, handles: Sequence[tf.Tensor]) -> _GatedCounter:
        """The same on other *handles*: those of the gate, then those of the counter."""
        own = len(self._gate.handles)
        return _GatedCounter(self._gate.with_handles(handles[:own]), self._counter.with_handles(handles[own:]))

    def add(self, count: tf.Tensor) -> tf.Operation:
        return tf.group(self._gate.count(), self._counter.add(count))

    def set(self, count: tf.Tensor) -> tf.Operation:
        return self._counter.set(count)
