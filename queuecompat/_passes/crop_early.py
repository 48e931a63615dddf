"""crop_early: crops images before they are converted, scaled and decoded.

A crop uses only a part of what was computed before it. So it moves before casts and arithmetic on each number, whose
results have the same bits (``_analysis.cropping``), and into the JPEG decoder, which skips most of what is outside of
the window.
"""

from __future__ import annotations

import dataclasses

from queuecompat._plan import ir

__all__ = ["crop_early"]


def crop_early(plan: ir.Plan) -> ir.Plan:
    """Moves the crops of each slice as early as possible.

    Leaves a crop where it is if its input has other uses, or if its window depends on the pixels.
    """
    return plan.with_steps(tuple(_cropped(step) if isinstance(step, ir.Run) else step for step in plan.steps))


def _cropped(run: ir.Run) -> ir.Run:
    body, words = (None, "") if run.draws else run.body.cropped_early()
    return run if body is None else dataclasses.replace(run, body=body, remark=words)
