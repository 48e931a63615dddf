"""Captures queues that are returned to the program: slim's ``prefetch_queue`` and the common queue of its readers.

They have the summary that TF1's slim added, and are created on demand (see ``lazy_queue``): TensorFlow's own
queue is made only for what cannot be compiled, and for a program that uses the queue itself.
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
    enqueued: Sequence[Any],
    *,
    scope: str,
    name: str,
    capacity: int,
    num_threads: int = 1,
    minimum: Optional[int] = None,
    seed: Optional[int] = None,
    shared_name: Optional[str] = None,
) -> tf.compat.v1.QueueBase:
    """Returns a queue in the current graph that one or more enqueue ops fill.

    Args:
      make: makes TensorFlow's own queue, empty, as TF1 would.
      enqueued: the tensors of each enqueue op: a list, or a dict if the queue's components have names.
      scope: the name scope in which TF1 made the queue and its ops; the current one.
      name: the name of the queue's op, in *scope*.
      capacity: of the queue, in elements.
      num_threads: how many threads TF1 used for each enqueue op.
      minimum: ``min_after_dequeue`` of a shuffling queue; None: the queue is first in, first out.
      seed: of a shuffling queue.
      shared_name: of the queue, as in *make*.
    Raises:
      The errors that TensorFlow raises when it makes such a queue with its enqueue ops and summary.
    """
    made_at, graph = calling_line(), tf.compat.v1.get_default_graph()
    with tf.Graph().as_default():
        reference = _native(make, [_stand_ins(values) for values in enqueued], num_threads, capacity)
    pipelines = Pipelines.of(graph)
    flat = [_in_order(values, reference) for values in enqueued]
    stage_name = scope.rstrip("/")

    def compiled() -> tf.compat.v1.QueueBase:
        if shared_name is not None:
            raise CannotCompileError("QC204", tensor=shared_name)
        inputs = [_input_branch(values, reference, pipelines) for values in flat]
        with tf.name_scope(name) as queue_scope:
            pass
        verbs = ["_enqueue" if number == 0 else f"_enqueue_{number}" for number in range(len(enqueued))] * num_threads
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
        threads = num_threads * len(enqueued)
        step = ir.Queue(narrowest([one.components for one in inputs]), int(capacity), minimum, seed, threads)
        stage = Stage(stage_name, made_at, scope=queue_scope, control=control, inputs=inputs, steps=[step])
        pipelines.backend.add_queue(stage)
        control.summarise()
        fails = _failure(capacity, minimum)
        return LazyQueue(stage, queue_scope.rstrip("/"), reference, make_native, fails)

    def make_native() -> tf.compat.v1.QueueBase:
        with tf.name_scope(scope):
            return _native(make, enqueued, num_threads, capacity)

    return compiled_or_native(
        pipelines,
        stage_name,
        made_at,
        [value for values in flat for value in values],
        compiled,
        lambda: _native(make, enqueued, num_threads, capacity),
        is_one_queue=True,
    )


def _native(
    make: Callable[[], tf.compat.v1.QueueBase], enqueued: Sequence[Any], num_threads: int, capacity: int
) -> tf.compat.v1.QueueBase:
    """Returns TensorFlow's own queue, with its runner and its summary."""
    with without_queue_deprecations():
        queue = make()
        runner = TRAIN["QueueRunner"](queue, [queue.enqueue(values) for values in enqueued] * num_threads)
        TRAIN["add_queue_runner"](runner)
        share = tf.cast(queue.size(), tf.float32) * (1.0 / capacity)
        tf.compat.v1.summary.scalar(f"fraction_of_{int(capacity)}_full", share)
    return queue


def _stand_ins(values: Any) -> Any:
    if isinstance(values, dict):
        return {key: stand_in(value) for key, value in values.items()}
    return [stand_in(value) for value in values]


def _in_order(values: Any, reference: tf.compat.v1.QueueBase) -> List[Any]:
    return [values[key] for key in reference.names] if isinstance(values, dict) else list(values)


def _input_branch(values: Sequence[Any], reference: tf.compat.v1.QueueBase, pipelines: Pipelines) -> InputBranch:
    """Returns the input of the stage for one enqueue op; components without a shape in the queue keep their own."""
    tensors = [tf.convert_to_tensor(value, dtype) for value, dtype in zip(values, reference.dtypes)]
    shapes = [tensor.shape if shape.rank is None else shape for tensor, shape in zip(tensors, reference.shapes)]
    examples = [tf.TensorSpec(shape, dtype) for shape, dtype in zip(shapes, reference.dtypes)]
    return input_branch(tensors, examples, pipelines)


def _failure(capacity: int, minimum: Optional[int]) -> str:
    """Returns the message of the error that TF1's queue raises at every run; empty: none."""
    if minimum is None:
        return ""
    if minimum < 0:
        return f"min_after_dequeue {minimum} must be >= 0"
    return f"min_after_dequeue {minimum} must be < capacity {capacity}" if minimum >= capacity >= 0 else ""
