"""``queuecompat.explain()``: what became of every pipeline, as text."""

from __future__ import annotations

from typing import List, Optional, Tuple

import tensorflow as tf

from queuecompat._compiler import ir
from queuecompat._compiler.lowering import text
from queuecompat._compiler.stages import NativeStage
from queuecompat._runtime.pipelines import Pipelines

__all__ = ["Explanation", "explain"]


def explain(graph: Optional[tf.Graph] = None) -> Explanation:
    """The plan of every pipeline in *graph*.

    Args:
      graph: a ``tf.Graph``; None is the current default graph.
    Returns:
      An ``Explanation``; print it, or look at ``native`` and ``compiled``.
    """
    return Explanation(Pipelines.of(graph or tf.compat.v1.get_default_graph()))


class Explanation:
    """What ``explain`` found.

    Attributes:
      compiled: pairs of a pipeline's name and its plan.
      native: pairs of a stage's name and the reason why it was not compiled; the reason has a
        ``code`` and a ``text``.
      upstream: names of stages that only feed compiled pipelines. Run by themselves, their tensors
        read on streams of their own (a peek) and take no element from anybody.
    """

    def __init__(self, pipelines: Pipelines) -> None:
        plans = pipelines.plans()
        self.compiled: List[Tuple[str, ir.Plan]] = [(stage.name, plan) for stage, plan in plans if not plan.is_peek]
        self.upstream = [stage.name for stage, plan in plans if plan.is_peek]
        self.native = [(stage.name, stage.reason) for stage in pipelines.stages if isinstance(stage, NativeStage)]

    def __str__(self) -> str:
        parts = [_compiled(plan) for _, plan in self.compiled]
        parts += [f"pipeline '{name}': native\n{_indented(reason.text)}" for name, reason in self.native]
        return (
            "\n\n".join(parts)
            or "No queue pipeline in this graph. (Was it built in another one? explain(graph) takes it.)"
        )

    def __repr__(self) -> str:
        return f"<Explanation: {len(self.compiled)} compiled, {len(self.native)} native; print it for the plans>"


def _compiled(plan: ir.Plan) -> str:
    lines = [f"pipeline '{plan.name}': compiled to one tf.data iterator, made at {plan.made_at}"]
    lines += text.lines(plan)
    lines.append(f"  gives  {text.specs(plan.components)}")
    buffers = list(text.held(plan))
    if buffers:
        lines.append(
            f"  holds  at most {sum(elements for _, elements, _ in buffers)} elements: "
            + "; ".join(_buffer(*b) for b in buffers)
        )
    else:
        lines.append("  holds  one element at a time")
    return "\n".join(lines)


def _buffer(words: str, elements: int, size: Optional[int]) -> str:
    return f"{words} {elements} ({_size(size)})"


def _size(size: Optional[int]) -> str:
    if size is None:
        return "bytes depend on the data"
    for unit, scale in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if size >= scale:
            return f"{size / scale:.1f} {unit}"
    return f"{size} bytes"


def _indented(lines: str) -> str:
    return "\n".join("  " + line for line in lines.splitlines())
