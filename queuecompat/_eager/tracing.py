"""Calls an input function in a graph of its own."""

from __future__ import annotations

import dataclasses
import warnings
from typing import Any, Callable, List, Optional, Tuple

import tensorflow as tf

from queuecompat._analysis.consumers import run_step, upstream_of
from queuecompat._analysis.slicing import cut
from queuecompat._eager.control_flow import control_flow_of_tf1
from queuecompat._eager.dimensions import dimensions_of_tf1, misses_dimensions
from queuecompat._eager.program_seeds import seed_of_trace
from queuecompat._eager.trace_backend import NOTHING, TraceBackend
from queuecompat._plan import ir
from queuecompat._plan.registry import Pipelines
from queuecompat._plan.stages import NativeStage, Stage, with_upstream
from queuecompat._session.entry import pipelines_of
from queuecompat.errors import (
    NativePipelineWarning,
    QueueCompatTypeError,
    QueueCompatValueError,
    Reason,
    at_line,
    error,
    line_that_raised,
)

__all__ = ["Trace", "end_of", "failure_of", "first_reason", "shared_stages", "trace"]


@dataclasses.dataclass(frozen=True)
class Trace:
    """What an input function built.

    Attributes:
      graph: the graph that it was called in.
      result: its return value: any nesting of tensors, composite tensors and None, with tuples in place of lists.
      tensors: the flat tensors of *result*.
      structure: *result* with a spec in place of each tensor.
      pipelines: the pipelines of *graph*.
    """

    graph: tf.Graph
    result: Any
    tensors: List[tf.Tensor]
    structure: Any
    pipelines: Pipelines

    @property
    def natives(self) -> List[NativeStage]:
        """The stages that must run on TensorFlow's own queues."""
        return [stage for stage in self.pipelines.stages if isinstance(stage, NativeStage)]


def trace(input_fn: Callable[[], Any], *, runs: bool, seed: Optional[int] = None) -> Trace:
    """Calls *input_fn* in a new graph; a second time with TensorFlow 1's Dimensions if it needs these.

    Args:
      runs: whether a session will run the graph; otherwise it is only traced to make a dataset.
      seed: the seed of a graph that a session runs.
    Raises:
      QueueCompatTypeError: QC502, it returned something that is not a tensor, or nothing.
      QueueCompatValueError: QC503, it returned a tensor of eager mode or of another graph; QC507, it uses a tensor of
        eager mode; QC508, it runs its own pipeline in a session.
    """
    try:
        return _traced(input_fn, runs, seed)
    except AttributeError as missing:
        if not misses_dimensions(missing):
            raise
    with dimensions_of_tf1():
        return _traced(input_fn, runs, seed)


def _traced(input_fn: Callable[[], Any], runs: bool, seed: Optional[int]) -> Trace:
    graph = tf.Graph()
    pipelines = pipelines_of(graph) if runs else Pipelines(graph, TraceBackend)
    with graph.as_default(), control_flow_of_tf1(), warnings.catch_warnings():
        if not runs:
            # Whether anything runs on native queues is decided, and reported, for the dataset as a whole.
            warnings.simplefilter("ignore", NativePipelineWarning)
        tf.compat.v1.set_random_seed(seed if runs else seed_of_trace())
        result = _without_lists(_called(input_fn))
        leaves = tf.nest.flatten(result)
        for leaf in leaves:
            _require_tensors_of(leaf, graph)
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
        raise at_line(error(QueueCompatValueError, "QC507", raised=problem), line_that_raised(problem)) from problem
    except tf.errors.InvalidArgumentError as problem:
        if NOTHING not in problem.message:
            raise
        raise at_line(error(QueueCompatValueError, "QC508"), line_that_raised(problem)) from problem


# TensorFlow's error messages if a graph needs a symbolic tensor and gets an eager one.
_OF_EAGER_MODE = ("Attempting to capture an EagerTensor", "Tensor.op is undefined when eager execution is enabled")


def end_of(traced: Trace, made_at: str) -> Stage:
    """Returns the last stage: it applies the ops after the function's batches, and outputs what *traced* returned.

    Raises:
      CannotCompileError: these ops cannot run in a dataset.
    """
    with traced.graph.as_default():
        body = cut(traced.tensors, traced.pipelines)
    upstream = upstream_of(body, traced.pipelines)
    steps: Tuple[ir.Step, ...] = run_step(body, upstream, traced.pipelines.place)
    if not upstream:
        steps = (ir.Endless((tf.TensorSpec([], tf.int64),)), *steps)
    return Stage("dataset", made_at, scope="dataset", upstream=upstream, steps=steps)


def shared_stages(end: Stage) -> List[Stage]:
    """Returns the stages upstream of *end* whose elements several consumers share, upstream ones first."""
    return [stage for stage in with_upstream(end.upstream) if stage.reads.consumers == "stream"]


def failure_of(traced: Trace, end: Stage) -> str:
    """Returns the error that every run of *end* must raise because a stage upstream can never deliver; else ""."""
    backend = traced.pipelines.backend
    assert isinstance(backend, TraceBackend)
    return next((backend.failures[one.key] for one in with_upstream(end.upstream) if one.key in backend.failures), "")


def first_reason(traced: Trace) -> Optional[Reason]:
    """Returns why the first native stage is native; None if there is none."""
    return traced.natives[0].reason if traced.natives else None


def _without_lists(value: Any) -> Any:
    """Returns *value* with tuples in place of lists, since tf.data would convert a list to one tensor."""
    if isinstance(value, dict):
        return {key: _without_lists(item) for key, item in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*map(_without_lists, value))
    return tuple(map(_without_lists, value)) if isinstance(value, (list, tuple)) else value


def _graph_of(part: Any) -> Optional[tf.Graph]:
    """Returns the graph that *part* belongs to; None if it is eager."""
    if isinstance(part, tf.Variable):
        # A variable of a graph has a method numpy, too.
        part = getattr(part, "handle", part)
    return None if hasattr(part, "numpy") else part.graph


def _value_of(leaf: Any) -> Any:
    """Returns *leaf*; for a variable, or a reference from an assignment, its value, which a session would return."""
    if isinstance(leaf, tf.Variable):
        return tf.convert_to_tensor(leaf)
    is_reference = isinstance(leaf, tf.Tensor) and leaf.dtype != leaf.dtype.base_dtype
    return tf.identity(leaf) if is_reference else leaf


def _require_tensors_of(leaf: Any, graph: tf.Graph) -> None:
    if leaf is None:
        return
    parts = tf.nest.flatten(leaf, expand_composites=True)
    # A dataset is a composite tensor, too, but the ops that make it would be the elements' own: a new one every time.
    if isinstance(leaf, tf.data.Dataset) or not all(isinstance(part, (tf.Tensor, tf.Variable)) for part in parts):
        raise error(QueueCompatTypeError, "QC502", given=f"{leaf!r} ({type(leaf).__name__})")
    for part in parts:
        graph_of_part = _graph_of(part)
        if graph_of_part is not graph:
            where = "of eager mode" if graph_of_part is None else "of a different graph"
            raise error(QueueCompatValueError, "QC503", given=repr(leaf), where=where)
