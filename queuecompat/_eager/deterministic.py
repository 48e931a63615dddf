"""Makes plans produce the same elements in the same order each time, so that an iterator's position is just a number.

The state that tf.data saves of an iterator is sufficient unless a step of the plan has a state of its own: numbers that
a seeded op has drawn, elements that one of several consumers has taken, the state of a Python function. A plan with
such a step is *replayed* (see ``_backends/tfdata/replay.py``), and therefore must be deterministic.
"""

from __future__ import annotations

import dataclasses

from queuecompat._passes.order_by_position import repeatable
from queuecompat._plan import ir

__all__ = ["deterministic", "filled_at_once", "has_blocks_by_start", "is_in_global_order", "is_seeded", "is_stateful"]


def is_stateful(plan: ir.Plan) -> bool:
    """Whether the next output of *plan* depends on a state that tf.data does not save."""
    bodies = [step.body for step in ir.all_steps(plan) if isinstance(step, (ir.Produce, ir.Run))]
    # A saved position in a file that is still being cached is useless once the cache is complete.
    draws = any(isinstance(step, (ir.Cache, ir.Pull)) for step in ir.all_steps(plan))
    return draws or any(body.has_effects or (body.is_random and body.is_seeded) for body in bodies)


def is_seeded(step: ir.Step) -> bool:
    """Whether *step* shuffles its epochs with a seed: a state as well, but one that is cheap to replay."""
    return isinstance(step, ir.Produce) and step.is_seeded and not is_in_global_order(step)


def is_in_global_order(step: ir.Step) -> bool:
    """Whether *step* outputs blocks in a global order over all files, decided by the iterator's start or by a seed."""
    # It has no state: the order of an epoch is a function of a key and the number of the epoch.
    return isinstance(step, ir.Produce) and step.blocks is not None and step.blocks.is_global


def has_blocks_by_start(step: ir.Step) -> bool:
    """Whether *step* outputs blocks in an order that the start of its iterator decides.

    A checkpoint does not contain the blocks of the current epoch: they are computed again and must be the same.
    """
    is_free = isinstance(step, ir.Produce) and step.blocks is not None and step.seeds is not None and not step.is_seeded
    return is_free or is_in_global_order(step)


def deterministic(plan: ir.Plan, by_number: bool = False) -> ir.Plan:
    """Returns *plan* changed so that with the same seeds it outputs the same elements in the same order.

    Args:
      by_number: make the values of random ops without a seed a function of the iterator's start and the number of the
        call, where TensorFlow has a stateless form of them. Otherwise each draws its next number.
    """
    steps = []
    for step in plan.steps:
        if isinstance(step, (ir.Zip, ir.Merge)):
            # Branches that share a stream must draw from it in a fixed order, so none may run ahead.
            branches = tuple(_one_by_one(deterministic(branch, by_number)) for branch in step.branches)
            step = dataclasses.replace(step, branches=branches)
        if isinstance(step, ir.Merge):
            step = dataclasses.replace(step, in_turn=True)
        if isinstance(step, ir.Run):
            is_skipping = step.skip is not None
            step = repeatable(step, is_skipping) if by_number else dataclasses.replace(step, ordered=True)
        steps.append(step)
    return plan.with_steps(tuple(steps))


def _one_by_one(plan: ir.Plan) -> ir.Plan:
    if not any(isinstance(step, ir.Pull) for step in ir.all_steps(plan)):
        return plan
    steps = [step for step in plan.steps if not isinstance(step, ir.Prefetch)]
    return plan.with_steps(
        tuple(dataclasses.replace(step, parallel_calls=1) if isinstance(step, ir.Run) else step for step in steps)
    )


def filled_at_once(step: ir.Step) -> ir.Step:
    """Returns *step*; a growing shuffle buffer gets a fixed size: tf.data can save only that without a replay."""
    return dataclasses.replace(step, growth=None) if isinstance(step, ir.Shuffle) else step
