"""``queuecompat.explain()``: what became of every pipeline, as text or as a program."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Tuple, Union

import tensorflow as tf

from queuecompat._backends import text
from queuecompat._backends.pass_trace import PassTrace
from queuecompat._backends.program.steps import source_of
from queuecompat._eager.compiled import DatasetInfo
from queuecompat._plan import ir
from queuecompat._plan.registry import Pipelines
from queuecompat._plan.stages import NativeStage
from queuecompat._session.entry import pipelines_of
from queuecompat.errors import QueueCompatTypeError, QueueCompatValueError, error

__all__ = ["DatasetExplanation", "Explanation", "PassTrace", "SourceCode", "explain"]


def explain(
    what: Union[tf.Graph, tf.data.Dataset, None] = None, *, code: bool = False, passes: bool = False
) -> Union[Explanation, DatasetExplanation, SourceCode, PassTrace]:
    """What became of every pipeline, or of one dataset.

    Args:
      what: a ``tf.Graph``, or a dataset that ``as_dataset`` returned; None is the current default graph.
      code: instead of the plan, the tf.data program that it stands for; of a dataset only.
      passes: instead of the plan that runs, the plan as captured and after each pass of the compiler.
    Returns:
      Something to be printed: an ``Explanation`` of a graph, a ``DatasetExplanation``, the ``SourceCode``, or a
      ``PassTrace``.
    Raises:
      QueueCompatTypeError: QC506, *what* is another dataset, or *code* was asked of a graph.
      QueueCompatValueError: QC505, *code*, and something in the plan cannot be written as a program.
    """
    if isinstance(what, tf.data.Dataset):
        found = getattr(what, "_queuecompat", None)
        if found is None:
            raise error(QueueCompatTypeError, "QC506", given=repr(what))
        if passes:
            return PassTrace(found.captured)
        explained = DatasetExplanation(found)
        return explained.code() if code else explained
    if code:
        raise error(QueueCompatTypeError, "QC506", given="a graph, of which there is no program")
    pipelines = pipelines_of(what or tf.compat.v1.get_default_graph())
    if passes:
        plans = [one for one in pipelines.backend.plans() if not one.plan.is_preview]
        return PassTrace([(one.stage.name, one.captured) for one in plans])
    return Explanation(pipelines)


class DatasetExplanation:
    """What ``explain`` found of a dataset.

    Attributes:
      plan: of its elements; None where it is native.
      shared: pairs of the name of a stream that several consumers share and its plan.
      reason: why it is native, with a ``code`` and a ``text``; None where it is compiled.
    """

    def __init__(self, made: DatasetInfo) -> None:
        self._made = made
        self.plan = made.plan
        self.shared = made.shared
        self.reason = made.reason

    def code(self) -> SourceCode:
        """The tf.data program of the dataset; see ``explain``."""
        if self.plan is None:
            raise error(QueueCompatValueError, "QC505", what="the dataset runs the input function in a session")
        source = source_of(self.plan, self.shared, self._made.structure)
        bound = {name: self._made.bind(tensor) for name, tensor in source.arguments.items()}
        arguments = {name: one if tf.is_tensor(one) else one.whole() for name, one in bound.items()}
        return SourceCode(source.code, arguments, self._made)

    def __str__(self) -> str:
        if self.plan is None:
            assert self.reason is not None
            return f"dataset: native: the input function runs in a session of its own\n{_indented(self.reason.text)}"
        parts = [_compiled(self.plan, "dataset: compiled to tf.data")]
        parts += [_compiled(plan, f"stream '{name}', which several consumers share") for name, plan in self.shared]
        return "\n\n".join(parts)

    def __repr__(self) -> str:
        return f"<DatasetExplanation: {'native' if self.plan is None else 'compiled'}; print it for the plan>"


class SourceCode:
    """A tf.data program; print it, write it to a file, or ``build()`` the dataset that it makes.

    Attributes:
      arguments: what its function ``dataset`` is called with, by name: arrays, and handles of variables and tables.
    """

    def __init__(self, code: str, arguments: Dict[str, Any], made: DatasetInfo) -> None:
        self._code = code
        self.arguments = arguments
        self._made = made

    def build(self) -> tf.data.Dataset:
        """The dataset of the program as printed."""
        names: Dict[str, Any] = {"__name__": "queuecompat.explained"}
        # Without AutoGraph, which wants to read the file that this was never written to.
        exec(compile(self._code, "<queuecompat.explain>", "exec"), names)
        built = tf.autograph.experimental.do_not_convert(names["dataset"])(**self.arguments)
        built._queuecompat_arguments = self._made  # tables live as long as what they belong to
        return built

    def __str__(self) -> str:
        return self._code

    def __repr__(self) -> str:
        return f"<SourceCode: {len(self._code.splitlines())} lines; print it>"


class Explanation:
    """What ``explain`` found.

    Attributes:
      compiled: pairs of a pipeline's name and its plan.
      native: pairs of a stage's name and the reason why it was not compiled; the reason has a
        ``code`` and a ``text``.
      upstream: names of stages that only feed compiled pipelines. Run by themselves, their tensors
        read on streams of their own (a preview) and take no element from any consumer.
    """

    def __init__(self, pipelines: Pipelines) -> None:
        plans = pipelines.backend.plans()
        self.compiled: List[Tuple[str, ir.Plan]] = [
            (one.stage.name, one.plan) for one in plans if not one.plan.is_preview
        ]
        self.upstream = [one.stage.name for one in plans if one.plan.is_preview]
        self.native = [(stage.name, stage.reason) for stage in pipelines.stages if isinstance(stage, NativeStage)]

    def __str__(self) -> str:
        parts = [
            _compiled(plan, f"pipeline '{name}': compiled to one tf.data iterator") for name, plan in self.compiled
        ]
        parts += [
            f"pipeline '{name}': native, on TensorFlow's own queues\n{_indented(reason.text)}"
            for name, reason in self.native
        ]
        return (
            "\n\n".join(parts)
            or "No queue pipeline in this graph. (If it was built in a different graph, call explain(graph).)"
        )

    def __repr__(self) -> str:
        return f"<Explanation: {len(self.compiled)} compiled, {len(self.native)} native; print it for the plans>"


def _compiled(plan: ir.Plan, title: str) -> str:
    lines = [f"{title}, made at {plan.made_at}"]
    lines += text.lines(plan)
    lines.append(f"  output  {text.specs(plan.components)}")
    buffers = list(text.held(plan))
    if buffers:
        lines.append(
            f"  memory  at most {sum(elements for _, elements, _ in buffers)} elements: "
            + "; ".join(_buffer(*b) for b in buffers)
        )
    else:
        lines.append("  memory  one element at a time")
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
