"""grow_shuffle: a pool of expensive elements gives its first batch early, and grows while it is drawn from.

``Dataset.shuffle`` gives nothing before its buffer is full. Where the buffer is above the user's ops that takes
milliseconds: a record costs a few us. What a ``py_func`` made, or a seeded op, whose order is fixed, stands
before the pool instead; with a capacity of 100,000 and 1 ms an element the first batch would come after 100 s.
TF1's came after ``min_after_dequeue`` elements and a batch, while the pool filled on. So does this one's.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Iterator, Sequence

from queuecompat._compiler import ir

__all__ = ["grow_shuffle"]


def grow_shuffle(plan: ir.Plan) -> ir.Plan:
    """Holds back where the pool has stored rows, records or names: to fill it whole is cheaper than to let it grow."""
    steps = list(plan.steps)
    for number, step in enumerate(steps):
        if isinstance(step, ir.Shuffle) and _are_expensive(steps[:number]):
            growth = dataclasses.replace(_growth(steps[number:]), own=tuple(_own(steps[:number])))
            steps[number] = dataclasses.replace(step, growth=growth)
    return plan.with_steps(tuple(steps))


def _are_expensive(steps: Sequence[ir.Step]) -> bool:
    if ir.are_computed(steps):
        return True
    # What the program feeds by itself may come slowly, or not at all beyond what the first batch needs.
    return any(True for _ in _own(steps))


def _own(steps: Sequence[ir.Step]) -> Iterator[Any]:
    """The streams of queues, readers and iterators of the program that *steps* draw from."""
    before = ir.Plan("", "", tuple(steps))
    return (step.stream for step in ir.all_steps(before) if isinstance(step, ir.Pull) and step.is_native)


def _growth(steps: Sequence[ir.Step]) -> ir.Growth:
    """What the queue of the pool, the first after it, asks for."""
    at = next(number for number, step in enumerate(steps) if isinstance(step, ir.Queue))
    queue, following = steps[at], steps[at + 1 : at + 2]
    assert isinstance(queue, ir.Queue)
    size = following[0].size if following and isinstance(following[0], ir.Batch) else 1
    return ir.Growth(max(0, queue.min_after_dequeue or 0), max(1, size))
