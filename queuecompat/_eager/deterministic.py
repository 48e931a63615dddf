"""Plans that give the same elements in the same order each time, so that an iterator's position is a number.

What tf.data saves of an iterator is enough as long as nothing in the plan has a history of its own: numbers drawn
by a seeded op, elements that one of several consumers has taken, the state of a Python function. A plan with such a
thing is *replayed* (see ``_backends/tfdata/replay.py``), and has to be repeatable for that.
"""

from __future__ import annotations

import dataclasses

from queuecompat._passes.order_by_position import repeatable
from queuecompat._plan import ir

__all__ = ["deterministic", "filled_at_once", "has_blocks_by_start", "is_in_global_order", "is_seeded", "is_stateful"]


def is_stateful(plan: ir.Plan) -> bool:
    """Whether what *plan* outputs next depends on something that tf.data does not save."""
    bodies = [step.body for step in ir.all_steps(plan) if isinstance(step, (ir.Produce, ir.Run))]
    # Where an iterator stands in a file that is being kept means nothing once it is kept.
    draws = any(isinstance(step, (ir.Cache, ir.Pull)) for step in ir.all_steps(plan))
    return draws or any(body.has_effects or (body.is_random and body.is_seeded) for body in bodies)


def is_seeded(step: ir.Step) -> bool:
    """Whether *step* shuffles its epochs with a seed: a history too, but one of few and cheap calls."""
    return isinstance(step, ir.Produce) and step.is_seeded and not is_in_global_order(step)


def is_in_global_order(step: ir.Step) -> bool:
    """Whether *step* outputs blocks in an order over all files, which the start of its iterator decides, or a seed."""
    # It has no history: the order of an epoch is a function of a key and of the number of the epoch.
    return isinstance(step, ir.Produce) and step.blocks is not None and step.blocks.is_global


def has_blocks_by_start(step: ir.Step) -> bool:
    """Whether *step* outputs blocks in an order that the start of its iterator decides.

    Of an epoch that is under way a checkpoint has no blocks: they are made again, and have to be the same.
    """
    is_free = isinstance(step, ir.Produce) and step.blocks is not None and step.seeds is not None and not step.is_seeded
    return is_free or is_in_global_order(step)


def deterministic(plan: ir.Plan, by_number: bool = False) -> ir.Plan:
    """*plan*, which with the same seeds outputs the same elements in the same order.

    Args:
      by_number: random ops without a seed follow from the start of an iterator and the number of the call, where
        TensorFlow has such a form of them; otherwise each draws what comes next.
    """
    steps = []
    for step in plan.steps:
        if isinstance(step, (ir.Zip, ir.Merge)):
            # Who shares a stream takes from it in a fixed order: none of the branches runs ahead.
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
    """*step*, which is no pool that grows: tf.data saves a full one, but one that grows would have to be replayed."""
    return dataclasses.replace(step, growth=None) if isinstance(step, ir.Shuffle) else step
