"""Captures ``tf.contrib.training.bucket``: a stage whose batches contain elements of the same bucket."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Tuple

import numpy as np
import tensorflow as tf

from queuecompat._capture.fallback import compiled_or_native
from queuecompat._capture.inputs import (
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
from queuecompat._native import buckets
from queuecompat._native.reference import expected, native, using_up
from queuecompat._plan import ir
from queuecompat._plan.backend import QueueSpec
from queuecompat._plan.queue_names import QueueNames
from queuecompat._plan.registry import Pipelines
from queuecompat._plan.stages import Stage
from queuecompat.errors import CannotCompileError, calling_line, layout

__all__ = ["bucket"]

_NUMBER = tf.TensorSpec([], tf.int32)


def bucket(tensors: Any, which_bucket: Any, *, name: Optional[str], **arguments: Any) -> Tuple[tf.Tensor, Any]:
    """Builds ``tf.contrib.training.bucket``, compiled if possible, otherwise on TensorFlow's own queues.

    Args:
      tensors: a list or dict of tensors.
      which_bucket: the number of each example's bucket.
      arguments: all other arguments of the call, by TF1's names.
    Returns:
      The number of the bucket, and the batched tensors in the structure that TF1 returns.
    """
    made_at = calling_line()
    without_sharing = {**arguments, "shared_name": None}
    with using_up(name or "bucket"):
        _, reference = expected(buckets.bucket, tensors, which_bucket, **without_sharing)
    values = [*flat(tensors), which_bucket]
    graph = graph_of(values)
    with graph.as_default(), tf.name_scope(name or "bucket") as scope:
        stage_name = scope.rstrip("/")
        pipelines = Pipelines.of(graph)

        def compiled() -> Tuple[tf.Tensor, Any]:
            stage = _stage(values, reference, arguments, pipelines, stage_name, made_at)
            fails = _failure(which_bucket, arguments, stage_name, made_at)
            drawn = pipelines.backend.terminal(stage, stage.components, fails)
            _summarise(stage, arguments)
            return drawn[0], like(reference, restored(drawn[1:], flat(reference)))

        return compiled_or_native(
            pipelines,
            stage_name,
            made_at,
            tensors_among([*values, arguments["keep_input"]]),
            compiled,
            lambda: native(buckets.bucket, tensors, which_bucket, name=scope, **arguments),
        )


def _stage(
    values: List[Any],
    reference: Any,
    arguments: Dict[str, Any],
    pipelines: Pipelines,
    stage_name: str,
    made_at: str,
) -> Stage:
    """Returns the compiled stage.

    Raises:
      CannotCompileError: before anything relevant is built.
    """
    given, count = arguments["batch_size"], int(arguments["num_buckets"])
    sizes = tuple(constant_size("batch_size", size) for size in buckets.sizes_of_buckets(given, count))
    if arguments["shared_name"] is not None:
        raise CannotCompileError("QC204", tensor=arguments["shared_name"])
    is_smaller = bool(arguments["allow_smaller_final_batch"])
    rows = None if is_smaller or isinstance(given, (list, tuple)) else sizes[0]
    components = tuple(batch_spec(tensor, rows) for tensor in flat(reference))
    examples = (*(tf.TensorSpec(spec.shape[1:], spec.dtype) for spec in components), _NUMBER)
    branch = input_branch(values, examples, pipelines, is_many=False, keep_input=arguments["keep_input"])
    capacity = int(arguments["capacity"])
    bucket_capacities = buckets.capacities_of_buckets(arguments["bucket_capacities"], capacity, count)
    capacity_of_all = -1 if min(bucket_capacities) < 0 else sum(bucket_capacities)
    steps = [
        ir.Queue(examples, capacity_of_all, None, None, int(arguments["num_threads"])),
        ir.Bucket((_NUMBER, *components), sizes, not is_smaller, bool(arguments["dynamic_pad"]), capacity),
    ]
    names = QueueNames.of(
        f"{stage_name}/top_queue", stage_name, "FIFOQueue", ["_enqueue"] * int(arguments["num_threads"])
    )
    spec = QueueSpec(
        stage_name, names, capacity, summary_scope=f"{stage_name}/top_queue", components=(_NUMBER, *components)
    )
    control = pipelines.backend.queue(spec, [branch.upstream])
    return Stage(stage_name, made_at, scope=f"{stage_name}/dequeue_top", control=control, inputs=[branch], steps=steps)


def _summarise(stage: Stage, arguments: Dict[str, Any]) -> None:
    """Adds TF1's summaries: of the queue of batches, and, for each bucket, the size of the same queue."""
    for number in range(int(arguments["num_buckets"])):
        stage.control.summarise_size(f"bucket/{stage.name}/bucket_queue_{number}/size")
    stage.control.summarise(f"bucket/{stage.name}/top_queue/fraction_of_{arguments['capacity']}_full")


def _failure(which_bucket: Any, arguments: Dict[str, Any], stage_name: str, made_at: str) -> str:
    """Returns the message of the error that every run raises; empty: none."""
    number = tf.get_static_value(which_bucket) if tf.is_tensor(which_bucket) else which_bucket
    is_out_of_range = (
        number is not None and np.ndim(number) == 0 and not 0 <= int(number) < int(arguments["num_buckets"])
    )
    if is_out_of_range or constant_flag(arguments["keep_input"]) is False:
        return layout("QC303", made_at, stage=stage_name)
    return ""
