"""File names that several workers of a cluster read from one list, each name once.

The list and the position in it are variables, on the parameter server if there is one, and each worker's queue reads
the next name from there. A tf.data iterator cannot be shared in this way.
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
    """A queue of capacity 1 that is filled with *names*; its runner is added to the graph's collection.

    Args:
      num_epochs: how often each name is returned, over all workers together; None: forever.
      shuffle: whether to reshuffle every epoch; if *num_epochs* is None, the first order is repeated.
      seed: the random seed of the orders.
    """
    queue = tf.compat.v1.FIFOQueue(1, [tf.string], [[]])
    # Both variables have TF1's names, so that checkpoints match.
    with tf.compat.v1.variable_scope("obtain_next"):
        listed = _in_order(names, num_epochs, shuffle, seed)
        cursor = _variable("obtain_next_counter", tf.constant(0, tf.int64))
        stored = _variable("obtain_next_expanded_list", tf.constant(listed))
        # count_up_to reads and increments atomically.
        place = tf.compat.v1.count_up_to(cursor, tf.int64.max if num_epochs is None else len(listed))
        enqueue = queue.enqueue([tf.gather(stored, place % len(listed))])
    native("add_queue_runner", tf.compat.v1.train.QueueRunner(queue, [enqueue]))
    return queue


def _variable(name: str, initial: tf.Tensor) -> tf.Variable:
    return tf.compat.v1.get_variable(name, initializer=initial, trainable=False)


def _in_order(names: List[str], num_epochs: Optional[int], shuffle: bool, seed: Optional[int]) -> List[str]:
    """The names of all epochs, or of the one that is repeated, in the orders of TF 1.15.5."""
    draws = random.Random(seed) if seed else random.Random()
    epoch, listed = list(names), []
    for _ in range(num_epochs or 1):
        if shuffle:
            draws.shuffle(epoch)
        listed += epoch
    return listed
