"""The plan after each pass, as text: ``explain(passes=True)``."""

from __future__ import annotations

from typing import List, Sequence, Tuple

from queuecompat._backends.notebook import ShownText
from queuecompat._passes import optimise
from queuecompat._plan import ir
from queuecompat._plan.printing import printed

__all__ = ["PassTrace"]


class PassTrace(ShownText):
    """The plan of each pipeline as captured, and after each pass that changed it; meant to be printed.

    Args:
      captured: pairs of a pipeline's name and its plan, before any pass.
    """

    def __init__(self, captured: Sequence[Tuple[str, ir.Plan]]) -> None:
        self._captured = tuple(captured)

    def __str__(self) -> str:
        parts = [_traced(name, plan) for name, plan in self._captured]
        return "\n\n".join(parts) or "No compiled pipeline."

    def __repr__(self) -> str:
        return f"<PassTrace: {len(self._captured)} compiled; print it for the plan after each pass>"


def _traced(name: str, captured: ir.Plan) -> str:
    lines = [f"pipeline '{name}': as captured", printed(captured)]
    known = {printed(branch) for branch in _with_branches(captured)}

    def seen(one: str, plan: ir.Plan) -> None:
        text = printed(plan)
        if text not in known:
            lines.extend([f"after {one}:", text])
        known.add(text)

    optimise(captured, seen)
    return "\n".join(lines)


def _with_branches(plan: ir.Plan) -> List[ir.Plan]:
    branches = getattr(plan.steps[0], "branches", ())
    return [plan, *(one for branch in branches for one in _with_branches(branch))]
