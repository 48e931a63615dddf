"""hoist_shuffle: the pool of ``shuffle_batch`` moves above the user's slice, and is as large as the queue.

TF1's pool holds decoded elements, between ``min_after_dequeue`` and ``capacity`` of them; while the
model computes (the usual case) it is full. So the pool here has ``capacity`` elements. Above the
slice it holds what is cheap: encoded records or indices, and the first batch need not wait until
``capacity`` images are decoded.
"""

from __future__ import annotations

from typing import List

from queuecompat._compiler import ir

__all__ = ["hoist_shuffle"]


def hoist_shuffle(plan: ir.Plan) -> ir.Plan:
    """Holds back at a slice whose runs must keep their order: seeded, with effects, or ending the data."""
    steps: List[ir.Step] = []
    for step in plan.steps:
        steps.append(step)
        if isinstance(step, ir.Queue) and step.min_after_dequeue is not None:
            _raise_above_slices(steps, step)
    return plan.with_steps(tuple(steps))


def _raise_above_slices(steps: List[ir.Step], queue: ir.Queue) -> None:
    """Puts a ``Shuffle`` for *queue*, the last of *steps*, as early as it may stand."""
    place = len(steps) - 1
    while isinstance(steps[place - 1], ir.Run) and _may_run_in_any_order(steps[place - 1], queue):
        place -= 1
    components = steps[place - 1].components
    steps.insert(place, ir.Shuffle(components, queue.capacity, queue.seed))


def _may_run_in_any_order(run: ir.Step, queue: ir.Queue) -> bool:
    body = run.body  # type: ignore[attr-defined]
    is_fixed_by_seed = body.is_seeded and queue.num_threads == 1
    return not (is_fixed_by_seed or body.keeps_its_order)
