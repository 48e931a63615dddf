"""Plans that give the same elements in the same order each time, so that an iterator's position is a number.

What tf.data saves of an iterator is enough as long as nothing in the plan has a history of its own: numbers drawn
by a seeded op, elements that one of several consumers has taken, the state of a Python function. A plan with such a
thing is *replayed* (see ``lowering.replay``), and has to be repeatable for that.
"""

from __future__ import annotations

import dataclasses
from typing import Iterator

from queuecompat._plan import ir

__all__ = ["decided_by_starts", "deterministic", "filled_at_once", "is_seeded", "is_stateful"]


def is_stateful(plan: ir.Plan) -> bool:
    """Whether what *plan* outputs next depends on something that tf.data does not save."""
    bodies = [step.body for step in ir.all_steps(plan) if isinstance(step, (ir.Produce, ir.Run))]
    draws = any(isinstance(step, ir.Pull) for step in ir.all_steps(plan))
    return draws or any(body.has_effects or (body.is_random and body.is_seeded) for body in bodies)


def is_seeded(step: ir.Step) -> bool:
    """Whether *step* shuffles its epochs with a seed: a history too, but one of few and cheap calls."""
    return isinstance(step, ir.Produce) and step.is_seeded


def deterministic(plan: ir.Plan) -> ir.Plan:
    """*plan*, which with the same seeds outputs the same elements in the same order."""
    steps = []
    for step in plan.steps:
        if isinstance(step, (ir.Zip, ir.Merge)):
            # Who shares a stream takes from it in a fixed order: none of the branches runs ahead.
            branches = tuple(_one_by_one(deterministic(branch)) for branch in step.branches)
            step = dataclasses.replace(step, branches=branches)
        if isinstance(step, ir.Merge):
            step = dataclasses.replace(step, in_turn=True)
        if isinstance(step, ir.Run):
            step = dataclasses.replace(step, ordered=True)
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


def decided_by_starts(plan: ir.Plan, numbers: Iterator[int]) -> ir.Plan:
    """*plan*, in which starts of these *numbers*, which a checkpoint holds, decide what no seed does."""

    def decided(step: ir.Step) -> ir.Step:
        if isinstance(step, ir.Produce) or (isinstance(step, ir.Shuffle) and step.seed is None):
            return dataclasses.replace(step, start=next(numbers))
        return step

    return ir.mapped(plan, decided)
