"""merge_alike: moves the slices that all lists of a join have in common to after the join.

TF1 programs asked for four threads by ``batch_join([decode(reader.read(queue)) for _ in range(4)], ...)``.
The four slices are copies of each other. As a single slice after the merge it can run with as many parallel calls
as the machine allows, and a shuffle buffer can hold its inputs instead of its outputs.
"""

from __future__ import annotations

import dataclasses
from typing import List, Optional, Tuple

from queuecompat._plan import ir

__all__ = ["merge_alike"]


def merge_alike(plan: ir.Plan) -> ir.Plan:
    """Replaces identical last slices of all branches of a ``Merge`` by one after it.

    Leaves slices that are seeded (each list has its own random numbers), or that must run in order.
    """
    merge = plan.steps[0]
    if not isinstance(merge, ir.Merge):
        return plan
    branches = merge.branches
    after: List[ir.Step] = []
    while (run := _run_of_all(branches)) is not None:
        after.insert(0, run)
        branches = tuple(branch.with_steps(branch.steps[:-1]) for branch in branches)
    if not after:
        return plan
    merged = ir.Merge(branches[0].components, branches)
    after[-1] = dataclasses.replace(after[-1], components=merge.components)
    return plan.with_steps((merged, *after, *plan.steps[1:]))


def _run_of_all(branches: Tuple[ir.Plan, ...]) -> Optional[ir.Run]:
    """Returns the last step of the branches, if it is the same slice of the same inputs in all; otherwise None."""
    first = branches[0].steps[-1]
    if not isinstance(first, ir.Run) or first.body.is_seeded or first.body.keeps_its_order:
        return None
    inputs = branches[0].steps[-2].components
    structural_hash = first.body.structural_hash()
    for branch in branches[1:]:
        last = branch.steps[-1]
        if not isinstance(last, ir.Run) or last.uses != first.uses or branch.steps[-2].components != inputs:
            return None
        if structural_hash is None or last.body.structural_hash() != structural_hash:
            return None
    return first
