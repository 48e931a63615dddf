"""size_buffers: TF1's queue becomes a prefetch that never holds more than the queue did.

With a capacity of C elements and batches of B, at most C + B elements may be between the source and
the consumer: the queue's, and one batch in flight. Of these the pool of a shuffle takes its share,
and so does every call of a slice that runs in parallel; the rest is prefetched batches.
"""

from __future__ import annotations

import dataclasses
from typing import List

from queuecompat._compiler import ir

__all__ = ["size_buffers"]

# Batches made ahead where TF1's queue had no bound (capacity < 0).
AHEAD_WITHOUT_BOUND = 16


def size_buffers(plan: ir.Plan) -> ir.Plan:
    """Removes every ``Queue``. Holds back a prefetch where a peek would read ahead for nothing."""
    steps = list(plan.steps)
    while any(isinstance(step, ir.Queue) for step in steps):
        place = next(n for n, step in enumerate(steps) if isinstance(step, ir.Queue))
        queue = steps.pop(place)
        assert isinstance(queue, ir.Queue)
        batch_at = next(n for n in range(place, len(steps)) if isinstance(steps[n], ir.Batch))
        after = batch_at + 1
        while after < len(steps) and isinstance(steps[after], ir.Run) and steps[after].batched:  # type: ignore[attr-defined]
            after += 1
        in_parallel = _fit_pool(steps, place, queue)
        if not plan.is_peek:
            batch = steps[batch_at]
            assert isinstance(batch, ir.Batch)
            count = _batches_ahead(steps, place, queue, batch, in_parallel)
            steps.insert(after, ir.Prefetch(steps[after - 1].components, count))
    return plan.with_steps(tuple(steps))


def _fit_pool(steps: List[ir.Step], place: int, queue: ir.Queue) -> int:
    """Makes room in the pool for the elements being worked on; gives how many these are."""
    in_parallel = 0
    for number in range(place - 1, -1, -1):
        step = steps[number]
        if isinstance(step, ir.Run) and not step.batched:
            in_parallel += step.parallel_calls if step.parallel_calls > 1 else 0
        elif isinstance(step, ir.Shuffle):
            buffer = max(1, queue.capacity - in_parallel)
            steps[number] = dataclasses.replace(step, buffer=buffer)
            break
        elif not isinstance(step, ir.Unbatch):
            break
    return in_parallel


def _batches_ahead(steps: List[ir.Step], place: int, queue: ir.Queue, batch: ir.Batch, in_parallel: int) -> int:
    for step in reversed(steps[:place]):
        if isinstance(step, ir.Shuffle):
            return 1  # the pool has the queue's share; this is the batch in flight
        if isinstance(step, (ir.Batch, ir.Prefetch)):
            break  # of the queue before this one
    if queue.capacity < 0:
        return AHEAD_WITHOUT_BOUND
    return max(1, (queue.capacity + batch.size - in_parallel) // batch.size)
