"""fuse_draws: an element's draws from the program's own queues, and the ops beside them, are one step.

A ``Pull`` before a ``Run`` waits for its queue first, and nothing in the slice can tell it that there is no use in
waiting any longer. As one function TensorFlow runs both side by side, and an op that ends the data or fails cancels
what still waits: so did a session step in TensorFlow 1.
"""

from __future__ import annotations

import dataclasses
from typing import List, Tuple

import tensorflow as tf

from queuecompat._plan import ir
from queuecompat._plan.bodies import Split

__all__ = ["fuse_draws"]


def fuse_draws(plan: ir.Plan) -> ir.Plan:
    """Holds back where one draw feeds a slice that cannot begin before it."""
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
    """What the rest of the draws comes from: a clock, where there is none."""
    if not others:
        return (ir.Endless((tf.TensorSpec([], tf.int64),)),)
    zipped = plan.steps[0]
    assert isinstance(zipped, ir.Zip)
    branches = tuple(zipped.branches[number] for number in others)
    if len(branches) == 1:
        return branches[0].steps
    components = tuple(spec for branch in branches for spec in branch.components)
    return (ir.Zip(components, branches),)
