"""size_buffers: TF1's queue becomes a prefetch that never holds more than the queue did.

With a capacity of C elements and batches of B, at most C + B elements may be between the source and
the consumer: the queue's, and one batch in flight. Of these the pool of a shuffle takes its share,
and so does every call of a slice that runs in parallel; the rest is prefetched batches.
"""

from __future__ import annotations

import dataclasses
from typing import List, Union

from queuecompat._compiler import ir

__all__ = ["size_buffers"]

# Batches made ahead where TF1's queue had no bound (capacity < 0).
AHEAD_WITHOUT_BOUND = 16

AnyBatch = Union[ir.Batch, ir.RunBatch]


def size_buffers(plan: ir.Plan) -> ir.Plan:
    """Removes every ``Queue``. Holds back a prefetch where a peek would read ahead for nothing."""
    steps = list(plan.steps)
    while any(isinstance(step, ir.Queue) for step in steps):
        _settle(steps, next(n for n, step in enumerate(steps) if isinstance(step, ir.Queue)), plan.is_peek)
    return plan.with_steps(tuple(steps))


def _settle(steps: List[ir.Step], place: int, is_peek: bool) -> None:
    """Replaces the queue at *place* by what holds its elements here."""
    queue = steps.pop(place)
    assert isinstance(queue, ir.Queue)
    end = next(n for n in range(place, len(steps)) if isinstance(steps[n], (ir.Batch, ir.RunBatch)))
    batch = steps[end]
    assert isinstance(batch, (ir.Batch, ir.RunBatch))
    in_work = _in_work(steps[:place], batch)
    room = queue.capacity + _size(batch)
    for number in _since_the_queue_before(steps, place):
        shuffle = steps[number]
        if isinstance(shuffle, ir.Shuffle):
            ahead = 0 if isinstance(batch, ir.RunBatch) else 1  # a RunBatch works ahead by itself
            pool = max(1, min(queue.capacity, room - in_work - ahead * _size(batch)))
            steps[number] = dataclasses.replace(shuffle, buffer=pool)
            break
    else:
        ahead = AHEAD_WITHOUT_BOUND if queue.capacity < 0 else (room - in_work) // _size(batch)
        ahead = ahead if isinstance(batch, ir.RunBatch) else max(1, ahead)
    while end + 1 < len(steps) and _is_batched(steps[end + 1]):
        end += 1
    if ahead > 0 and not is_peek:
        steps.insert(end + 1, ir.Prefetch(steps[end].components, ahead))


def _since_the_queue_before(steps: List[ir.Step], place: int) -> List[int]:
    """Numbers of the steps between the queue before and the one at *place*, the nearest first."""
    numbers = []
    for number in range(place - 1, -1, -1):
        if isinstance(steps[number], (ir.Batch, ir.RunBatch, ir.Prefetch)):
            break
        numbers.append(number)
    return numbers


def _in_work(before: List[ir.Step], batch: AnyBatch) -> int:
    """Elements that calls in parallel are working on, of the queue whose batch this is."""
    if isinstance(batch, ir.RunBatch):
        return batch.batches_in_work * _size(batch)
    runs = [before[number] for number in _since_the_queue_before(before, len(before))]
    return sum(run.parallel_calls for run in runs if isinstance(run, ir.Run) and run.parallel_calls > 1)


def _size(batch: AnyBatch) -> int:
    return batch.batch.size if isinstance(batch, ir.RunBatch) else batch.size


def _is_batched(step: ir.Step) -> bool:
    return isinstance(step, ir.Run) and step.batched
