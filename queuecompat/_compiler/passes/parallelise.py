"""parallelise: a slice runs on several elements at once where nobody can tell the difference.

TF1 ran a slice in ``num_threads`` threads. A pure slice may use every processor even with
``num_threads=1``, since its results come out in order. What the user seeded with one thread keeps
one thread: its random numbers belong to its elements.
"""

from __future__ import annotations

import dataclasses
import os
from typing import List, Optional

from queuecompat._compiler import ir

__all__ = ["parallelise"]


def parallelise(plan: ir.Plan) -> ir.Plan:
    """Holds back outside a queue, in batched slices, and where one thread has to stay one."""
    steps = list(plan.steps)
    for number, step in enumerate(steps):
        queue = _queue_after(steps, number)
        if not isinstance(step, ir.Run) or step.batched or queue is None:
            continue
        calls = _calls(step.body, queue)
        is_shuffled = any(isinstance(s, ir.Shuffle) for s in steps)
        is_ordered = queue.num_threads == 1 and not is_shuffled
        steps[number] = dataclasses.replace(step, parallel_calls=calls, ordered=is_ordered)
    return plan.with_steps(tuple(steps))


def _queue_after(steps: List[ir.Step], number: int) -> Optional[ir.Queue]:
    """The queue that the slice at *number* feeds; None where a batch comes first."""
    for step in steps[number + 1 :]:
        if isinstance(step, ir.Queue):
            return step
        if isinstance(step, ir.Batch):
            return None
    return None


def _calls(body: ir.Body, queue: ir.Queue) -> int:
    must_stay_in_step = body.has_effects or body.may_end or body.is_seeded
    if must_stay_in_step:
        return queue.num_threads
    wished = max(queue.num_threads, os.cpu_count() or 1)
    return max(1, min(wished, queue.capacity) if queue.capacity > 0 else wished)
