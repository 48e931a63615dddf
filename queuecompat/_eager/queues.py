"""``QueueBase.from_list`` for eager mode.

An eager queue is destroyed with its Python object. TensorFlow's ``from_list`` makes a second object for the queue that
it picks, so as soon as one of the two objects is freed, the other one's queue is gone. But in eager mode the index is a
number, so the original queue can be taken from the list and returned.

Rule: Every instance of TensorFlow's ``QueueBase`` is an instance of ours, and no other class changes.
"""

from __future__ import annotations

from typing import Any, List

import tensorflow as tf

__all__ = ["QueueBase"]


class _EveryQueue(type):
    """Makes the queues of TensorFlow's own classes instances of ``QueueBase``."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return issubclass(type(instance), cls)

    def __subclasscheck__(cls, subclass: type) -> bool:
        # Subclasses that users define have only their own instances.
        return type.__subclasscheck__(tf.compat.v1.QueueBase if cls is QueueBase else cls, subclass)


class QueueBase(tf.compat.v1.QueueBase, metaclass=_EveryQueue):
    """The base class of all queues, TensorFlow's included, with ``from_list``, which picks one of several queues.

    Differs from TF1: ``from_list`` in eager mode. (TensorFlow's own is still there as ``FIFOQueue.from_list``: it
    returns a copy whose end destroys the queue.)
    Source: TF 1.15.5 ``python/ops/data_flow_ops.py``.
    """

    @staticmethod
    def from_list(index: Any, queues: List[tf.compat.v1.QueueBase]) -> tf.compat.v1.QueueBase:
        """The queue at *index*.

        Args:
          index: scalar int32 or int64; in a graph it is evaluated at each run.
          queues: a list of queues of the same dtypes and names.
        Returns:
          In a graph, a queue with the shapes that all have in common; in eager mode, the queue itself.
        Raises:
          TypeError: not a list of queues, or empty, or their dtypes or names differ.
          tf.errors.InvalidArgumentError: *index* is outside of the list; at run time in a graph.
        Differs from TF1: in eager mode it is not a new object.
        """
        if not tf.executing_eagerly():
            return tf.compat.v1.QueueBase.from_list(index, queues)
        with tf.Graph().as_default():
            # On stand-ins, only to raise TF1's errors.
            tf.compat.v1.QueueBase.from_list(0, [_stand_in(q) for q in queues] if isinstance(queues, list) else queues)
        return queues[int(tf.gather(tf.range(len(queues)), index))]


def _stand_in(queue: Any) -> Any:
    if not isinstance(queue, tf.compat.v1.QueueBase):
        return queue
    return tf.compat.v1.FIFOQueue(1, queue.dtypes, names=queue.names)
