"""``queuecompat.explain()``: what every pipeline was compiled to, as text or as a tf.data program."""

from __future__ import annotations

import itertools
from typing import Any, Dict, Iterator, List, Optional, Tuple, Union

import tensorflow as tf

from queuecompat._backends import text
from queuecompat._backends.notebook import ShownProgram, ShownText
from queuecompat._backends.pass_trace import PassTrace
from queuecompat._backends.program.steps import source_of
from queuecompat._eager.compiled import DatasetInfo
from queuecompat._plan import ir, positions
from queuecompat._plan.cache_store import known_store
from queuecompat._plan.registry import Pipelines
from queuecompat._plan.stages import NativeStage
from queuecompat._session.entry import pipelines_of
from queuecompat.errors import QueueCompatTypeError, QueueCompatValueError, Reason, error
from queuecompat.plurals import counted

__all__ = ["DatasetExplanation", "Explanation", "PassTrace", "SourceCode", "explain", "plan_of", "showing_itself"]


def explain(
    what: Union[tf.Graph, tf.data.Dataset, Any, None] = None, *, code: bool = False, passes: bool = False
) -> Union[Explanation, DatasetExplanation, SourceCode, PassTrace]:
    """Shows what every pipeline of a graph, or one dataset, was compiled to, or why it is native.

    Args:
      what: a ``tf.Graph``; tensors, in any structure, which stand for their graph; or a dataset that ``as_dataset``
        returned; None is the current default graph.
      code: show the equivalent tf.data program instead of the plan; only for a dataset.
      passes: show the plan as captured and after each pass of the compiler, instead of the plan that runs.
    Returns:
      An object to print: an ``Explanation`` of a graph, a ``DatasetExplanation``, the ``SourceCode``, or a
      ``PassTrace``.
    Raises:
      QueueCompatTypeError: QC506, *what* is a different dataset or something else, or *code* is set for a graph.
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
        raise error(QueueCompatTypeError, "QC506", given="a graph with code=True")
    pipelines = pipelines_of(_graph_of(what))
    if passes:
        plans = [one for one in pipelines.backend.plans() if not one.plan.is_preview]
        return PassTrace([(one.stage.name, one.captured) for one in plans])
    return Explanation(pipelines)


def _graph_of(what: Any) -> tf.Graph:
    if what is None or isinstance(what, tf.Graph):
        return what or tf.compat.v1.get_default_graph()
    graphs = {getattr(one, "graph", None) for one in tf.nest.flatten(what)}
    graph = graphs.pop() if len(graphs) == 1 else None
    if not isinstance(graph, tf.Graph):
        raise error(QueueCompatTypeError, "QC506", given=repr(what))
    return graph


def plan_of(dataset: tf.data.Dataset) -> str:
    """Returns the plan of *dataset* as a text; empty if it is not one of ours."""
    found = getattr(dataset, "_queuecompat", None)
    return "" if found is None else str(DatasetExplanation(found))


def showing_itself(dataset: tf.data.Dataset) -> tf.data.Dataset:
    """Makes a notebook show the plan of *dataset*, one of ours; returns it."""
    # A method of the explanation, not of the dataset, which would then keep itself alive.
    dataset._repr_html_ = DatasetExplanation(dataset._queuecompat)._repr_html_
    return dataset


class DatasetExplanation(ShownText):
    """The result of ``explain`` for a dataset.

    Attributes:
      plan: the plan of its elements; None if it is native.
      shared: for each stream that several consumers share, a pair of its name and its plan.
      reason: why it is native, with a ``code`` and a ``text``; None if it is compiled.
    """

    def __init__(self, made: DatasetInfo) -> None:
        self._made = made
        self.plan = made.plan
        self.shared = made.shared
        self.reason = made.reason

    def code(self) -> SourceCode:
        """Returns the tf.data program of the dataset; see ``explain``."""
        if self.plan is None:
            raise error(QueueCompatValueError, "QC505", what="the dataset runs the input function in a session")
        source = source_of(self.plan, self.shared, self._made.structure)
        bound = {name: self._made.bind(tensor) for name, tensor in source.arguments.items()}
        arguments = {name: one if tf.is_tensor(one) else one.whole() for name, one in bound.items()}
        return SourceCode(source.code, arguments, self._made)

    def __str__(self) -> str:
        if self.plan is None:
            assert self.reason is not None
            words = _with(self._made.ignored, self.reason)
            return f"dataset: native: the input function runs in a session of its own\n{_indented(words)}"
        parts = [_compiled(self.plan, "dataset: compiled to tf.data", self._made.local_reason)]
        parts += [_compiled(plan, f"stream '{name}', which several consumers share") for name, plan in self.shared]
        return "\n\n".join(parts)

    def __repr__(self) -> str:
        return f"<DatasetExplanation: {'native' if self.plan is None else 'compiled'}; print it for the plan>"


class SourceCode(ShownProgram):
    """A tf.data program. Print it, write it to a file, or ``build()`` its dataset.

    Attributes:
      arguments: the arguments for its function ``dataset``, by name: arrays, and handles of variables and tables.
    """

    def __init__(self, code: str, arguments: Dict[str, Any], made: DatasetInfo) -> None:
        self._code = code
        self.arguments = arguments
        self._made = made

    def build(self) -> tf.data.Dataset:
        """Runs the program as printed, and returns its dataset."""
        names: Dict[str, Any] = {"__name__": "queuecompat.explained"}
        # Without AutoGraph, which would try to read the source from a file.
        exec(compile(self._code, "<queuecompat.explain>", "exec"), names)
        built = tf.autograph.experimental.do_not_convert(names["dataset"])(**self.arguments)
        built._queuecompat_arguments = self._made  # keeps the tables and variables alive
        return built

    def __str__(self) -> str:
        return self._code

    def __repr__(self) -> str:
        return f"<SourceCode: {counted(len(self._code.splitlines()), 'line')}; print it>"


class Explanation(ShownText):
    """The result of ``explain`` for a graph.

    Attributes:
      compiled: pairs of a pipeline's name and its plan.
      local: for pipelines for which a tf.data service was chosen but which this process computes: the reason by name;
        the reason has a ``code`` and a ``text``.
      filled: the names of pipelines that fill a queue of TensorFlow's own, from which the program takes its batches.
      native: pairs of a stage's name and the reason why it was not compiled; the reason has a ``code`` and a ``text``.
      upstream: names of stages that only feed compiled pipelines. If the program runs their tensors directly, these
        read from separate streams (previews) and take no element from any consumer.
    """

    def __init__(self, pipelines: Pipelines) -> None:
        plans = pipelines.backend.plans()
        self.compiled: List[Tuple[str, ir.Plan]] = [
            (one.stage.name, one.plan) for one in plans if not one.plan.is_preview
        ]
        self.local = {one.stage.name: one.local_reason for one in plans if one.local_reason is not None}
        self.filled = [one.stage.name for one in plans if one.fills_a_queue]
        self._feeding = [one.stage.name for one in plans if one.stage.state.has_external_consumer]
        self.upstream = [one.stage.name for one in plans if one.plan.is_preview]
        natives = [stage for stage in pipelines.stages if isinstance(stage, NativeStage)]
        self.native = [(stage.name, stage.reason) for stage in natives]
        self._ignored = [stage.ignored for stage in natives]

    def __str__(self) -> str:
        parts = []
        # Of several enqueue ops of one runner, each is a pipeline.
        alike = itertools.groupby(self.compiled, lambda one: (one[0], one[1].made_at, text.form(one[1])))
        for (name, *_), group in alike:
            (_, plan), *others = group
            parts.append(f"{_pipelines(name, 1 + len(others))}{self._compiled(name, plan)}")
        parts += [
            f"pipeline '{name}': native, on TensorFlow's own queues\n{_indented(_with(ignored, reason))}"
            for (name, reason), ignored in zip(self.native, self._ignored)
        ]
        return (
            "\n\n".join(parts)
            or "No queue pipeline in this graph. (If it was built in a different graph, call explain(graph).)"
        )

    def _compiled(self, name: str, plan: ir.Plan) -> str:
        use = ", which fills TensorFlow's own queue in blocks" if name in self.filled else ""
        title = f"compiled to one tf.data iterator{use}"
        return _compiled(plan, title, self.local.get(name), feeds_queue=name in self._feeding)

    def __repr__(self) -> str:
        return f"<Explanation: {len(self.compiled)} compiled, {len(self.native)} native; print it for the plans>"


def _pipelines(name: str, count: int) -> str:
    return f"pipeline '{name}': " if count == 1 else f"{count} pipelines '{name}': each "


def _compiled(plan: ir.Plan, title: str, local_reason: Optional[Reason] = None, feeds_queue: bool = False) -> str:
    lines = [f"{title}, made at {plan.made_at}"]
    lines += text.lines(plan)
    lines += [] if local_reason is None else [_indented(local_reason.text)]
    lines.append(f"  output  {text.specs(plan.components)}")
    if plan.options.checkpoint and not plan.is_preview:
        lines.append(f"  restart {positions.in_words(plan, feeds_queue)}")
    buffers = list(text.held(plan))
    if buffers:
        lines.append(
            f"  memory  at most {counted(sum(elements for _, elements, _ in buffers), 'element')}: "
            + "; ".join(_buffer(*b) for b in buffers)
        )
    else:
        lines.append("  memory  one element at a time")
    lines += [f"  cache   {words}" for words in _caches(plan)]
    lines += [f"  random  not by index: QC354 {plan.unindexed}"] if plan.unindexed else []
    return "\n".join(lines)


def _caches(plan: ir.Plan) -> Iterator[str]:
    """Yields what the caches of *plan* hold, or why it has none."""
    if plan.uncached:
        yield f"none: QC340 {plan.uncached}"
    for step in dict.fromkeys(step for step in ir.all_steps(plan) if isinstance(step, ir.Cache)):
        found = known_store(step.key, step.where, step.most_bytes)
        status = None if found is None else found.status()
        if status is None:
            most = step.most_bytes
            yield f"at most {'half of what is free' if most is None else text.in_bytes(most)}, nothing kept yet"
            continue
        left_out = f"; no room for {status.left_out}" if status.left_out else ""
        budget, used = text.in_bytes(status.most), text.in_bytes(status.used)
        yield f"at most {budget}, {used} of {counted(status.segments, 'file')} kept now{left_out}"


def _buffer(words: str, elements: int, size: Optional[int]) -> str:
    return f"{words} {elements} ({text.in_bytes(size)})"


def _with(ignored: str, reason: Reason) -> str:
    return f"{reason.text}\n{ignored}".rstrip()


def _indented(lines: str) -> str:
    return "\n".join("  " + line for line in lines.splitlines())
