"""Queues that a pipeline fills and the program takes from: ``prefetch_queue``, the common queue of readers.

They have the summary that TF1's slim added, and are made on demand (see ``lazy_queue``): TensorFlow's own
queue is made for what cannot be compiled, and for a program that wants the queue itself.
"""

from __future__ import annotations

from typing import Any, Callable, List, Optional, Sequence

import tensorflow as tf

from queuecompat._capture.fallback import compiled_or_native
from queuecompat._capture.inputs import input_branch
from queuecompat._capture.lazy_queue import LazyQueue
from queuecompat._native.deprecations import without_queue_deprecations
from queuecompat._native.originals import TRAIN
from queuecompat._native.reference import stand_in
from queuecompat._plan import ir
from queuecompat._plan.backend import QueueSpec
from queuecompat._plan.queue_names import QueueNames
from queuecompat._plan.registry import Pipelines
from queuecompat._plan.stages import InputBranch, Stage, narrowest
from queuecompat.errors import CannotCompileError, calling_line

__all__ = ["filled_queue"]


def filled_queue(
    make: Callable[[], tf.compat.v1.QueueBase],
    ways: Sequence[Any],
    *,
    scope: str,
    name: str,
    capacity: int,
    num_threads: int = 1,
    minimum: Optional[int] = None,
    seed: Optional[int] = None,
    shared_name: Optional[str] = None,
) -> tf.compat.v1.QueueBase:
    """A queue that is filled on several ways at once, in the current graph.

    Args:
      make: makes TensorFlow's own queue, empty, as TF1 would have made it.
      ways: what each enqueue op of TF1's puts in: a list of tensors, or a dict where the queue has names.
      scope: the name scope that TF1 made all this in; current.
      name: of the queue's op, in *scope*.
      capacity: of the queue, in elements.
      num_threads: how often TF1 repeated each enqueue op.
      minimum, seed: of a random queue; a *minimum* of None: first in, first out.
      shared_name: as *make* has it.
    Raises:
      What TensorFlow raises for a queue made, filled and watched so.
    """
    made_at, graph = calling_line(), tf.compat.v1.get_default_graph()
    with tf.Graph().as_default():
        reference = _native(make, [_stand_ins(way) for way in ways], num_threads, capacity)
    pipelines = Pipelines.of(graph)
    flat = [_in_order(way, reference) for way in ways]
    stage_name = scope.rstrip("/")

    def compiled() -> tf.compat.v1.QueueBase:
        if shared_name is not None:
            raise CannotCompileError("QC204", tensor=shared_name)
        inputs = [_input_branch(values, reference, pipelines) for values in flat]
        with tf.name_scope(name) as queue_scope:
            pass
        verbs = ["_enqueue" if number == 0 else f"_enqueue_{number}" for number in range(len(ways))] * num_threads
        names = QueueNames.of(queue_scope.rstrip("/"), scope, type(reference).__name__, verbs)
        spec = QueueSpec(
            queue_scope,
            names,
            int(capacity),
            summary_scope=queue_scope,
            components=tuple(tf.TensorSpec(*one) for one in zip(reference.shapes, reference.dtypes)),
            component_names=reference.names,
        )
        control = pipelines.backend.queue(spec, [one.upstream for one in inputs])
        threads = num_threads * len(ways)
        step = ir.Queue(narrowest([way.components for way in inputs]), int(capacity), minimum, seed, threads)
        stage = Stage(stage_name, made_at, scope=queue_scope, control=control, inputs=inputs, steps=[step])
        pipelines.backend.add_queue(stage)
        control.summarise()
        fails = _failure(capacity, minimum)
        return LazyQueue(stage, queue_scope.rstrip("/"), reference, make_native, fails)

    def make_native() -> tf.compat.v1.QueueBase:
        with tf.name_scope(scope):
            return _native(make, ways, num_threads, capacity)

    return compiled_or_native(
        pipelines,
        stage_name,
        made_at,
        [value for values in flat for value in values],
        compiled,
        lambda: _native(make, ways, num_threads, capacity),
        is_one_queue=True,
    )


def _native(
    make: Callable[[], tf.compat.v1.QueueBase], ways: Sequence[Any], num_threads: int, capacity: int
) -> tf.compat.v1.QueueBase:
    """TensorFlow's own queue with its runner and its curve."""
    with without_queue_deprecations():
        queue = make()
        runner = TRAIN["QueueRunner"](queue, [queue.enqueue(way) for way in ways] * num_threads)
        TRAIN["add_queue_runner"](runner)
        share = tf.cast(queue.size(), tf.float32) * (1.0 / capacity)
        tf.compat.v1.summary.scalar(f"fraction_of_{int(capacity)}_full", share)
    return queue


def _stand_ins(way: Any) -> Any:
    if isinstance(way, dict):
        return {key: stand_in(value) for key, value in way.items()}
    return [stand_in(value) for value in way]


def _in_order(way: Any, reference: tf.compat.v1.QueueBase) -> List[Any]:
    return [way[key] for key in reference.names] if isinstance(way, dict) else list(way)


def _input_branch(values: Sequence[Any], reference: tf.compat.v1.QueueBase, pipelines: Pipelines) -> InputBranch:
    """The way in of one element; where the queue knows no shape, its own."""
    tensors = [tf.convert_to_tensor(value, dtype) for value, dtype in zip(values, reference.dtypes)]
    shapes = [tensor.shape if shape.rank is None else shape for tensor, shape in zip(tensors, reference.shapes)]
    examples = [tf.TensorSpec(shape, dtype) for shape, dtype in zip(shapes, reference.dtypes)]
    return input_branch(tensors, examples, pipelines)


def _failure(capacity: int, minimum: Optional[int]) -> str:
    """What TF1's queue says whenever it is run; empty where all is well."""
    if minimum is None:
        return ""
    if minimum < 0:
        return f"min_after_dequeue {minimum} must be >= 0"
    return f"min_after_dequeue {minimum} must be < capacity {capacity}" if minimum >= capacity >= 0 else ""
