"""Batches of the rows of arrays: the mechanism of the input functions of estimators.

TF1 fed slices of the arrays to a queue from Python threads. Here a producer of row numbers and a batcher
are all that there is; both are compiled, and the rows are looked up a batch at a time.

Rule 1: arrays are fed at the start, whatever their size; none of them enters the graph.
Rule 2: the names of the batch and of its curve are those of TF1's queue, which stood in ``enqueue_input``.
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
    """A row number, int64, and that row of each array.

    Args:
      arrays: each ``[rows, *element]``, of one length.
      num_epochs: how often each row comes; None: forever; 0 or less: never.
      shuffle: each epoch in a new order, every order as likely as another.
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
            capacity=1,  # of the queue before the batcher's, which TF1 did not have
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
    """Batches of *tensors*, named as those that were taken from TF1's queue.

    Args:
      min_after_dequeue: of a queue that mixes; None: first in, first out.
      is_endless: nothing ends the data, so that no batch is smaller than the others.
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
            # TF1 forgot a slash here; TensorBoard's runs go by the tag as it was.
            control.summarise(f"queue/{scope}{kind}fraction_over_{least}_of_{capacity - least}_full")

    # One list: TF1 ran the same source in each of its threads, and gave every row as often.
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
