"""How many elements a plan has: whether it can be seen to have no end."""

from __future__ import annotations

from typing import Any, Callable, Dict, Type

from queuecompat._plan import ir

__all__ = ["ENDLESS", "is_endless"]


def is_endless(plan: ir.Plan) -> bool:
    """Whether *plan* can be seen to have no end."""
    endless = False
    for step in plan.steps:
        endless = ENDLESS[type(step)](step, endless)
    return endless


def _as_before(step: ir.Step, before: bool) -> bool:
    return before


# Whether what comes out of a step has no end, by whether what comes in has none.
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
