"""Starts: what decides the orders of one iterator where no seed does. A checkpoint holds one, and it stands for all."""

from __future__ import annotations

import dataclasses
from typing import Iterator

from queuecompat._plan import ir

__all__ = ["decided_by_starts"]


def decided_by_starts(plan: ir.Plan, numbers: Iterator[int]) -> ir.Plan:
    """*plan*, in which starts of these *numbers*, which a checkpoint holds, decide what no seed does."""

    def decided(step: ir.Step) -> ir.Step:
        if isinstance(step, ir.Run) and step.by_number:
            return dataclasses.replace(step, start=next(numbers))
        if isinstance(step, ir.Produce) or (isinstance(step, ir.Shuffle) and step.seed is None):
            return dataclasses.replace(step, start=next(numbers))
        return step

    return ir.mapped(plan, decided)
