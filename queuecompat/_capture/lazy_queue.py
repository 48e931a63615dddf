"""A queue that a pipeline fills and that is created only on demand.

As long as the program only dequeues from it, or passes it to a compiled reader, no queue exists and
the elements come from the plan. When the program uses the queue itself (``size``,
``enqueue``, a native reader), the native queue is made, with its runner, and all earlier consumers
draw from it instead.

Once a session has started the compiled pipeline, it stays compiled. ``size`` and ``close`` then apply to the buffers
that replaced the queue, and ``dequeue`` draws from the stream that its consumers share.
"""

from __future__ import annotations

from typing import Any, Callable, List, Optional, Sequence, Tuple

import tensorflow as tf

from queuecompat._capture.fallback import record_native
from queuecompat._native.autograph import unconverted
from queuecompat._plan import ir
from queuecompat._plan.external import ExternalStream
from queuecompat._plan.registry import Pipelines
from queuecompat._plan.stages import Stage
from queuecompat.errors import CannotCompileError, call_on_behalf, calling_line

__all__ = ["LazyQueue"]


def _require_number(n: Any) -> None:
    """Raises the error of TensorFlow's own queue if *n* is not a number of elements."""
    with tf.Graph().as_default():
        tf.queue.FIFOQueue(1, tf.int32, [[]]).dequeue_up_to(tf.zeros([], n.dtype) if tf.is_tensor(n) else n)


class LazyQueue(tf.compat.v1.QueueBase):
    """The result of ``input_producer`` and ``prefetch_queue``, with the interface of TF1's queue.

    ``dequeue``, ``dequeue_many`` and ``dequeue_up_to`` are compiled; the consumers share the elements, each of
    which goes to one of them. All other methods of ``QueueBase`` work too, on a native queue that is then
    made (QC206).

    Args:
      stage: the compiled stage.
      name: TF1's name of the queue.
      reference: a queue with the types, shapes, names and class of TF1's queue.
      make_native: makes the native queue and its runner.
      fails: the message of an InvalidArgumentError that every dequeue raises at run time; empty: none.
    """

    def __init__(
        self,
        stage: Stage,
        name: str,
        reference: tf.compat.v1.QueueBase,
        make_native: Callable[[], Any],
        fails: str = "",
    ) -> None:
        # The base class would need a native queue; its methods are all replaced below.
        self._stage = stage
        self._name = name
        self._dtypes = list(reference.dtypes)
        self._shapes = list(reference.shapes)
        self._names = reference.names
        self._kind = type(reference)
        self._make_native = make_native
        self._made: Optional[tf.compat.v1.QueueBase] = None
        self._fails = fails

    def __repr__(self) -> str:
        how = "native" if self._made is not None else "compiled"
        return (
            f"<queuecompat {how} queue '{self.name}' of {[d.name for d in self._dtypes]} made at {self._stage.made_at}>"
        )

    @property  # type: ignore[misc]  # the attribute of the base class could be set
    def __class__(self) -> Any:
        """The class of TF1's queue, for programs that ask for ``isinstance(queue, tf.FIFOQueue)``."""
        return self._kind

    @property
    def stage(self) -> Stage:
        return self._stage

    @property
    def graph(self) -> tf.Graph:
        return self._pipelines.graph

    @property
    def name(self) -> str:
        return self._name

    @property
    def _short_name(self) -> str:
        return self._name.split("/")[-1]

    @property
    def dtypes(self) -> List[tf.DType]:
        return self._dtypes

    @property
    def shapes(self) -> List[tf.TensorShape]:
        return self._shapes

    @property
    def names(self) -> Optional[List[str]]:
        return self._names

    @unconverted
    def dequeue(self, name: Optional[str] = None) -> Any:
        """Returns one element: a tensor, a list of its components, or a dict of these if they have names.

        Shapes and errors are those of TF1; the data end with ``tf.errors.OutOfRangeError``.
        """
        name = name or f"{self._short_name}_Dequeue"
        late = self._pipelines.backend.late_draw(self._stage, name) if self._is_running else None
        if late is not None:
            return self._structured(late)
        return self._dequeued(name, (), self._element())

    @unconverted
    def dequeue_many(self, n: Any, name: Optional[str] = None) -> Any:
        """Returns *n* elements, stacked; at the end of the data, fewer than *n* elements are dropped."""
        return self._dequeued_batch(n, name or f"{self._short_name}_DequeueMany", drop_remainder=True)

    @unconverted
    def dequeue_up_to(self, n: Any, name: Optional[str] = None) -> Any:
        """Returns *n* elements, stacked; fewer at the end of the data."""
        return self._dequeued_batch(n, name or f"{self._short_name}_DequeueUpTo", drop_remainder=False)

    def enqueue(self, vals: Any, name: Optional[str] = None) -> tf.Operation:
        return self._native("enqueue").enqueue(vals, name)

    def enqueue_many(self, vals: Any, name: Optional[str] = None) -> tf.Operation:
        return self._native("enqueue_many").enqueue_many(vals, name)

    def close(self, cancel_pending_enqueues: bool = False, name: Optional[str] = None) -> tf.Operation:
        if self._is_running:
            return self._pipelines.backend.close(self._stage, name or f"{self._short_name}_Close")
        return self._native("close").close(cancel_pending_enqueues, name)

    def is_closed(self, name: Optional[str] = None) -> tf.Tensor:
        if self._is_running:
            return self._stage.control.is_closed(name)
        return self._native("is_closed").is_closed(name)

    def size(self, name: Optional[str] = None) -> tf.Tensor:
        if self._is_running:
            return self._stage.control.size(name or f"{self._short_name}_Size")
        return self._native("size").size(name)

    @property
    def queue_ref(self) -> tf.Tensor:
        return self._native("queue_ref").queue_ref

    @property
    def _pipelines(self) -> Pipelines:
        return Pipelines.of(self._stage.control.graph)

    @property
    def _is_running(self) -> bool:
        """Whether the compiled pipeline has been started, so that it can no longer fall back to a native queue."""
        return self._made is None and self._stage.control.is_running

    def _element(self) -> Tuple[tf.TensorSpec, ...]:
        return tuple(tf.TensorSpec(shape, dtype) for shape, dtype in zip(self._shapes, self._dtypes))

    def _dequeued_batch(self, n: Any, name: str, drop_remainder: bool) -> Any:
        _require_number(n)
        size = tf.get_static_value(n) if tf.is_tensor(n) else n
        element = self._element()
        # TF1 cannot stack elements of unknown shapes: its own queue raises the error at run time.
        if size is None or int(size) < 1 or any(spec.shape.rank is None for spec in element):
            reference = self._native("dequeue_many" if drop_remainder else "dequeue_up_to")
            return (reference.dequeue_many if drop_remainder else reference.dequeue_up_to)(n, name)
        rows = int(size) if drop_remainder else None
        components = tuple(tf.TensorSpec([rows, *spec.shape], spec.dtype) for spec in element)
        is_padded = issubclass(self._kind, tf.compat.v1.PaddingFIFOQueue)
        step = ir.Batch(components, int(size), drop_remainder, is_padded)
        return self._dequeued(name, (step,), components)

    def _dequeued(self, name: str, steps: Sequence[ir.Step], components: Sequence[tf.TensorSpec]) -> Any:
        graph = self._stage.control.graph
        with graph.as_default(), tf.name_scope(name) as scope:
            pass
        stage = Stage(
            self._name_in_reports(scope.rstrip("/")),
            calling_line(),
            scope=scope,
            control=self._stage.control,
            upstream=[self._stage],
            steps=steps,
        )
        with graph.as_default():
            return self._structured(self._pipelines.backend.terminal(stage, components, self._fails))

    def _name_in_reports(self, name: str) -> str:
        """Returns the name of a dequeue in reports: *name*, TF1's name of its op, below the queue's name scope.

        TF1's default name lacks the scope, such as slim's 'prefetch_queue', by which users recognise the queue.
        """
        place = self._name.rpartition("/")[0]
        return f"{place}/{name}" if place and name.startswith(f"{self._short_name}_Dequeue") else name

    def _structured(self, tensors: Sequence[tf.Tensor]) -> Any:
        """Returns *tensors* in the structure in which TF1's queue returns its components."""
        if self._names:
            return dict(zip(self._names, tensors))
        return tensors[0] if len(tensors) == 1 else list(tensors)

    def _native(self, use: str) -> tf.compat.v1.QueueBase:
        """Returns the native queue, made at the first *use*, the name of a method that only this queue has."""
        if self._made is None:
            graph, stage = self._stage.control.graph, self._stage
            with graph.as_default(), stage.control.replaced(), self._pipelines.building_natively():
                made = self._made = self._make_native()

            def draw(name: Optional[str]) -> List[tf.Tensor]:
                # Through an identity, so that a function captures the handle rather than copies the queue.
                handle = tf.identity(made.queue_ref)
                return tf.raw_ops.QueueDequeueV2(handle=handle, component_types=self._dtypes, name=name)

            call = call_on_behalf(self) or f"queue.{use}" + ("()" if callable(getattr(type(self), use)) else "")
            problem = CannotCompileError("QC206", kind="queue", call=call, place=calling_line())
            reason = problem.reason(stage.name, stage.made_at)
            stage.fall_back_to(ExternalStream(draw, [made.queue_ref]))
            record_native(graph, stage.name, stage.made_at, reason, stage.options)
            Pipelines.of(graph).backend.changed()
        return self._made
