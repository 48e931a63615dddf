"""Captures the batchers (``batch``, ``shuffle_batch``, their joins): a stage with a queue and a batch."""

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
    """Builds ``tf.train.<call>``, compiled if possible, otherwise on TensorFlow's own queue.

    Args:
      call: the name of one of the eight batchers.
      tensors: a list or dict of tensors; for a join, a list of these.
      summarise: adds the summary of how full the queue is.
      arguments: all other arguments of the call, by TF1's names.
    Returns:
      The batched tensors, in the structure that TF1 returns.
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


# TF1's default name of each call; the maybe_ forms have the names of the others.
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
    """Returns the compiled stage and the specs of its output.

    Raises:
      CannotCompileError: before anything relevant is built.
    """
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
    """Returns the seed of a shuffle buffer: the caller's, or as in TF1, one derived from the graph's seed."""
    if given is not None:
        return given
    of_graph, own = tf.compat.v1.get_seed(None)
    return None if of_graph is None else int(own)


def _names(stage_name: str, arguments: Dict[str, Any], lists: int) -> QueueNames:
    """Returns TF1's names of the queue of a call with these *arguments*, and of its ops."""
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
    """Returns the message of the error that every run raises; empty: none."""
    minimum = arguments.get("min_after_dequeue", 0)
    if minimum < 0:
        return f"min_after_dequeue {minimum} must be >= 0"
    if minimum and minimum > arguments["capacity"] >= 0:
        return f"min_after_dequeue {minimum} must be < capacity {arguments['capacity']}"
    if constant_flag(arguments.get("keep_input", True)) is False:
        return layout("QC303", made_at, stage=stage_name)
    return ""
