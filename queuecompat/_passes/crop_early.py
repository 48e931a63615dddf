"""crop_early: of an image that is cropped only the window is converted, scaled and decoded.

A crop keeps a part of what was computed before it, so it comes first: before casts and arithmetic, which have the same
bits for a part (``_analysis/cropping``), and into the decoder of JPEGs, which skips what is not asked for.
"""

from __future__ import annotations

import dataclasses

from queuecompat._plan import ir

__all__ = ["crop_early"]


def crop_early(plan: ir.Plan) -> ir.Plan:
    """Holds back where what comes before a crop is used elsewhere, and where its window depends on the pixels."""
    return plan.with_steps(tuple(_cropped(step) if isinstance(step, ir.Run) else step for step in plan.steps))


def _cropped(run: ir.Run) -> ir.Run:
    body, words = (None, "") if run.draws else run.body.cropped_early()
    return run if body is None else dataclasses.replace(run, body=body, remark=words)
