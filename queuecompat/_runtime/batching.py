"""Batchers: from the user's tensors to a stage with a queue and a batch, or to the native call."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence, Tuple

import numpy as np
import tensorflow as tf

from queuecompat._compiler import ir
from queuecompat._compiler.slicing import Slice, cut
from queuecompat._compiler.stages import Stage, run_step
from queuecompat._runtime.pipelines import Pipelines
from queuecompat._runtime.reference import expected, native, record_native
from queuecompat._runtime.runners import PipelineRunner, quietly
from queuecompat.errors import CannotCompileError, calling_line

__all__ = ["batch"]


def batch(call: str, tensors: Any, *, name: Optional[str], **arguments: Any) -> Any:
    """Builds ``tf.train.<call>``.

    Args:
      call: "batch" or "shuffle_batch".
      tensors: list or dict of tensors.
      arguments: the call's other arguments by TF1's names, all of them.
    """
    made_at = calling_line()
    if isinstance(tensors, np.ndarray):
        tensors = list(tensors)
    reference = expected(call, tensors, **{**arguments, "shared_name": None})
    flat = _flat(tensors)
    with _graph_of(flat).as_default() as graph, tf.name_scope(name or call) as scope:
        stage_name = scope.rstrip("/")
        pipelines = Pipelines.of(graph)
        try:
            stage, components = _stage(flat, reference, arguments, pipelines, stage_name, made_at)
        except CannotCompileError as problem:
            batched = native(call, tensors, name=scope, **arguments)
            pipelines.note_native_use(flat)
            record_native(graph, stage_name, made_at, problem.reason(stage_name, made_at))
            return batched
        batched = pipelines.add_terminal(stage, components, _failure(arguments))
        with quietly():
            tf.compat.v1.train.add_queue_runner(stage.runner)
    return _like(reference, batched)


def _stage(
    flat: Sequence[Any],
    reference: Any,
    arguments: Dict[str, Any],
    pipelines: Pipelines,
    stage_name: str,
    made_at: str,
) -> Tuple[Stage, List[tf.TensorSpec]]:
    """The compiled stage and what it gives. Builds nothing that matters if it raises CannotCompileError."""
    size = _batch_size(arguments)
    _require_plain(flat, arguments)
    components = [tf.TensorSpec(t.shape, t.dtype) for t in _flat(reference)]
    examples = [tf.TensorSpec(spec.shape[1:], spec.dtype) for spec in components]
    is_many = bool(arguments["enqueue_many"])
    tensors = [
        _checked(tf.convert_to_tensor(value), tf.TensorShape([None]).concatenate(s.shape) if is_many else s.shape)
        for value, s in zip(flat, examples)
    ]
    body = cut(tensors, pipelines)
    upstream = _upstream(body, pipelines)
    steps: List[ir.Step] = [] if upstream else [ir.Endless((tf.TensorSpec([], tf.int64),))]
    steps += run_step(body, upstream, pipelines.place)
    rows = tuple(examples)
    if is_many:
        steps.append(ir.Unbatch(rows))
    steps.append(
        ir.Queue(
            rows,
            int(arguments["capacity"]),
            arguments.get("min_after_dequeue"),
            arguments.get("seed"),
            int(arguments["num_threads"]),
        )
    )
    is_padded = bool(arguments.get("dynamic_pad"))
    steps.append(ir.Batch(tuple(components), size, not arguments["allow_smaller_final_batch"], is_padded))
    runner = PipelineRunner(pipelines.graph, stage_name)
    stage = Stage(stage_name, made_at, scope=stage_name, runner=runner, upstream=upstream, steps=steps)
    return stage, components


def _batch_size(arguments: Dict[str, Any]) -> int:
    given = arguments["batch_size"]
    size = tf.get_static_value(given) if tf.is_tensor(given) else given
    if size is None:
        raise CannotCompileError("QC203", argument="batch_size", tensor=given.name)
    if int(size) < 1:
        raise CannotCompileError("QC207", argument="batch_size", tensor=int(size))
    return int(size)


def _require_plain(flat: Sequence[Any], arguments: Dict[str, Any]) -> None:
    if arguments["shared_name"] is not None:
        raise CannotCompileError("QC204", tensor=arguments["shared_name"])
    for number, value in enumerate(flat):
        if isinstance(value, tf.SparseTensor):
            raise CannotCompileError("QC205", tensor=number)


def _checked(tensor: tf.Tensor, shape: tf.TensorShape) -> tf.Tensor:
    """*tensor*, checked at run time where *shapes* promised more than the graph knows."""
    is_known = tensor.shape.rank is not None and all(
        have is not None or want is None for have, want in zip(tensor.shape.as_list(), shape.as_list())
    )
    return tensor if is_known else tf.ensure_shape(tensor, shape)


def _upstream(body: Slice, pipelines: Pipelines) -> List[Stage]:
    """The stages that *body* draws from, each once, in the order in which they were made."""
    found = {id(pipelines.place(tensor)[0]) for tensor in body.sources}
    return [stage for stage in pipelines.stages if isinstance(stage, Stage) and id(stage) in found]


def _failure(arguments: Dict[str, Any]) -> str:
    minimum = arguments.get("min_after_dequeue", 0)
    return f"min_after_dequeue {minimum} must be >= 0" if minimum < 0 else ""


def _flat(tensors: Any) -> List[Any]:
    if isinstance(tensors, dict):
        return [tensors[key] for key in sorted(tensors, key=str)]
    return [tensors] if isinstance(tensors, tf.Tensor) else list(tensors)


def _like(reference: Any, tensors: Sequence[tf.Tensor]) -> Any:
    """*tensors* in the structure that TensorFlow's own call gives."""
    if isinstance(reference, dict):
        return dict(zip(reference, tensors))
    return list(tensors) if isinstance(reference, (list, tuple)) else tensors[0]


def _graph_of(values: Sequence[Any]) -> tf.Graph:
    """The graph of the tensors, which need not be the default one.

    Raises:
      ValueError: they are of different graphs.
    """
    tensors = [value for value in values if isinstance(value, tf.Tensor)]
    for tensor in tensors:
        if tensor.graph is not tensors[0].graph:
            raise ValueError(f"{tensor} must be from the same graph as {tensors[0]}")
    return tensors[0].graph if tensors else tf.compat.v1.get_default_graph()
