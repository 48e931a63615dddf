"""Starts: keys that decide the random orders of one iterator where no seed does.

Each step that needs a key has a start of its own, known by its number. All starts of an iterator are derived from one
key, so that a checkpoint saves that one key only (``Resources.start``).
"""

from __future__ import annotations

import dataclasses
from typing import Iterator

from queuecompat._plan import ir

__all__ = ["decided_by_starts"]


def decided_by_starts(plan: ir.Plan, numbers: Iterator[int]) -> ir.Plan:
    """Returns *plan* with a start, the next of *numbers*, in each step whose randomness may be decided by no seed."""

    def decided(step: ir.Step) -> ir.Step:
        if isinstance(step, ir.Run) and step.by_number:
            return dataclasses.replace(step, start=next(numbers))
        if isinstance(step, ir.Produce) or (isinstance(step, ir.Shuffle) and step.seed is None):
            return dataclasses.replace(step, start=next(numbers))
        return step

    return ir.mapped(plan, decided)
