"""Batchers: from the user's tensors to a stage with a queue and a batch, or to the native call."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import numpy as np
import tensorflow as tf

from queuecompat._capture.fallback import compiled_or_native
from queuecompat._capture.inputs import (
    as_one_number,
    batch_spec,
    constant_flag,
    constant_size,
    flat,
    graph_of,
    input_branch,
    like,
    tensors_among,
)
from queuecompat._capture.sparse import restored
from queuecompat._native.reference import expected, native, using_up
from queuecompat._plan import ir
from queuecompat._plan.backend import QueueControl, QueueSpec
from queuecompat._plan.queue_names import QueueNames
from queuecompat._plan.registry import Pipelines
from queuecompat._plan.stages import Stage
from queuecompat.errors import CannotCompileError, calling_line, layout

__all__ = ["batch"]


def batch(
    call: str,
    tensors: Any,
    *,
    name: Optional[str],
    summarise: Callable[[QueueControl], None] = lambda control: control.summarise(),
    **arguments: Any,
) -> Any:
    """Builds ``tf.train.<call>``.

    Args:
      call: one of the eight batchers.
      tensors: list or dict of tensors; for a join, a list of them.
      summarise: adds the summary of how full the queue is.
      arguments: the call's other arguments by TF1's names, all of them.
    """
    made_at = calling_line()
    if isinstance(tensors, np.ndarray):
        tensors = list(tensors)
    arguments["batch_size"] = as_one_number(arguments["batch_size"])
    with using_up(name or _SCOPES[call]):
        reference = expected(call, tensors, **{**arguments, "shared_name": None})
    lists = [flat(one) for one in (tensors if call.endswith("_join") else [tensors])]
    consumed = [*(value for one in lists for value in one), arguments.get("keep_input")]
    graph = graph_of(consumed)
    with graph.as_default(), tf.name_scope(name or _SCOPES[call]) as scope:
        stage_name = scope.rstrip("/")
        pipelines = Pipelines.of(graph)

        def compiled() -> Any:
            stage, components = _stage(lists, reference, arguments, pipelines, stage_name, made_at)
            batched = pipelines.backend.terminal(stage, components, _failure(arguments, stage_name, made_at))
            summarise(stage.control)
            return like(reference, restored(batched, flat(reference)))

        return compiled_or_native(
            pipelines,
            stage_name,
            made_at,
            tensors_among(consumed),
            compiled,
            lambda: native(call, tensors, name=scope, **arguments),
            is_one_queue=True,
        )


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
    """The compiled stage and what it outputs. Builds nothing that matters if it raises CannotCompileError."""
    size = constant_size("batch_size", arguments["batch_size"])
    if arguments["shared_name"] is not None:
        raise CannotCompileError("QC204", tensor=arguments["shared_name"])
    rows = None if arguments["allow_smaller_final_batch"] else size
    components = [batch_spec(t, rows) for t in flat(reference)]
    examples = tuple(tf.TensorSpec(spec.shape[1:], spec.dtype) for spec in components)
    how = {"is_many": bool(arguments["enqueue_many"]), "keep_input": arguments.get("keep_input", True)}
    inputs = [input_branch(one, examples, pipelines, **how) for one in lists]
    is_shuffled, is_padded = "min_after_dequeue" in arguments, bool(arguments.get("dynamic_pad"))
    minimum = arguments["min_after_dequeue"] if is_shuffled else None
    capacity = int(arguments["capacity"])
    names = _names(stage_name, arguments, len(lists))
    control = pipelines.backend.queue(
        QueueSpec(stage_name, names, capacity, minimum, summary_scope=stage_name, components=examples),
        [one.upstream for one in inputs],
    )
    seed = _seed(arguments["seed"]) if is_shuffled else None
    queue = ir.Queue(examples, capacity, minimum, seed, int(arguments.get("num_threads", len(lists))))
    steps = [queue, ir.Batch(tuple(components), size, not arguments["allow_smaller_final_batch"], is_padded)]
    return Stage(stage_name, made_at, scope=stage_name, control=control, inputs=inputs, steps=steps), components


def _seed(given: Optional[int]) -> Optional[int]:
    """That of a shuffle buffer: the caller's, or what the graph's decides, as TF1's queue took one of it."""
    if given is not None:
        return given
    of_graph, own = tf.compat.v1.get_seed(None)
    return None if of_graph is None else int(own)


def _names(stage_name: str, arguments: Dict[str, Any], lists: int) -> QueueNames:
    """What TF1 called the queue of these *arguments* and its ops."""
    if "min_after_dequeue" in arguments:
        leaf, kind = "random_shuffle_queue", "RandomShuffleQueue"
    elif arguments.get("dynamic_pad"):
        leaf, kind = "padding_fifo_queue", "PaddingFIFOQueue"
    else:
        leaf, kind = "fifo_queue", "FIFOQueue"
    verb = "_EnqueueMany" if arguments["enqueue_many"] else "_enqueue"
    if "num_threads" in arguments:
        enqueue = [verb] * int(arguments["num_threads"])
    else:
        enqueue = [verb if number == 0 else f"{verb}_{number}" for number in range(lists)]
    return QueueNames.of(f"{stage_name}/{leaf}", stage_name, kind, enqueue)


def _failure(arguments: Dict[str, Any], stage_name: str, made_at: str) -> str:
    """What every run has to say; empty where all is well."""
    minimum = arguments.get("min_after_dequeue", 0)
    if minimum < 0:
        return f"min_after_dequeue {minimum} must be >= 0"
    if minimum and minimum > arguments["capacity"] >= 0:
        return f"min_after_dequeue {minimum} must be < capacity {arguments['capacity']}"
    if constant_flag(arguments.get("keep_input", True)) is False:
        return layout("QC303", made_at, stage=stage_name)
    return ""
