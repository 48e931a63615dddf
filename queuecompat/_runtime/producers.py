"""Producers: ``input_producer`` and the queue that it returns.

The queue is a promise. As long as the program only dequeues from it, or hands it to a compiled
reader, no queue exists and the elements come straight from the plan. As soon as the program touches
the queue itself (``size``, ``enqueue``, a native reader) the native queue is made, with its runner,
and whatever hung on the promise draws from that queue instead.
"""

from __future__ import annotations

from typing import Any, List, Optional, Sequence, Tuple

import numpy as np
import tensorflow as tf

from queuecompat._compiler import ir
from queuecompat._compiler.slicing import cut
from queuecompat._compiler.stages import Stage
from queuecompat._runtime.entry import require_graph
from queuecompat._runtime.iterators import NativeStream
from queuecompat._runtime.pipelines import Pipelines
from queuecompat._runtime.reference import expected, native, record_native
from queuecompat._runtime.runners import PipelineRunner, quietly
from queuecompat.errors import CannotCompileError, calling_line

__all__ = [
    "ProducerQueue",
    "input_producer",
    "range_input_producer",
    "slice_input_producer",
    "string_input_producer",
]

# A NumPy array larger than this is fed at the start instead of living in the graph.
LARGE_ARRAY_BYTES = 1024 * 1024


class ProducerQueue(tf.compat.v1.QueueBase):
    """What ``input_producer`` returns: TF1's queue, to all appearances.

    ``dequeue``, ``dequeue_many`` and ``dequeue_up_to`` are compiled. Everything else that a
    ``QueueBase`` can do works too, on a native queue that is made for it (QC206).
    """

    def __init__(self, stage: Stage, reference: tf.compat.v1.QueueBase, make_native: Any) -> None:
        # The base class would need a native queue; its methods are all replaced below.
        self._stage = stage
        self._name = reference.name
        self._dtypes = list(reference.dtypes)
        self._shapes = list(reference.shapes)
        self._names = reference.names
        self._make_native = make_native
        self._made: Optional[tf.compat.v1.QueueBase] = None

    def __repr__(self) -> str:
        how = "native" if self._made is not None else "compiled"
        return (
            f"<queuecompat {how} queue '{self.name}' of {[d.name for d in self._dtypes]} made at {self._stage.made_at}>"
        )

    @property
    def stage(self) -> Stage:
        return self._stage

    @property
    def name(self) -> str:
        return self._name

    @property
    def dtypes(self) -> List[tf.DType]:
        return self._dtypes

    @property
    def shapes(self) -> List[tf.TensorShape]:
        return self._shapes

    @property
    def names(self) -> Optional[List[str]]:
        return self._names

    def dequeue(self, name: Optional[str] = None) -> tf.Tensor:
        """One element. Shapes and errors as TF1's; ends with ``tf.errors.OutOfRangeError``."""
        return self._dequeued(name or f"{self.name}_Dequeue", (), self._element())

    def dequeue_many(self, n: Any, name: Optional[str] = None) -> tf.Tensor:
        """*n* elements, stacked; a shorter rest is dropped at the end."""
        return self._dequeued_batch(n, name or f"{self.name}_DequeueMany", drop_remainder=True)

    def dequeue_up_to(self, n: Any, name: Optional[str] = None) -> tf.Tensor:
        """*n* elements, stacked; fewer at the end."""
        return self._dequeued_batch(n, name or f"{self.name}_DequeueUpTo", drop_remainder=False)

    def enqueue(self, vals: Any, name: Optional[str] = None) -> tf.Operation:
        return self._native("enqueue").enqueue(vals, name)

    def enqueue_many(self, vals: Any, name: Optional[str] = None) -> tf.Operation:
        return self._native("enqueue_many").enqueue_many(vals, name)

    def close(self, cancel_pending_enqueues: bool = False, name: Optional[str] = None) -> tf.Operation:
        return self._native("close").close(cancel_pending_enqueues, name)

    def is_closed(self, name: Optional[str] = None) -> tf.Tensor:
        return self._native("is_closed").is_closed(name)

    def size(self, name: Optional[str] = None) -> tf.Tensor:
        return self._native("size").size(name)

    @property
    def queue_ref(self) -> tf.Tensor:
        return self._native("queue_ref").queue_ref

    def _element(self) -> Tuple[tf.TensorSpec, ...]:
        return tuple(tf.TensorSpec(shape, dtype) for shape, dtype in zip(self._shapes, self._dtypes))

    def _dequeued_batch(self, n: Any, name: str, drop_remainder: bool) -> tf.Tensor:
        size = tf.get_static_value(n) if tf.is_tensor(n) else n
        if size is None or int(size) < 1:
            reference = self._native("dequeue_many" if drop_remainder else "dequeue_up_to")
            return (reference.dequeue_many if drop_remainder else reference.dequeue_up_to)(n, name)
        rows = int(size) if drop_remainder else None
        components = tuple(tf.TensorSpec([rows, *spec.shape], spec.dtype) for spec in self._element())
        step = ir.Batch(components, int(size), drop_remainder, padded=False)
        return self._dequeued(name, (step,), components)

    def _dequeued(self, name: str, steps: Sequence[ir.Step], components: Sequence[tf.TensorSpec]) -> tf.Tensor:
        graph = self._stage.runner.graph
        with graph.as_default(), tf.name_scope(name) as scope:
            pass
        stage = Stage(
            scope.rstrip("/"),
            calling_line(),
            scope=scope,
            runner=self._stage.runner,
            upstream=[self._stage],
            steps=steps,
        )
        with graph.as_default():
            (tensor,) = Pipelines.of(graph).add_terminal(stage, components)
        return tensor

    def _native(self, use: str) -> tf.compat.v1.QueueBase:
        """The native queue; made at the first *use*, a method that only it has."""
        if self._made is None:
            graph, stage = self._stage.runner.graph, self._stage
            with graph.as_default():
                made = self._made = self._make_native()

            def draw(name: Optional[str]) -> List[tf.Tensor]:
                # Through an identity: the handle is captured, the queue is not copied.
                handle = tf.identity(made.queue_ref)
                return tf.raw_ops.QueueDequeueV2(handle=handle, component_types=self._dtypes, name=name)

            reason = CannotCompileError("QC206", kind="queue", tensor=use).reason(stage.name, calling_line())
            stage.demote(NativeStream(draw), reason)
            record_native(graph, stage.name, stage.made_at, reason)
            Pipelines.of(graph).refresh()
        return self._made


def input_producer(
    input_tensor: Any,
    element_shape: Any = None,
    num_epochs: Optional[int] = None,
    shuffle: bool = True,
    seed: Optional[int] = None,
    capacity: int = 32,
    shared_name: Optional[str] = None,
    summary_name: Optional[str] = None,
    name: Optional[str] = None,
    cancel_op: Optional[tf.Operation] = None,
) -> tf.compat.v1.QueueBase:
    """See ``queuecompat.train.input_producer``."""
    made_at = calling_line()
    arguments = dict(element_shape=element_shape, num_epochs=num_epochs, shuffle=shuffle, seed=seed, capacity=capacity)
    reference = expected("input_producer", input_tensor, name=name, **arguments)
    graph = tf.compat.v1.get_default_graph()
    pipelines = Pipelines.of(graph)
    with tf.name_scope(name or "input_producer") as scope:
        stage_name = scope.rstrip("/")

        def make_native() -> tf.compat.v1.QueueBase:
            return native(
                "input_producer",
                input_tensor,
                shared_name=shared_name,
                summary_name=summary_name,
                name=scope,
                cancel_op=cancel_op,
                **arguments,
            )

        runner = PipelineRunner(graph, stage_name, scope, cancel_op)
        element = tf.TensorSpec(reference.shapes[0], reference.dtypes[0])
        try:
            body = _rows(input_tensor, element, shared_name, runner)
        except CannotCompileError as problem:
            queue = make_native()
            pipelines.note_native_use([input_tensor])
            record_native(graph, stage_name, made_at, problem.reason(stage_name, made_at))
            return queue
        epochs = None if num_epochs is None else int(num_epochs)
        seeds = tf.compat.v1.get_seed(seed) if shuffle else None
        step = ir.Produce((element,), body, epochs, seeds, int(capacity), stage_name)
        stage = Stage(stage_name, made_at, scope=scope, runner=runner, steps=[step])
        pipelines.add(stage)
        with quietly():
            tf.compat.v1.train.add_queue_runner(runner)
        return ProducerQueue(stage, reference, make_native)


def string_input_producer(
    string_tensor: Any, *, name: Optional[str] = None, **arguments: Any
) -> tf.compat.v1.QueueBase:
    """See ``queuecompat.train.string_input_producer``."""
    empty = "string_input_producer requires a non-null input tensor"
    if not isinstance(string_tensor, (tf.Tensor, tf.Variable)) and not string_tensor:
        raise ValueError(empty)
    require_graph("string_input_producer")
    with tf.name_scope(name or "input_producer") as scope:
        strings = tf.convert_to_tensor(string_tensor, dtype=tf.string)
        with tf.control_dependencies([tf.compat.v1.Assert(tf.greater(tf.size(strings), 0), [empty])]):
            strings = tf.identity(strings)
        return input_producer(strings, summary_name=_curve(arguments["capacity"]), name=scope, **arguments)


def range_input_producer(limit: Any, *, name: Optional[str] = None, **arguments: Any) -> tf.compat.v1.QueueBase:
    """See ``queuecompat.train.range_input_producer``."""
    with tf.name_scope(name or "input_producer") as scope:
        curve = _curve(arguments["capacity"])
        return input_producer(tf.range(limit), element_shape=[], summary_name=curve, name=scope, **arguments)


def slice_input_producer(tensor_list: Any, *, name: Optional[str] = None, **arguments: Any) -> List[tf.Tensor]:
    """See ``queuecompat.train.slice_input_producer``."""
    expected("slice_input_producer", tensor_list, **arguments)
    with tf.name_scope(name or "input_producer"):
        tables = [_Table(values) for values in tensor_list]
        queue = range_input_producer(tables[0].row_count(), **arguments)
        for table in tables:
            table.settle(queue)
        index = queue.dequeue()
        return [table.row(index) for table in tables]


def _curve(capacity: int) -> str:
    return f"fraction_of_{int(capacity)}_full"


class _Table:
    """One of the tensors whose rows ``slice_input_producer`` gives.

    A large array belongs to the runner of the index queue, and that is made from the first table's
    row count; hence the two steps.
    """

    def __init__(self, values: Any) -> None:
        self._values = values if _is_large(values) else tf.convert_to_tensor(values)
        self._handle: Optional[tf.Tensor] = None

    def row_count(self) -> tf.Tensor:
        return tf.shape(self._values)[0] if tf.is_tensor(self._values) else tf.constant(len(self._values))

    def settle(self, queue: tf.compat.v1.QueueBase) -> None:
        if tf.is_tensor(self._values):
            return
        if isinstance(queue, ProducerQueue):
            self._handle = queue.stage.runner.add_array(self._values)
        else:
            self._values = tf.convert_to_tensor(self._values)

    def row(self, index: tf.Tensor) -> tf.Tensor:
        if self._handle is None:
            return tf.gather(self._values, index)
        dtype = tf.as_dtype(self._values.dtype)
        row = tf.raw_ops.ResourceGather(resource=self._handle, indices=index, dtype=dtype, name="GatherV2")
        return tf.ensure_shape(row, self._values.shape[1:]) if row.shape.rank is None else row


def _rows(values: Any, element: tf.TensorSpec, shared_name: Optional[str], runner: PipelineRunner) -> ir.Body:
    """The slice that gives all rows of *values*; a large array never enters the graph."""
    if shared_name is not None:
        raise CannotCompileError("QC204", tensor=shared_name)
    if _is_large(values):
        rows = tf.raw_ops.ReadVariableOp(resource=runner.add_array(values), dtype=tf.as_dtype(values.dtype))
    else:
        rows = tf.convert_to_tensor(values)
    shape = tf.TensorShape([None]).concatenate(element.shape)
    if rows.shape.rank is None or not _says_as_much(rows.shape, shape):
        rows = tf.ensure_shape(rows, shape)
    body = cut([rows], Pipelines.of(runner.graph).is_source)
    if body.sources:
        raise CannotCompileError("QC202", tensor=body.sources[0].name, kind="a stage")
    return body


def _is_large(values: Any) -> bool:
    return isinstance(values, np.ndarray) and values.dtype.kind in "biufc" and values.nbytes > LARGE_ARRAY_BYTES


def _says_as_much(shape: tf.TensorShape, wanted: tf.TensorShape) -> bool:
    return all(have is not None or want is None for have, want in zip(shape.as_list(), wanted.as_list()))
