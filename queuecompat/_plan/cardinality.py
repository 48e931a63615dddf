"""Tells whether a plan is known to be endless."""

from __future__ import annotations

from typing import Any, Callable, Dict, Type

from queuecompat._plan import ir

__all__ = ["ENDLESS", "is_endless"]


def is_endless(plan: ir.Plan) -> bool:
    """Whether *plan* is known to output elements forever; False: it ends, or this is unknown."""
    endless = False
    for step in plan.steps:
        endless = ENDLESS[type(step)](step, endless)
    return endless


def _as_before(step: ir.Step, before: bool) -> bool:
    return before


# Whether the output of a step is endless, given the step and whether its input is.
ENDLESS: Dict[Type[ir.Step], Callable[[Any, bool], bool]] = {
    ir.Batch: _as_before,
    ir.Bucket: _as_before,
    ir.Cache: _as_before,
    ir.Count: lambda step, before: before and not step.is_gated,
    ir.Distribute: lambda step, before: all(map(is_endless, step.branches)),
    ir.Endless: lambda step, before: True,
    ir.Filter: _as_before,
    ir.Merge: lambda step, before: any(map(is_endless, step.branches)),
    ir.Prefetch: _as_before,
    ir.Produce: lambda step, before: step.num_epochs is None and not step.body.may_end,
    ir.Pull: lambda step, before: False,
    ir.Queue: _as_before,
    ir.Read: _as_before,
    ir.Run: lambda step, before: before and not step.body.may_end and step.entrance is None,
    ir.Shuffle: _as_before,
    ir.Unbatch: _as_before,
    ir.Zip: lambda step, before: all(map(is_endless, step.branches)),
}
