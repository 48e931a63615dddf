"""parallelise: a slice runs on several elements at once where nobody can tell the difference.

TF1 ran a slice in ``num_threads`` threads. A pure slice may run many times at once even with
``num_threads=1``, since its results come out in order. What the user seeded with one thread keeps
one thread: its random numbers belong to its elements. A Python function is never called in more threads
than the user asked for.

A slice that makes its elements itself, in Python, and has several threads becomes as many branches: each takes the
next element as soon as it has passed on its last one, and ends by itself, as TF1's threads did. So none waits
until another has its element.
"""

from __future__ import annotations

import dataclasses
import os
from typing import List, Optional

from queuecompat._compiler import ir

__all__ = ["parallelise"]

# Many more calls than processors: most of a cheap call is waking somebody up for it, and a deep
# line of calls keeps everybody awake. Measured on 2 processors, TF 2.21, parse + crop + flip, in
# microseconds an example: 1 call 36, 2 calls 54, 4 calls 35, 8 calls 27, 16 calls 20, 32 calls 17.
CALLS_PER_PROCESSOR = 8
# With fewer, one call after the other is faster.
FEWEST_CALLS = 4
# The share of a shuffle's pool that may be out for calls: what is out does not mix.
SHARE_OF_POOL = 16


def parallelise(plan: ir.Plan) -> ir.Plan:
    """Holds back outside a queue, in batched slices, and where one thread has to stay one."""
    steps = _in_threads(plan)
    for number, step in enumerate(steps):
        queue = _queue_after(steps, number)
        if not isinstance(step, ir.Run) or step.batched or queue is None:
            continue
        is_cut = isinstance(_after_filters(steps, number), ir.Unbatch)
        calls = _calls(step, queue, is_cut, hangs_on_no_stage=isinstance(steps[0], ir.Endless))
        is_ordered = queue.num_threads == 1 and not any(isinstance(s, ir.Shuffle) for s in steps)
        steps[number] = dataclasses.replace(step, parallel_calls=calls, ordered=is_ordered)
    return plan.with_steps(tuple(steps))


def _in_threads(plan: ir.Plan) -> List[ir.Step]:
    """The steps of *plan*, which begin with as many branches as TF1 had threads where its elements come from Python."""
    clock, *following = plan.steps
    queue = _queue_after(list(plan.steps), 0)
    if not isinstance(clock, ir.Endless) or queue is None or not isinstance(following[0], ir.Run):
        return list(plan.steps)
    run = following[0]
    count = queue.num_threads if queue.capacity < 0 else min(queue.num_threads, queue.capacity)
    # Each branch would draw the same random numbers.
    is_seeded = run.body.is_random and run.body.is_seeded
    if count < 2 or is_seeded or not (run.body.calls_python and run.body.may_end):
        return list(plan.steps)
    names = (f"{plan.name}, thread {number}" for number in range(1, count + 1))
    branches = tuple(ir.Plan(name, plan.made_at, (clock, run), plan.is_peek) for name in names)
    return [ir.Merge(run.components, branches), *following[1:]]


def _after_filters(steps: List[ir.Step], number: int) -> ir.Step:
    return next(step for step in steps[number + 1 :] if not isinstance(step, ir.Filter))


def _queue_after(steps: List[ir.Step], number: int) -> Optional[ir.Queue]:
    """The queue that the slice at *number* feeds; None where a batch comes first."""
    for step in steps[number + 1 :]:
        if isinstance(step, ir.Queue):
            return step
        if isinstance(step, (ir.Batch, ir.Bucket)):
            return None
    return None


def _calls(run: ir.Run, queue: ir.Queue, is_cut: bool, hangs_on_no_stage: bool) -> int:
    body = run.body
    if body.runs_alone or (body.may_end and hangs_on_no_stage):
        return 1
    wished = CALLS_PER_PROCESSOR * (os.cpu_count() or 1)
    most = wished if queue.capacity < 0 else queue.capacity
    if queue.min_after_dequeue is not None:
        most //= SHARE_OF_POOL
    if is_cut:  # a call holds all the rows that it gives
        most //= ir.static_rows(run.components) or most + 1
    must_stay_in_step = body.keeps_its_order or (body.is_seeded and queue.num_threads == 1)
    if must_stay_in_step or most < FEWEST_CALLS:
        return max(1, min(queue.num_threads, most))
    return min(max(wished, queue.num_threads), most)
