"""Queues that Python threads fill through ``feed_dict``, and that stand between pipelines."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf

from queuecompat import queues, train
from tests.queues.modes import Background, Mode, in_a_graph, wait_until

pytestmark = in_a_graph  # there is no feed_dict in eager mode


def test_threads_feed_a_queue_that_a_batch_is_taken_from(mode: Mode) -> None:
    image, label = tf.compat.v1.placeholder(tf.float32, [2, 2]), tf.compat.v1.placeholder(tf.int32, [])
    queue = queues.RandomShuffleQueue(8, 2, [tf.float32, tf.int32], [[2, 2], []])
    enqueue, close, pair = queue.enqueue([image, label]), queue.close(), queue.dequeue_many(5)

    with tf.compat.v1.Session() as session:

        def feed(first: int) -> None:
            for number in range(first, first + 20):
                session.run(enqueue, {image: np.full((2, 2), number), label: number})

        with Background(lambda: feed(0)) as one, Background(lambda: feed(20)) as other:
            taken = []
            for _ in range(7):
                images, labels = session.run(pair)
                assert np.array_equal(images[:, 0, 0], labels)
                taken += labels.tolist()
            assert one.result() is None
            assert other.result() is None
        session.run(close)
        taken += session.run(pair)[1].tolist()
    assert sorted(taken) == list(range(40))


def test_a_stop_frees_a_thread_that_feeds_a_full_queue(mode: Mode) -> None:
    number = tf.compat.v1.placeholder(tf.int32, [])
    queue = queues.FIFOQueue(1, [tf.int32], [[]])
    enqueue, cancel, size = queue.enqueue(number), queue.close(cancel_pending_enqueues=True), queue.size()
    coord = train.Coordinator()
    with tf.compat.v1.Session() as session:

        def feed() -> None:
            with coord.stop_on_exception():
                for value in range(100):
                    session.run(enqueue, {number: value})

        with Background(feed) as feeder:
            coord.register_thread(feeder.thread)
            wait_until(lambda: session.run(size) == 1)
            coord.request_stop()
            session.run(cancel)
            coord.join(stop_grace_period_secs=20)
            assert not feeder.thread.is_alive()


def test_a_queue_is_filled_from_a_compiled_pipeline_and_read_by_another() -> None:
    number = train.range_input_producer(20, num_epochs=1, shuffle=False).dequeue()
    queue = queues.FIFOQueue(4, [tf.int32], [[]])
    train.add_queue_runner(train.QueueRunner(queue, [queue.enqueue(number * 10)]))
    batch = train.batch([queue.dequeue()], 5)
    coord = train.Coordinator()
    with tf.compat.v1.Session() as session:
        session.run(tf.compat.v1.local_variables_initializer())
        threads = train.start_queue_runners(session, coord)
        given = []
        with pytest.raises(tf.errors.OutOfRangeError):
            while True:
                given += session.run(batch).tolist()
        coord.request_stop()
        coord.join(threads, stop_grace_period_secs=20)
    assert given == [10 * n for n in range(20)]
