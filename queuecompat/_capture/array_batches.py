"""Batches of the rows of arrays: the mechanism of the estimators' input functions (``numpy_input_fn``).

TF1 fed slices of the arrays to a queue from Python threads. Here a producer of row numbers and a batcher
replace these; both are compiled, and the rows are looked up for whole batches.

Rule 1: arrays are fed at the start, whatever their size; none is copied into the graph.
Rule 2: the batch and its summary have the names of TF1's queue, which was in the name scope ``enqueue_input``.
"""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence

import numpy as np
import tensorflow as tf

from queuecompat._capture import batching, producers
from queuecompat._capture.lazy_queue import LazyQueue
from queuecompat._capture.tables import Table
from queuecompat._plan.backend import QueueControl

__all__ = ["batches", "rows_of"]


def rows_of(arrays: Sequence[np.ndarray], *, num_epochs: Optional[int], shuffle: bool, scope: str) -> List[tf.Tensor]:
    """Returns a row number, int64, and the row of that number of each array.

    Args:
      arrays: each of shape ``[rows, *element]``, with the same number of rows.
      num_epochs: how often each row is output; None: forever; 0 or less: never.
      shuffle: whether each epoch is in a new, uniformly random order.
      scope: the name scope of the ops.
    """
    count = len(arrays[0]) if num_epochs is None or num_epochs > 0 else 0
    with tf.name_scope(scope):
        tables = [Table(array, is_fed=True) for array in arrays]
        queue = producers.input_producer(
            tf.range(tf.constant(count, tf.int64)),
            element_shape=[],
            num_epochs=num_epochs if count else 1,
            shuffle=shuffle,
            seed=None,
            capacity=1,  # TF1 had no queue before that of the batcher
            shared_name=None,
            name=None,
        )
        for table in tables:
            table.settle(queue.stage.control if isinstance(queue, LazyQueue) else None)
        number = queue.dequeue()
        return [number, *(table.row(number) for table in tables)]


def batches(
    tensors: Sequence[tf.Tensor],
    batch_size: int,
    *,
    capacity: int,
    min_after_dequeue: Optional[int],
    num_threads: int,
    is_endless: bool,
    scope: str,
    enqueue_many: bool = False,
    dynamic_pad: bool = False,
) -> List[tf.Tensor]:
    """Returns batches of *tensors*, with the names of tensors dequeued from TF1's queue.

    Args:
      min_after_dequeue: of a shuffling queue; None: the queue is first in, first out.
      is_endless: whether the data never end, so that all batches have the same size.
      scope: the name scope of TF1's queue.
    Raises:
      ValueError: ``num_threads < 1``.
    """
    if num_threads < 1:
        raise ValueError(f"an input function needs a thread that fills its queue, but num_threads is {num_threads}")
    kind = "fifo_queue" if min_after_dequeue is None else "random_shuffle_queue"
    if dynamic_pad:
        kind = "padding_fifo_queue"

    def summarise(control: QueueControl) -> None:
        least = min_after_dequeue or 0
        with tf.name_scope(scope):
            # TF1 forgot a slash here; the tag stays as it was, since TensorBoard compares runs by tag.
            control.summarise(f"queue/{scope}{kind}fraction_over_{least}_of_{capacity - least}_full")

    # One list, although TF1 ran the same source in each thread and so output every row once for each thread.
    arguments: Dict[str, Any] = dict(
        batch_size=batch_size,
        capacity=capacity,
        enqueue_many=enqueue_many,
        shapes=None,
        allow_smaller_final_batch=not is_endless,
        shared_name=None,
        name=f"{kind}_{'DequeueMany' if is_endless else 'DequeueUpTo'}",
        summarise=summarise,
    )
    if min_after_dequeue is None:
        taken = batching.batch("batch_join", [tensors], dynamic_pad=dynamic_pad, **arguments)
    else:
        taken = batching.batch(
            "shuffle_batch_join", [tensors], min_after_dequeue=min_after_dequeue, seed=None, **arguments
        )
    return taken if isinstance(taken, list) else [taken]
