"""Draws from queues, readers and iterators that the program itself made, as sources of compiled plans.

The program's op stays in the graph unchanged. A compiled pipeline that depends on it makes the same draw from the same
resource, so that everything else that draws from the resource receives different elements.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Sequence

import tensorflow as tf

from queuecompat._plan import ir
from queuecompat._plan.stages import Stage
from queuecompat.errors import calling_line

__all__ = ["ExternalSource", "ExternalStream", "element_source", "external_source"]


class ExternalStream:
    """A queue, a reader or an iterator that TensorFlow runs itself (a ``resources.Stream``).

    Args:
      draw: takes a name, makes an op of that name that draws one element, and returns its tensors.
      queues: the handles of the queues that a draw may wait for.
    """

    def __init__(self, draw: Callable[[Optional[str]], Sequence[tf.Tensor]], queues: Sequence[tf.Tensor] = ()) -> None:
        self._draw = draw
        self.queues = tuple(queues)

    @property
    def handles(self) -> Sequence[tf.Tensor]:
        return ()

    @property
    def waits_inline(self) -> bool:
        return False

    def with_handles(self, handles: Sequence[tf.Tensor]) -> ExternalStream:
        return self

    def draw(self, name: Optional[str] = None, *, inline: bool = False) -> List[tf.Tensor]:
        assert not inline
        return list(self._draw(name))


def external_source(op: tf.Operation) -> Optional[Stage]:
    """Returns a stage that draws as *op* does; None: *op* draws nothing, or cannot be repeated in a function."""
    draw = _DRAWS.get(op.type)
    if draw is None or any(given.dtype == tf.resource and given.op.inputs for given in op.inputs):
        return None
    arguments = [given if given.dtype == tf.resource else tf.get_static_value(given) for given in op.inputs]
    if any(argument is None for argument in arguments):
        return None
    stage = ExternalSource(op)
    handles = [argument for argument in arguments if tf.is_tensor(argument)]
    numbers = [argument for argument in arguments if not tf.is_tensor(argument)]

    def draw_again(name: Optional[str]) -> List[tf.Tensor]:
        # Through an identity, so that the function captures the handle rather than copies the op that makes it.
        tensors = draw(op, [tf.identity(handle) for handle in handles], numbers, name)
        return list(tensors) if isinstance(tensors, (list, tuple)) else [tensors]

    stage.external = ExternalStream(draw_again, [handle for handle in handles if handle.op.type in _QUEUES])
    return stage


_QUEUES = ("FIFOQueueV2", "PaddingFIFOQueueV2", "PriorityQueueV2", "RandomShuffleQueueV2")


class ExternalSource(Stage):
    """A stage whose elements TensorFlow makes with *op*; this package does not start it.

    Args:
      specs: the specs of the elements that *op* takes from its queue; None: it outputs these elements.
    """

    def __init__(self, op: tf.Operation, specs: Optional[Sequence[tf.TensorSpec]] = None) -> None:
        super().__init__(op.name, calling_line(), scope=op.name)
        self.op = op
        self.is_op = specs is None
        given = [tf.TensorSpec(tensor.shape, tensor.dtype) for tensor in op.outputs] if specs is None else specs
        self._specs = tuple(given)

    @property
    def components(self) -> ir.Components:
        return self._specs


def element_source(queue: tf.Tensor, op: tf.Operation) -> Optional[Stage]:
    """Returns a stage that dequeues single elements from *queue*, a handle, in place of *op*, which uses them itself.

    Returns None if the queue cannot be accessed from a function.
    """
    if queue.dtype != tf.resource or queue.op.type not in _QUEUES:
        return None
    types, shapes = queue.op.get_attr("component_types"), queue.op.get_attr("shapes")
    specs = [tf.TensorSpec(shape, dtype) for shape, dtype in zip(shapes or [None] * len(types), types)]
    stage = ExternalSource(op, specs)

    def draw(name: Optional[str]) -> List[tf.Tensor]:
        return tf.raw_ops.QueueDequeueV2(handle=tf.identity(queue), component_types=types, name=name)

    stage.external = ExternalStream(draw, [queue])
    return stage


def _dequeue(op: tf.Operation, handles: List[Any], numbers: List[Any], name: Optional[str]) -> Any:
    return tf.raw_ops.QueueDequeueV2(handle=handles[0], component_types=op.get_attr("component_types"), name=name)


def _dequeue_many(op: tf.Operation, handles: List[Any], numbers: List[Any], name: Optional[str]) -> Any:
    types = op.get_attr("component_types")
    return tf.raw_ops.QueueDequeueManyV2(handle=handles[0], n=int(numbers[0]), component_types=types, name=name)


def _dequeue_up_to(op: tf.Operation, handles: List[Any], numbers: List[Any], name: Optional[str]) -> Any:
    types = op.get_attr("component_types")
    return tf.raw_ops.QueueDequeueUpToV2(handle=handles[0], n=int(numbers[0]), component_types=types, name=name)


def _read(op: tf.Operation, handles: List[Any], numbers: List[Any], name: Optional[str]) -> Any:
    return tf.raw_ops.ReaderReadV2(reader_handle=handles[0], queue_handle=handles[1], name=name)


def _read_up_to(op: tf.Operation, handles: List[Any], numbers: List[Any], name: Optional[str]) -> Any:
    return tf.raw_ops.ReaderReadUpToV2(
        reader_handle=handles[0], queue_handle=handles[1], num_records=int(numbers[0]), name=name
    )


def _get_next(op: tf.Operation, handles: List[Any], numbers: List[Any], name: Optional[str]) -> Any:
    return tf.raw_ops.IteratorGetNext(
        iterator=handles[0],
        output_types=op.get_attr("output_types"),
        output_shapes=op.get_attr("output_shapes"),
        name=name,
    )


_DRAWS: Dict[str, Callable[..., Any]] = {
    "IteratorGetNext": _get_next,
    "QueueDequeueManyV2": _dequeue_many,
    "QueueDequeueUpToV2": _dequeue_up_to,
    "QueueDequeueV2": _dequeue,
    "ReaderReadUpToV2": _read_up_to,
    "ReaderReadV2": _read,
}
