"""order_by_position: with ``checkpoint=True`` the n-th element is a function of n, and not of what came when.

A restored program begins with the element after the last one that it received. What it would have received next must
then follow from a few numbers: where nothing is decided by threads, and shuffling goes by windows whose order is a
function of their numbers, that is so.
"""

from __future__ import annotations

import dataclasses

from queuecompat._plan import ir

__all__ = ["order_by_position", "repeatable"]


def order_by_position(plan: ir.Plan) -> ir.Plan:
    """Holds back without the option, and in a preview, which always reads from the beginning.

    Random numbers stay as they are where elements may be left out, so that the number of a call says nothing; the guide
    says so, and that those by index are restored.
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
    """*run*, whose results, in order, have numbers that no race between its calls decides, where that is possible.

    Args:
      skips: whether elements may be left out, so that the number of a call says nothing.
    """
    # Of calls at once, whichever comes first takes the next of a seed's numbers.
    calls = 1 if run.body.is_random and run.body.is_seeded else run.parallel_calls
    ordered = dataclasses.replace(run, ordered=True, parallel_calls=calls)
    is_decided = skips or run.draws or run.by_index or run.by_number
    body = None if is_decided else run.body.by_number()
    return ordered if body is None else dataclasses.replace(ordered, body=body, by_number=True)
