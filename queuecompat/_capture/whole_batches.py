"""A queue whose elements are whole batches of tensors or SparseTensors of any shapes and types.

An element passes through the queue as one optional: a scalar variant that refers to its tensors, so that
nothing is copied and no shape need be known. For the compiler, it is a batch of size 1.
"""

from __future__ import annotations

from typing import Any, List, Sequence

import tensorflow as tf

from queuecompat._capture import batching
from queuecompat._plan.backend import QueueControl
from queuecompat._plan.registry import Pipelines

__all__ = ["queued"]


def queued(values: Sequence[Any], *, capacity: int, num_threads: int, scope: str, name: str, tag: str) -> List[Any]:
    """Returns *values* after a queue, through which they are computed ahead of their consumer.

    Args:
      values: tensors and SparseTensors, which together are one element.
      capacity: the maximum number of elements in the queue.
      num_threads: how many threads fill the queue; with 1 the elements keep their order.
      scope: the name scope of all ops.
      name: the name of the op that outputs the tensors.
      tag: the tag of the summary of how full the queue is, below *scope*.
    Returns:
      Tensors and SparseTensors with the static shapes of *values*.
    """

    def summarise(control: QueueControl) -> None:
        with tf.name_scope(scope):
            control.summarise(tag)

    parts = [part for value in values for part in _parts(value)]
    with tf.name_scope(scope):
        taken = batching.batch(
            "batch",
            [tf.raw_ops.OptionalFromValue(components=parts)],
            batch_size=1,
            num_threads=num_threads,
            capacity=capacity,
            enqueue_many=False,
            shapes=None,
            dynamic_pad=False,
            allow_smaller_final_batch=False,
            shared_name=None,
            name=f"{name}_whole",
            summarise=summarise,
        )
        # A variant cannot be sent to a different task.
        with Pipelines.of(taken.graph).backend.beside(taken):
            given = tf.raw_ops.OptionalGetValue(
                optional=tf.reshape(taken, []),
                output_types=[part.dtype for part in parts],
                output_shapes=[part.shape for part in parts],
                name=name,
            )
    rest = iter(given)
    return [
        tf.SparseTensor(next(rest), next(rest), next(rest)) if isinstance(value, tf.SparseTensor) else next(rest)
        for value in values
    ]


def _parts(value: Any) -> List[tf.Tensor]:
    return [value.indices, value.values, value.dense_shape] if isinstance(value, tf.SparseTensor) else [value]
