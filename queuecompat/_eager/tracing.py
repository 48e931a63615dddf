"""An input function, called in a graph of its own."""

from __future__ import annotations

import dataclasses
import warnings
from typing import Any, Callable, Dict, List, Optional, Tuple

import tensorflow as tf

from queuecompat._analysis.consumers import run_step, upstream_of
from queuecompat._analysis.slicing import cut
from queuecompat._eager.control_flow import control_flow_of_tf1
from queuecompat._eager.dimensions import dimensions_of_tf1, misses_dimensions
from queuecompat._eager.program_seeds import seed_of_trace
from queuecompat._eager.trace_backend import TraceBackend
from queuecompat._plan import ir
from queuecompat._plan.registry import Pipelines
from queuecompat._plan.stages import NativeStage, Stage
from queuecompat._session.entry import pipelines_of
from queuecompat.errors import (
    NativePipelineWarning,
    QueueCompatTypeError,
    QueueCompatValueError,
    Reason,
    error,
    layout,
    line_that_raised,
)

__all__ = ["Trace", "end_of", "failure_of", "first_reason", "shared_stages", "trace"]


@dataclasses.dataclass(frozen=True)
class Trace:
    """What an input function built.

    Attributes:
      result: what it returned: any nesting of tensors, composite tensors and None; tuples for lists.
      tensors: the flat tensors of *result*.
      structure: *result* with a spec in place of each tensor.
      pipelines: those of *graph*.
    """

    graph: tf.Graph
    result: Any
    tensors: List[tf.Tensor]
    structure: Any
    pipelines: Pipelines

    @property
    def natives(self) -> List[NativeStage]:
        """The stages that TensorFlow's own queues have to run."""
        return [stage for stage in self.pipelines.stages if isinstance(stage, NativeStage)]


def trace(input_fn: Callable[[], Any], made_at: str, *, runs: bool, seed: Optional[int] = None) -> Trace:
    """Calls *input_fn* in a new graph; once more in a second graph, if it turns out to want TensorFlow 1's dimensions.

    Args:
      made_at: the user's line.
      runs: whether a session is to run it; otherwise it is only the way to a dataset.
      seed: of the graph that a session runs.
    Raises:
      QueueCompatTypeError: QC502, it returned something that is not a tensor, or nothing.
      QueueCompatValueError: QC503, it returned a tensor of eager mode or of another graph; QC507, it uses one of eager
        mode.
    """
    try:
        return _traced(input_fn, made_at, runs, seed)
    except AttributeError as missing:
        if not misses_dimensions(missing):
            raise
    with dimensions_of_tf1():
        return _traced(input_fn, made_at, runs, seed)


def _traced(input_fn: Callable[[], Any], made_at: str, runs: bool, seed: Optional[int]) -> Trace:
    graph = tf.Graph()
    pipelines = pipelines_of(graph) if runs else Pipelines(graph, TraceBackend)
    with graph.as_default(), control_flow_of_tf1(), warnings.catch_warnings():
        if not runs:
            # Whether anything is native is decided, and said, for the dataset as a whole.
            warnings.simplefilter("ignore", NativePipelineWarning)
        tf.compat.v1.set_random_seed(seed if runs else seed_of_trace())
        result = _without_lists(_called(input_fn))
        leaves = tf.nest.flatten(result)
        for leaf in leaves:
            _check(leaf, graph, made_at)
        result = tf.nest.map_structure(_value_of, result)
        if not any(leaf is not None for leaf in leaves):
            raise error(QueueCompatTypeError, "QC502", given="nothing" if result is None else repr(result))
        tensors = [t for t in tf.nest.flatten(result, expand_composites=True) if t is not None]
    structure = tf.nest.map_structure(lambda leaf: None if leaf is None else tf.type_spec_from_value(leaf), result)
    return Trace(graph, result, tensors, structure, pipelines)


def _called(input_fn: Callable[[], Any]) -> Any:
    try:
        return input_fn()
    except (RuntimeError, AttributeError) as problem:
        if not any(words in str(problem) for words in _OF_EAGER_MODE):
            raise
        place = line_that_raised(problem)
        failure = QueueCompatValueError(layout("QC507", place, raised=problem))
        failure.code = "QC507"
        raise failure from problem


# What TensorFlow says where a graph needs an op and gets a tensor of eager mode.
_OF_EAGER_MODE = ("Attempting to capture an EagerTensor", "Tensor.op is undefined when eager execution is enabled")


def end_of(traced: Trace, made_at: str) -> Stage:
    """The stage that outputs what *traced* returned: the slice after its batches, on the elements of each of them.

    Raises:
      CannotCompileError: that slice cannot be lifted.
    """
    with traced.graph.as_default():
        body = cut(traced.tensors, traced.pipelines)
    upstream = upstream_of(body, traced.pipelines)
    steps: Tuple[ir.Step, ...] = run_step(body, upstream, traced.pipelines.place)
    if not upstream:
        steps = (ir.Endless((tf.TensorSpec([], tf.int64),)), *steps)
    return Stage("dataset", made_at, scope="dataset", upstream=upstream, steps=steps)


def shared_stages(end: Stage) -> List[Stage]:
    """The stages upstream of *end* whose elements several consumers share, upstream ones first."""
    return [stage for stage in _upstream(end) if stage.reads.consumers == "stream"]


def failure_of(traced: Trace, end: Stage) -> str:
    """What every run of *end* has to raise, as the first stage upstream says that can never deliver; empty: nothing."""
    backend = traced.pipelines.backend
    assert isinstance(backend, TraceBackend)
    return next((backend.failures[one.key] for one in _upstream(end) if one.key in backend.failures), "")


def _upstream(end: Stage) -> List[Stage]:
    """All stages upstream of *end*, those before others first."""
    found: Dict[int, Stage] = {}

    def visit(stage: Stage) -> None:
        for upstream in stage.upstream:
            if id(upstream) not in found:
                visit(upstream)
                found[id(upstream)] = upstream

    visit(end)
    return list(found.values())


def first_reason(traced: Trace) -> Optional[Reason]:
    """Why the first native stage is native; None where there is none."""
    return traced.natives[0].reason if traced.natives else None


def _without_lists(value: Any) -> Any:
    """*value* with tuples for lists: tf.data would take a list for one tensor."""
    if isinstance(value, dict):
        return {key: _without_lists(item) for key, item in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*map(_without_lists, value))
    return tuple(map(_without_lists, value)) if isinstance(value, (list, tuple)) else value


def _home(part: Any) -> Optional[tf.Graph]:
    """The graph that *part* is of; None: it is of eager mode."""
    if isinstance(part, tf.Variable):
        # A variable of a graph has a method numpy, too.
        part = getattr(part, "handle", part)
    return None if hasattr(part, "numpy") else part.graph


def _value_of(leaf: Any) -> Any:
    """*leaf*; of a variable, and of what an assignment returns, the value: a session ran it for that."""
    if isinstance(leaf, tf.Variable):
        return tf.convert_to_tensor(leaf)
    is_reference = isinstance(leaf, tf.Tensor) and leaf.dtype != leaf.dtype.base_dtype
    return tf.identity(leaf) if is_reference else leaf


def _check(leaf: Any, graph: tf.Graph, made_at: str) -> None:
    if leaf is None:
        return
    parts = tf.nest.flatten(leaf, expand_composites=True)
    if not all(isinstance(part, (tf.Tensor, tf.Variable)) for part in parts):
        raise error(QueueCompatTypeError, "QC502", given=f"{leaf!r} ({type(leaf).__name__})")
    for part in parts:
        home = _home(part)
        if home is not graph:
            where = "of eager mode" if home is None else "of a different graph"
            raise error(QueueCompatValueError, "QC503", given=repr(leaf), where=where)
