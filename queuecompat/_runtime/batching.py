"""Batchers: from the user's tensors to a stage with a queue and a batch, or to the native call."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence, Tuple

import numpy as np
import tensorflow as tf

from queuecompat._compiler import ir
from queuecompat._compiler.slicing import Slice, cut
from queuecompat._compiler.stages import Inlet, Stage, run_step
from queuecompat._runtime.fullness import Fullness
from queuecompat._runtime.pipelines import Pipelines
from queuecompat._runtime.reference import expected, native, record_native
from queuecompat._runtime.runners import PipelineRunner
from queuecompat._runtime.shapes import checked
from queuecompat._runtime.sparse import restored, stored, stored_spec
from queuecompat.errors import CannotCompileError, calling_line, layout

__all__ = ["batch"]


def batch(call: str, tensors: Any, *, name: Optional[str], **arguments: Any) -> Any:
    """Builds ``tf.train.<call>``.

    Args:
      call: one of the eight batchers.
      tensors: list or dict of tensors; for a join, a list of them.
      arguments: the call's other arguments by TF1's names, all of them.
    """
    made_at = calling_line()
    if isinstance(tensors, np.ndarray):
        tensors = list(tensors)
    reference = expected(call, tensors, **{**arguments, "shared_name": None})
    lists = [_flat(one) for one in (tensors if call.endswith("_join") else [tensors])]
    graph = _graph_of([value for flat in lists for value in flat])
    with graph.as_default(), tf.name_scope(name or _SCOPES[call]) as scope:
        stage_name = scope.rstrip("/")
        pipelines = Pipelines.of(graph)
        try:
            stage, components = _stage(lists, reference, arguments, pipelines, stage_name, made_at)
        except CannotCompileError as problem:
            batched = native(call, tensors, name=scope, **arguments)
            pipelines.note_native_use(_tensors(lists, arguments))
            record_native(graph, stage_name, made_at, problem.reason(stage_name, made_at))
            return batched
        batched = pipelines.add_terminal(stage, components, _failure(arguments, stage_name, made_at))
        native("add_queue_runner", stage.runner)
        _fullness_of(stage).summarise()
        return _like(reference, restored(batched, _flat(reference)))


# The names that TF1 gives its queues; the maybe_ forms have none of their own.
_SCOPES = {
    "batch": "batch",
    "batch_join": "batch_join",
    "maybe_batch": "batch",
    "maybe_batch_join": "batch_join",
    "maybe_shuffle_batch": "shuffle_batch",
    "maybe_shuffle_batch_join": "shuffle_batch_join",
    "shuffle_batch": "shuffle_batch",
    "shuffle_batch_join": "shuffle_batch_join",
}


def _stage(
    lists: Sequence[Sequence[Any]],
    reference: Any,
    arguments: Dict[str, Any],
    pipelines: Pipelines,
    stage_name: str,
    made_at: str,
) -> Tuple[Stage, List[tf.TensorSpec]]:
    """The compiled stage and what it gives. Builds nothing that matters if it raises CannotCompileError."""
    size = _batch_size(arguments)
    if arguments["shared_name"] is not None:
        raise CannotCompileError("QC204", tensor=arguments["shared_name"])
    rows = None if arguments["allow_smaller_final_batch"] else size
    components = [_batch_spec(t, rows) for t in _flat(reference)]
    examples = tuple(tf.TensorSpec(spec.shape[1:], spec.dtype) for spec in components)
    inlets = [_inlet(flat, examples, arguments, pipelines) for flat in lists]
    is_shuffled, is_padded = "min_after_dequeue" in arguments, bool(arguments.get("dynamic_pad"))
    minimum = arguments["min_after_dequeue"] if is_shuffled else None
    fullness = Fullness(pipelines.graph, stage_name, int(arguments["capacity"]), minimum)
    queue = ir.Queue(
        examples,
        int(arguments["capacity"]),
        minimum,
        arguments.get("seed"),
        int(arguments.get("num_threads", len(lists))),
        fullness,
    )
    steps = [queue, ir.Batch(tuple(components), size, not arguments["allow_smaller_final_batch"], is_padded)]
    runner = PipelineRunner(pipelines.graph, stage_name)
    runner.add_counters(fullness.entered, fullness.left)
    return Stage(stage_name, made_at, scope=stage_name, runner=runner, inlets=inlets, steps=steps), components


def _fullness_of(stage: Stage) -> Fullness:
    return next(step.fullness for step in stage.steps if isinstance(step, ir.Queue))  # type: ignore[return-value]


def _batch_spec(reference: Any, rows: Optional[int]) -> tf.TensorSpec:
    if isinstance(reference, tf.SparseTensor):
        return stored_spec(rows)
    return tf.TensorSpec(reference.shape, reference.dtype)


def _inlet(
    flat: Sequence[Any], examples: Sequence[tf.TensorSpec], arguments: Dict[str, Any], pipelines: Pipelines
) -> Inlet:
    """How the elements of one list come to the queue: its slice, its rows, those of them that are kept."""
    is_many = bool(arguments["enqueue_many"])
    tensors = [_component(value, spec, is_many) for value, spec in zip(flat, examples)]
    keep = _computed(arguments.get("keep_input", True))
    if keep is not None:
        tensors.append(keep)
    body = cut(tensors, pipelines)
    upstream = _upstream(body, pipelines)
    steps: List[ir.Step] = [] if upstream else [ir.Endless((tf.TensorSpec([], tf.int64),))]
    steps += run_step(body, upstream, pipelines.place)
    is_kept_by_row = keep is not None and keep.shape.rank == 1
    if keep is not None and not is_kept_by_row:
        steps.append(ir.Filter(tuple(tf.TensorSpec(t.shape, t.dtype) for t in tensors[:-1])))
    if is_many:
        flag = (tf.TensorSpec([], tf.bool),) if is_kept_by_row else ()
        steps.append(ir.Unbatch((*examples, *flag)))
    if is_kept_by_row:
        steps.append(ir.Filter(tuple(examples)))
    return Inlet(tuple(upstream), tuple(steps))


def _component(value: Any, example: tf.TensorSpec, is_many: bool) -> tf.Tensor:
    if isinstance(value, tf.SparseTensor):
        return stored(value, is_many)
    shape = tf.TensorShape([None]).concatenate(example.shape) if is_many else example.shape
    return checked(tf.convert_to_tensor(value, example.dtype), shape)


def _computed(keep_input: Any) -> Optional[tf.Tensor]:
    """*keep_input* where it has to be asked at run time; None where it is a constant."""
    if _constant(keep_input) is not None:
        return None
    return tf.cast(keep_input, tf.bool)


def _constant(keep_input: Any) -> Optional[bool]:
    """The value of a scalar *keep_input* that the graph knows."""
    value = tf.get_static_value(keep_input) if tf.is_tensor(keep_input) else keep_input
    return bool(value) if value is not None and np.ndim(value) == 0 else None


def _batch_size(arguments: Dict[str, Any]) -> int:
    given = arguments["batch_size"]
    size = tf.get_static_value(given) if tf.is_tensor(given) else given
    if size is None:
        raise CannotCompileError("QC203", argument="batch_size", tensor=given.name)
    if int(size) < 1:
        raise CannotCompileError("QC207", argument="batch_size", tensor=int(size))
    return int(size)


def _upstream(body: Slice, pipelines: Pipelines) -> List[Stage]:
    """The stages that *body* draws from, each once, in the order in which they were made."""
    found = {id(pipelines.place(tensor)[0]) for tensor in body.sources}
    return [stage for stage in pipelines.stages if isinstance(stage, Stage) and id(stage) in found]


def _failure(arguments: Dict[str, Any], stage_name: str, made_at: str) -> str:
    """What every run has to say; empty where all is well."""
    minimum = arguments.get("min_after_dequeue", 0)
    if minimum < 0:
        return f"min_after_dequeue {minimum} must be >= 0"
    if minimum and minimum > arguments["capacity"] >= 0:
        return f"min_after_dequeue {minimum} must be < capacity {arguments['capacity']}"
    if _constant(arguments.get("keep_input", True)) is False:
        return layout("QC303", made_at, stage=stage_name)
    return ""


def _tensors(lists: Sequence[Sequence[Any]], arguments: Dict[str, Any]) -> List[tf.Tensor]:
    values = [value for flat in lists for value in flat] + [arguments.get("keep_input")]
    parts = [part for v in values for part in ((v.values, v.indices) if isinstance(v, tf.SparseTensor) else (v,))]
    return [part for part in parts if tf.is_tensor(part)]


def _flat(tensors: Any) -> List[Any]:
    if isinstance(tensors, dict):
        return [tensors[key] for key in sorted(tensors, key=str)]
    return [tensors] if isinstance(tensors, (tf.Tensor, tf.SparseTensor)) else list(tensors)


def _like(reference: Any, tensors: Sequence[Any]) -> Any:
    """*tensors* in the structure that TensorFlow's own call gives."""
    if isinstance(reference, dict):
        return dict(zip(reference, tensors))
    return list(tensors) if isinstance(reference, (list, tuple)) else tensors[0]


def _graph_of(values: Sequence[Any]) -> tf.Graph:
    """The graph of the tensors, which need not be the default one.

    Raises:
      ValueError: they are of different graphs.
    """
    values = [value.values if isinstance(value, tf.SparseTensor) else value for value in values]
    tensors = [value for value in values if isinstance(value, tf.Tensor)]
    for tensor in tensors:
        if tensor.graph is not tensors[0].graph:
            raise ValueError(f"{tensor} must be from the same graph as {tensors[0]}")
    return tensors[0].graph if tensors else tf.compat.v1.get_default_graph()
