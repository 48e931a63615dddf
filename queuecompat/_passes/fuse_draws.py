"""fuse_draws: runs the draws of an element from the program's own queues in one step with the ops beside them.

A ``Pull`` before a ``Run`` would wait for its queue first, and nothing in the slice could cancel the wait. Within one
function, TensorFlow runs the draws and the ops in parallel, and an op that fails or ends the data cancels draws that
still wait, as it did within a session step in TensorFlow 1.
"""

from __future__ import annotations

import dataclasses
from typing import List, Tuple

import tensorflow as tf

from queuecompat._plan import ir
from queuecompat._plan.bodies import Split

__all__ = ["fuse_draws"]


def fuse_draws(plan: ir.Plan) -> ir.Plan:
    """Moves draws by ops of the program's graph into the slice that uses them (``Run.draws``).

    Leaves the plan unchanged if there is one draw and all ops of the slice depend on it.
    """
    steps = plan.steps
    lines = [branch.steps for branch in steps[0].branches] if isinstance(steps[0], ir.Zip) else [steps[:1]]
    run = steps[1] if len(steps) > 1 else None
    draws = {number: line[0] for number, line in enumerate(lines) if isinstance(line[0], ir.Pull) and line[0].is_op}
    if not draws or not isinstance(run, ir.Run):
        return plan
    places = [(number, component) for number, line in enumerate(lines) for component in range(_width(line))]
    split = run.body.with_draws([n for n, use in enumerate(run.uses) if places[use][0] in draws])
    if split is None:
        return plan
    others = [number for number in range(len(lines)) if number not in draws]
    left = [place for place in places if place[0] in others]
    uses = tuple(left.index(places[run.uses[use]]) for use in split.uses)
    head = ir.Run(split.between, split.head, uses, draws=tuple(draws.values()))
    return plan.with_steps((*_source(plan, others), head, *_tail(run, split), *steps[2:]))


def _tail(run: ir.Run, split: Split) -> Tuple[ir.Step, ...]:
    if split.tail is None:
        return ()
    return (dataclasses.replace(run, body=split.tail, uses=tuple(range(len(split.between)))),)


def _width(line: Tuple[ir.Step, ...]) -> int:
    return len(line[-1].components)


def _source(plan: ir.Plan, others: List[int]) -> Tuple[ir.Step, ...]:
    """Returns the source of the remaining branches, the *others*; if there are none, a clock (``ir.Endless``)."""
    if not others:
        return (ir.Endless((tf.TensorSpec([], tf.int64),)),)
    zipped = plan.steps[0]
    assert isinstance(zipped, ir.Zip)
    branches = tuple(zipped.branches[number] for number in others)
    if len(branches) == 1:
        return branches[0].steps
    components = tuple(spec for branch in branches for spec in branch.components)
    return (ir.Zip(components, branches),)
