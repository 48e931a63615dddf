"""drop_keys: a record's key is not made when nothing uses it.

A key costs a function call for every record, since tf.data does not give a record's place in its
file. Most programs read ``_, value = reader.read(queue)`` and never use it; so do those that read with
several readers into one queue.
"""

from __future__ import annotations

import dataclasses
from typing import List, Optional

from queuecompat._plan import ir

__all__ = ["drop_keys"]


def drop_keys(plan: ir.Plan) -> ir.Plan:
    """Holds back where something but queues stands between the reads and the next ``Run``, where that one uses the
    key, and where what is skipped has to be listed by its key."""
    if plan.options.on_error == "skip":
        return plan
    steps = list(plan.steps)
    for number, run in enumerate(steps):
        if not isinstance(run, ir.Run) or 0 in run.uses:
            continue
        read_at = _before_queues(steps, number)
        read = _without_keys(steps[read_at])
        if read is None:
            continue
        steps[read_at] = read
        for between in range(read_at + 1, number):
            steps[between] = dataclasses.replace(steps[between], components=read.components)
        steps[number] = dataclasses.replace(run, uses=tuple(use - 1 for use in run.uses))
        if run.body.is_empty and run.components == read.components:
            del steps[number]
        break
    return plan.with_steps(tuple(steps))


def _before_queues(steps: List[ir.Step], number: int) -> int:
    """The number of the step that outputs what the one at *number* takes, queues left out."""
    number -= 1
    while isinstance(steps[number], ir.Queue):
        number -= 1
    return number


def _without_keys(step: ir.Step) -> Optional[ir.Step]:
    """*step* without the keys that it outputs; None where it outputs none."""
    if isinstance(step, ir.Read) and step.with_key:
        return dataclasses.replace(step, components=step.components[1:], with_key=False)
    if not isinstance(step, ir.Merge):
        return None
    reads = [_without_keys(branch.steps[-1]) for branch in step.branches]
    branches = tuple(
        branch.with_steps((*branch.steps[:-1], read)) for branch, read in zip(step.branches, reads) if read is not None
    )
    if len(branches) < len(reads):
        return None
    return dataclasses.replace(step, components=step.components[1:], branches=branches)
