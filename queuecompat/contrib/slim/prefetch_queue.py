"""``slim.prefetch_queue``: elements, usually whole batches, produced ahead of the consumer."""

from __future__ import annotations

import functools
from typing import Any, Optional

import tensorflow as tf

from queuecompat._capture.filled_queues import filled_queue
from queuecompat._session.entry import require_graph

__all__ = ["prefetch_queue"]


def prefetch_queue(
    tensors: Any,
    capacity: int = 8,
    num_threads: int = 1,
    dynamic_pad: bool = False,
    shared_name: Optional[str] = None,
    name: Optional[str] = None,
) -> tf.compat.v1.QueueBase:
    """A queue that is kept filled with the values of *tensors*.

    Each call of its ``dequeue()`` creates a consumer, and every element goes to exactly one of them, so each copy
    of a model gets different batches::

        images, labels = tf.train.batch([image, label], 32)
        queue = slim.prefetch_queue.prefetch_queue([images, labels])
        losses = [loss(*queue.dequeue()) for _ in range(num_clones)]

    Args:
      tensors: list or dict of tensors, ``[*component]``; one run of all of them is an element.
      capacity: maximum number of elements held (of batches, if *tensors* are batches).
      num_threads: with 1 the order is that of the source; with more it is not determined.
      dynamic_pad: components may have unknown dimensions; ``dequeue_many`` then pads with 0, "" or False.
      shared_name: if given, the queue is TensorFlow's own, which the compiled pipeline fills.
      name: for the queue and the summary of how full it is.
    Returns:
      A queue; ``dequeue()`` returns a list of tensors, a single one for a list of one, or a dict for a dict.
    Raises:
      RuntimeError: QC101, QC102, QC302.
      ValueError: no tensors, or ``num_threads < 1``; a shape that is not fully defined, or without
        a rank if *dynamic_pad*.
      ZeroDivisionError: ``capacity == 0``.
      AttributeError, TypeError: what is given is not a list or dict of tensors.
      tf.errors.OutOfRangeError: at run time, after the last element.
    Differs from TF1: A run-time error (a missing file, a corrupt record, a failing op) is raised by the
      ``session.run`` that needs the element; TF1 stopped a thread and closed the queue. Running a pipeline that was
      not started is an error (QC301); TF1 waited forever.
    Source: TF 1.15.5 ``contrib/slim/python/slim/data/prefetch_queue.py``.
    """
    require_graph("prefetch_queue")
    names = sorted(tensors) if isinstance(tensors, dict) else None
    flat = [tensors[key] for key in names] if names is not None else tensors
    with tf.compat.v1.name_scope(name, "prefetch_queue", flat) as scope:
        make = functools.partial(
            tf.compat.v1.PaddingFIFOQueue if dynamic_pad else tf.compat.v1.FIFOQueue,
            capacity=capacity,
            dtypes=[tensor.dtype for tensor in flat],
            shapes=[tensor.get_shape() for tensor in flat],
            names=names,
            shared_name=shared_name,
        )
        return filled_queue(
            make,
            [tensors],
            scope=scope,
            name="padding_fifo_queue" if dynamic_pad else "fifo_queue",
            capacity=capacity,
            num_threads=num_threads,
            shared_name=shared_name,
        )
