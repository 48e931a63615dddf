"""merge_alike: what all lists of a join do alike is done once, after they have met.

``batch_join([decode(reader.read(queue)) for _ in range(4)], ...)`` is how TF1 programs asked for four
threads. The four slices are copies of each other; as one slice after the merge it runs as
often at once as the machine allows, and a shuffle's pool can hold what it takes instead of
what it outputs.
"""

from __future__ import annotations

import dataclasses

from queuecompat._plan import ir

__all__ = ["merge_alike"]


def merge_alike(plan: ir.Plan) -> ir.Plan:
    """Holds back where a slice is seeded (each list has its own numbers), or has to keep its order."""
    merge = plan.steps[0]
    if not isinstance(merge, ir.Merge):
        return plan
    branches = merge.branches
    after: list[ir.Step] = []
    while (run := _run_of_all(branches)) is not None:
        after.insert(0, run)
        branches = tuple(branch.with_steps(branch.steps[:-1]) for branch in branches)
    if not after:
        return plan
    merged = ir.Merge(branches[0].components, branches)
    after[-1] = dataclasses.replace(after[-1], components=merge.components)
    return plan.with_steps((merged, *after, *plan.steps[1:]))


def _run_of_all(branches: tuple[ir.Plan, ...]) -> ir.Run | None:
    """The last step of every branch, if it is everywhere the same slice of the same inputs."""
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
