"""``FeedingQueueRunner``: threads that fill a queue with values from Python functions."""

from __future__ import annotations

from typing import Any, Callable, Dict, Optional, Sequence, Tuple, Type

import tensorflow as tf

from queuecompat._native.feeding_runners import FeedingRunner
from queuecompat._session.entry import require_graph

__all__ = ["FeedingQueueRunner"]


class FeedingQueueRunner(FeedingRunner):
    """Threads that keep a queue filled: each runs one op repeatedly, with a feed dict that a function returns.

    Args:
      queue: the queue; its name is in the threads' names.
      enqueue_ops: a list of ops, one thread each; an op may be listed several times.
      close_op: run when the last thread has reached the end of its data; default ``queue.close()``.
      cancel_op: run when the coordinator stops; default ``queue.close(cancel_pending_enqueues=True)``.
      feed_fns: for each op a function without arguments that returns a feed dict, or None; None: nothing is
        fed. A function ends its thread by raising ``tf.errors.OutOfRangeError``.
      queue_closed_exception_types: tuple of the error types that mean the end of the data; default
        ``(tf.errors.OutOfRangeError, tf.errors.CancelledError)``.
    Raises:
      ValueError: no *queue* or no *enqueue_ops*; a different number of *feed_fns*.
      TypeError: *queue_closed_exception_types* is not a tuple of ``tf.errors`` types.
      NotImplementedError: by ``to_proto``.
      RuntimeError: QC101, QC102.
    Differs from TF1: *queue_closed_exception_types* is respected; TF1 ignored it.
    Source: TF 1.15.5 ``tensorflow_estimator/python/estimator/inputs/queues/feeding_queue_runner.py``.
    """

    def __init__(
        self,
        queue: Any = None,
        enqueue_ops: Optional[Sequence[Any]] = None,
        close_op: Any = None,
        cancel_op: Any = None,
        feed_fns: Optional[Sequence[Optional[Callable[[], Dict[Any, Any]]]]] = None,
        queue_closed_exception_types: Optional[Tuple[Type[tf.errors.OpError], ...]] = None,
    ) -> None:
        require_graph("FeedingQueueRunner")
        super().__init__(queue, enqueue_ops, close_op, cancel_op, feed_fns, queue_closed_exception_types)
