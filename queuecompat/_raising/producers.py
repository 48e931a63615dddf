"""Recognises the ops that TensorFlow 1's ``input_producer`` built: rows, shuffled and counted, that fill a queue.

    rows -> RandomShuffle -> Identity, after CountUpTo of a variable that begins at 0 -> QueueEnqueueMany

The shuffle and the count are optional. ``string_input_producer``, ``range_input_producer`` and ``slice_input_producer``
only differ in the rows.
"""

from __future__ import annotations

from typing import NamedTuple, Optional, Tuple

import tensorflow as tf

from queuecompat._analysis.counts import COUNT_UP_TO, begins_at_0
from queuecompat._analysis.slicing import cut
from queuecompat._capture.shapes import checked
from queuecompat._plan import ir
from queuecompat._plan.registry import Pipelines

__all__ = ["producer"]


def producer(enqueue: tf.Operation, element: tf.TensorSpec, capacity: int, pipelines: Pipelines) -> Optional[ir.Step]:
    """Returns the source whose rows *enqueue* enqueues; None: an ``input_producer`` did not build it.

    Args:
      enqueue: the only op that fills the queue; it enqueues one component.
      element: the spec of a row.
      capacity: the capacity of the queue, in elements.
    Raises:
      CannotCompileError: the ops that compute the rows cannot be compiled.
    """
    if enqueue.type != "QueueEnqueueManyV2" or len(enqueue.inputs) != 2 or enqueue.control_inputs:
        return None
    counted = _counted(enqueue.inputs[1])
    shuffled = _shuffled(counted.rows)
    rows = checked(shuffled.rows, tf.TensorShape([None]).concatenate(element.shape))
    body = cut([rows], pipelines)
    if body.sources:
        return None
    count = rows.shape.as_list()[0] if rows.shape.rank else None
    return ir.Produce((element,), body, counted.limit, shuffled.seeds, capacity, enqueue.inputs[0].op.name, count)


class _Counted(NamedTuple):
    """*rows* that are repeated *limit* times; None: forever."""

    rows: tf.Tensor
    limit: Optional[int]


class _Shuffled(NamedTuple):
    """*rows* that are shuffled in every epoch; *seeds* None: they are not."""

    rows: tf.Tensor
    seeds: Optional[Tuple[Optional[int], Optional[int]]]


def _counted(tensor: tf.Tensor) -> _Counted:
    """Returns the input and the limit of the ``limit_epochs`` that made *tensor*; without one, *tensor* itself."""
    op = tensor.op
    waits = list(op.control_inputs)
    if op.type != "Identity" or len(waits) != 1 or waits[0].type not in COUNT_UP_TO or not begins_at_0(waits[0]):
        return _Counted(tensor, None)
    return _Counted(op.inputs[0], int(waits[0].get_attr("limit")))


def _shuffled(tensor: tf.Tensor) -> _Shuffled:
    op = tensor.op
    if op.type != "RandomShuffle" or op.control_inputs:
        return _Shuffled(tensor, None)
    seeds = (op.get_attr("seed"), op.get_attr("seed2"))
    return _Shuffled(op.inputs[0], seeds if any(seeds) else (None, None))
