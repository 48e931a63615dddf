"""A session's own last pass: what comes into a plan goes through the gate of its runner.

A stop shuts that gate. A draw that waits in the program's own queue ends there, and the rest of the plan comes to the
end of its data, as it would at the end of a file. Any other plan ends where it counts what comes into its queue, and
what has not come so far is lost, as it was in TF1's threads.
"""

from __future__ import annotations

import dataclasses
import itertools
from typing import Any, Iterator, List, Optional, Sequence

import tensorflow as tf

from queuecompat._compiler import ir
from queuecompat._runtime.counters import Counter
from queuecompat._runtime.gates import Entrance, SourceGate

__all__ = ["gated", "ticking", "waits_for_python"]


def gated(plan: ir.Plan, gate: SourceGate, stream: str) -> ir.Plan:
    """*plan*, for the *stream* of that name, that ends when *gate* is shut."""
    draws_itself = any(isinstance(step, ir.Run) and step.draws for step in plan.steps)
    ends_at_its_sources = draws_itself or all(map(_is_native, _sources(plan)))
    numbers = itertools.count()
    return ir.mapped(plan, lambda step: _gated(step, gate, stream, next(numbers), ends_at_its_sources))


def ticking(plan: ir.Plan, gate: SourceGate) -> ir.Plan:
    """*plan*, whose elements are counted one by one and go through *gate*: for few, such as names of files."""
    produce = plan.steps[-1]
    if not isinstance(produce, ir.Produce) or produce.fullness is None:
        return plan
    counter = _Ticks(gate, produce.fullness.left)
    return plan.with_steps((*plan.steps, ir.Count(plan.components, counter, batched=False)))


def waits_for_python(plan: ir.Plan) -> bool:
    """Whether a draw may wait for a function of the program's that never returns."""
    return any(isinstance(step, ir.Run) and step.body.has_effects for step in ir.all_steps(plan))


def _sources(plan: ir.Plan) -> Iterator[ir.Step]:
    first = plan.steps[0]
    if isinstance(first, (ir.Zip, ir.Merge)):
        for branch in first.branches:
            yield from _sources(branch)
    else:
        yield first


def _is_native(step: ir.Step) -> bool:
    return isinstance(step, ir.Pull) and step.is_native


def _gated(step: Any, gate: SourceGate, stream: str, number: int, ends_at_its_sources: bool) -> ir.Step:
    if _is_native(step):
        return dataclasses.replace(step, stream=_GatedStream(step.stream, gate.entrance(stream, number)))
    if isinstance(step, ir.Run) and step.draws:
        # One call at a time goes through an entrance. What takes its time comes after the draws, in a step of its own.
        body = _GatedBody(step.body, gate.entrance(stream, number))
        return dataclasses.replace(step, body=body, parallel_calls=1)
    if isinstance(step, ir.Count) and not ends_at_its_sources and getattr(step.counter, "is_entry", False):
        return dataclasses.replace(step, counter=_Ticks(gate, step.counter))
    return step


class _GatedBody(ir.Body):
    """*body*, which draws from outside, run through *entrance*."""

    def __init__(self, body: ir.Body, entrance: Entrance) -> None:
        self._body = body
        self._entrance = entrance
        self.is_random, self.is_seeded, self.has_effects = body.is_random, body.is_seeded, body.has_effects
        self.calls_python = body.calls_python
        self.may_end = True

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _GatedBody) and self._body is other._body and self._entrance is other._entrance

    def __hash__(self) -> int:
        return hash((self._body, self._entrance))

    def describe(self) -> str:
        return self._body.describe()

    def written(self, name: str, parameters: Sequence[str], writer: Any, batched: bool = False) -> List[str]:
        return self._body.written(name, parameters, writer, batched)

    def function(
        self,
        given: Optional[Sequence[Any]] = None,
        uses: Sequence[int] = (),
        batched: bool = False,
        around: ir.Around = ir.alone,
    ) -> Any:
        # In one function, and none that calls another: the first error of a function is its own, but what it cancels in
        # the function that called it may fail there before that error arrives.
        return self._body.function(
            given, uses, batched, lambda compute: around(lambda: self._entrance.passing(compute))
        )


class _Ticks:
    """Takes the place of *counter* in a plan: what is counted also goes through *gate*."""

    # It is captured: TensorFlow wants to know more of a variable that counts up to a limit than that it is one.
    handles: Sequence[tf.Tensor] = ()

    def __init__(self, gate: SourceGate, counter: Counter) -> None:
        self._gate = gate
        self._counter = counter

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Ticks) and self._gate is other._gate and self._counter is other._counter

    def __hash__(self) -> int:
        return hash((self._gate, self._counter))

    def over(self, handles: Sequence[tf.Tensor]) -> _Ticks:
        """The same, as it has no *handles*."""
        return self

    def add(self, count: tf.Tensor) -> tf.Operation:
        return tf.group(self._gate.count(), self._counter.add(count))


class _GatedStream:
    """*stream*, drawn from through *entrance*; equal to any other of the same two."""

    def __init__(self, stream: Any, entrance: Entrance) -> None:
        self._stream = stream
        self._entrance = entrance

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _GatedStream) and self._stream is other._stream and self._entrance is other._entrance

    def __hash__(self) -> int:
        return hash((self._stream, self._entrance))

    @property
    def queues(self) -> Sequence[tf.Tensor]:
        return self._stream.queues

    def draw(self, name: Optional[str] = None) -> List[tf.Tensor]:
        return self._entrance.passing(lambda: self._stream.draw(name))
