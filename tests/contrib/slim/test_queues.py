"""``slim.queues.QueueRunners``: a block that starts and stops, and leaves nothing locked."""

from __future__ import annotations

import pytest

import queuecompat.v1 as tf

QueueRunners = tf.contrib.slim.queues.QueueRunners


def test_native_threads_end_with_the_block() -> None:
    queue = tf.FIFOQueue(3, tf.int32, [[]])
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(1)] * 2))
    taken = queue.dequeue()
    with tf.Session() as sess, QueueRunners(sess):
        assert [sess.run(taken) for _ in range(5)] == [1] * 5


def test_after_an_error_of_a_runner_a_new_block_can_be_opened() -> None:
    """In TF1 every later block was refused as nested."""
    queue = tf.FIFOQueue(3, tf.int32, [[]])
    broken = queue.enqueue(tf.gather([1, 2], tf.identity(5)))
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [broken]))
    taken = queue.dequeue()
    for _ in range(2):
        with tf.Session() as sess, pytest.raises(tf.errors.InvalidArgumentError), QueueRunners(sess):
            sess.run(taken)


def test_after_a_runner_that_cannot_start_a_new_block_can_be_opened() -> None:
    class Broken(tf.train.QueueRunner):
        def create_threads(self, *_: object, **__: object) -> list:
            raise KeyError("mine")

    queue = tf.FIFOQueue(3, tf.int32, [[]])
    tf.get_collection_ref(tf.GraphKeys.QUEUE_RUNNERS).append(Broken(queue, [queue.enqueue(1)]))
    for _ in range(2):
        with tf.Session() as sess, pytest.raises(KeyError, match="mine"), QueueRunners(sess):
            pass
