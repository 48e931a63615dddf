"""File names that several workers of a cluster take from one list, each name once.

The list and the place in it are variables, so that they stand on the parameter server where there is
one; each worker's queue takes the next name from there. No iterator of tf.data could be shared so.
"""

from __future__ import annotations

import random
from typing import List, Optional

import tensorflow as tf

from queuecompat._native.reference import native

__all__ = ["shared_file_names"]


def shared_file_names(
    names: List[str], *, num_epochs: Optional[int], shuffle: bool, seed: Optional[int]
) -> tf.compat.v1.QueueBase:
    """A queue, of one element, of *names*; its runner is added to the graph's.

    Args:
      num_epochs: how often each name is given, to all workers together; None: for ever.
      shuffle: each of *num_epochs* in a new order; without a limit the first order is kept.
      seed: of these orders.
    """
    queue = tf.compat.v1.FIFOQueue(1, [tf.string], [[]])
    # Both are checkpointed under TF1's names.
    with tf.compat.v1.variable_scope("obtain_next"):
        listed = _in_order(names, num_epochs, shuffle, seed)
        cursor = _variable("obtain_next_counter", tf.constant(0, tf.int64))
        stored = _variable("obtain_next_expanded_list", tf.constant(listed))
        # count_up_to reads and adds one in a single step, whoever else does so meanwhile.
        place = tf.compat.v1.count_up_to(cursor, tf.int64.max if num_epochs is None else len(listed))
        enqueue = queue.enqueue([tf.gather(stored, place % len(listed))])
    native("add_queue_runner", tf.compat.v1.train.QueueRunner(queue, [enqueue]))
    return queue


def _variable(name: str, initial: tf.Tensor) -> tf.Variable:
    return tf.compat.v1.get_variable(name, initializer=initial, trainable=False)


def _in_order(names: List[str], num_epochs: Optional[int], shuffle: bool, seed: Optional[int]) -> List[str]:
    """The names of all epochs, or of the one that is repeated. Orders are those of TF 1.15.5."""
    draws = random.Random(seed) if seed else random.Random()
    epoch, listed = list(names), []
    for _ in range(num_epochs or 1):
        if shuffle:
            draws.shuffle(epoch)
        listed += epoch
    return listed
