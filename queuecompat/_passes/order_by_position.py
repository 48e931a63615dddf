"""order_by_position: with ``checkpoint=True``, makes the n-th element a function of n, independent of timing.

A restored program resumes with the element after the last one that it received. So the next elements must follow from
a few saved numbers. This pass achieves that: no order is decided by threads, and each shuffle buffer becomes a
sequence of windows whose order is a function of the window's number.
"""

from __future__ import annotations

import dataclasses

from queuecompat._plan import ir

__all__ = ["order_by_position", "repeatable"]


def order_by_position(plan: ir.Plan) -> ir.Plan:
    """Makes every step of *plan* deterministic by position.

    Leaves the plan unchanged without the option, and for previews, which always read from the beginning. With
    ``on_error="skip"`` random ops stay unchanged, since the number of a call does not tell the position of its element
    then; the guide says so, and that random numbers by index are restored.
    """
    if not plan.options.checkpoint or plan.is_preview:
        return plan
    return plan.with_steps(tuple(_ordered(step, skips=plan.options.on_error == "skip") for step in plan.steps))


def _ordered(step: ir.Step, skips: bool) -> ir.Step:
    if isinstance(step, ir.Run):
        return repeatable(step, skips)
    if isinstance(step, ir.Merge):
        return dataclasses.replace(step, in_turn=True)
    if isinstance(step, ir.Shuffle):
        return dataclasses.replace(step, growth=None, by_windows=True)
    return step


def repeatable(run: ir.Run, skips: bool) -> ir.Run:
    """Returns *run* with ordered results and, if possible, random numbers that depend on the call's number only.

    Args:
      skips: whether elements may be skipped; the number of a call then does not tell which element it is for.
    """
    # Parallel calls of a seeded op would race for the next random numbers.
    calls = 1 if run.body.is_random and run.body.is_seeded else run.parallel_calls
    ordered = dataclasses.replace(run, ordered=True, parallel_calls=calls)
    is_decided = skips or run.draws or run.by_index or run.by_number
    body = None if is_decided else run.body.by_number()
    return ordered if body is None else dataclasses.replace(ordered, body=body, by_number=True)
