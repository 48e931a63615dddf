"""drop_keys: stops computing record keys that nothing uses.

A key costs a function call for every record, because tf.data does not report a record's position in its
file. Most programs, with one reader or several, read ``_, value = reader.read(queue)`` and never use the key.
"""

from __future__ import annotations

import dataclasses
from typing import List, Optional

from queuecompat._plan import ir

__all__ = ["drop_keys"]


def drop_keys(plan: ir.Plan) -> ir.Plan:
    """Removes the key from the output of reads.

    Leaves the plan unchanged if there is anything but queues between the reads and the next ``Run``, if that ``Run``
    uses the key, and with ``on_error="skip"``, since skipped elements are listed by key.
    """
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
    """Returns the index of the last step before index *number* that is not a queue."""
    number -= 1
    while isinstance(steps[number], ir.Queue):
        number -= 1
    return number


def _without_keys(step: ir.Step) -> Optional[ir.Step]:
    """Returns *step* without the keys in its output; None: it outputs no keys."""
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
