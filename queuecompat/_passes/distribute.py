"""distribute: lets the workers of a tf.data service compute a plan up to its first batch.

Whether they do was decided when the plan was captured (``_plan/service.py``). This last pass makes the steps up to
the first batch the branch of a ``Distribute``, without what belongs to a session. Each worker has a shuffle buffer of
TF1's size, which is full before the first element is drawn: a buffer that grows (``ir.Growth``) reads from an
iterator of its own, and the dispatcher could then only hand out that iterator, not its elements.
"""

from __future__ import annotations

import dataclasses
from typing import List, Sequence

from queuecompat._plan import ir

__all__ = ["distribute"]

# The maximum number of rows that the dispatcher hands out at once, unless they are file names. A request costs 100 to
# 300 us.
MOST_ROWS = 64


def distribute(plan: ir.Plan) -> ir.Plan:
    """Sends *plan* to the workers up to its first batch; leaves it unchanged unless it was captured for a service."""
    if not plan.is_remote:
        return plan
    end = _end(plan.steps)
    remote = _sent(plan.steps[:end])
    branch = ir.Plan(plan.name, plan.made_at, tuple(remote), options=plan.options)
    is_split = isinstance(remote[0], ir.Produce)
    chosen = plan.options
    assert chosen.data_service is not None
    components = remote[-1].components
    step = ir.Distribute(components, (branch,), chosen.data_service, chosen.data_service_job, is_split)
    here: List[ir.Step] = [step]
    rest = list(plan.steps[end:])
    if rest and isinstance(rest[0], ir.Batch) and rest[0].refills:
        here.append(rest.pop(0))
    ahead = [one for one in plan.steps[:end] if isinstance(one, ir.Prefetch)]
    if ahead:
        count = 1 if ahead[-1].batched else ahead[-1].count
        here.append(dataclasses.replace(ahead[-1], components=here[-1].components, count=count))
    return plan.with_steps((*here, *rest))


def _end(steps: Sequence[ir.Step]) -> int:
    """Returns how many of *steps* are sent to the workers."""
    for number, step in enumerate(steps):
        if isinstance(step, ir.Batch) and step.refills:
            return number
    batch = next((number for number, step in enumerate(steps) if isinstance(step, (ir.Batch, ir.Bucket))), None)
    if batch is None:
        return len(steps)
    end = batch + 1
    while end < len(steps) and (isinstance(steps[end], ir.Prefetch) or getattr(steps[end], "batched", False)):
        end += 1
    return end


def _sent(steps: Sequence[ir.Step]) -> List[ir.Step]:
    """Returns *steps* in the form for the workers."""
    return [_without_session(step, are_files=len(steps) > 1 and isinstance(steps[1], ir.Read)) for step in steps]


def _without_session(step: ir.Step, are_files: bool) -> ir.Step:
    if isinstance(step, ir.Produce):
        return dataclasses.replace(step, is_split=True, each=1 if are_files else MOST_ROWS)
    if isinstance(step, ir.Shuffle):
        return dataclasses.replace(step, growth=None)
    return dataclasses.replace(step, queue="") if isinstance(step, ir.Prefetch) else step
