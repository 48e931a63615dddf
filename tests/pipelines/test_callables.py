"""Steps that ``make_callable`` has prepared end and fail as those of ``run``: threads and coordinators learn of it.

TensorFlow's own queue runners take their steps so.
"""

from __future__ import annotations

import threading
from typing import Any, Callable, List

import numpy as np
import pytest

import queuecompat.v1 as tf


def rows(count: int) -> tf.Tensor:
    return tf.train.slice_input_producer([np.arange(count)], num_epochs=1, shuffle=False)[0]


def counted(count: int) -> tf.Tensor:
    return tf.train.limit_epochs(tf.constant(3), count)


@pytest.mark.parametrize("source", [rows, counted])
def test_the_threads_of_pipelines_end_with_the_data_that_a_queue_of_the_programs_is_filled_with(
    source: Callable[[int], tf.Tensor],
) -> None:
    batch = tf.train.batch([source(2000)], 4)
    queue = tf.PaddingFIFOQueue(8, [batch.dtype], [[4]])
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(batch)]))
    element = queue.dequeue()
    with tf.Session() as sess:
        sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        threads: List[threading.Thread] = tf.train.start_queue_runners(sess)
        for _ in range(500):
            sess.run(element)
        with pytest.raises(tf.errors.OutOfRangeError):
            sess.run(element)
        for thread in threads:
            thread.join(20)
        assert not any(thread.is_alive() for thread in threads)


def test_the_end_has_the_words_of_a_step() -> None:
    batch = tf.train.batch([rows(4)], 2)
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        threads = tf.train.start_queue_runners(sess)
        step = sess.make_callable(batch)
        assert [step().tolist() for _ in range(2)] == [[0, 1], [2, 3]]
        with pytest.raises(tf.errors.OutOfRangeError, match="is closed and has insufficient elements"):
            step()
        for thread in threads:
            thread.join(20)
        assert not any(thread.is_alive() for thread in threads)


def test_a_coordinator_learns_of_what_fails() -> None:
    def failing(value: Any) -> Any:
        raise ValueError("five is unknown")

    row = tf.py_func(failing, [rows(4)], tf.int64)
    row.set_shape([])
    batch = tf.train.batch([row], 2)
    coord = tf.train.Coordinator()
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        threads = tf.train.start_queue_runners(sess, coord)
        step = sess.make_callable(batch)
        with pytest.raises(tf.errors.OpError, match=r"(?s)five is unknown.*test_callables.py"):
            step()
        assert coord.should_stop()
        with pytest.raises(tf.errors.OpError, match="five is unknown"):
            coord.join(threads)


def test_values_that_are_fed_and_traces_go_through() -> None:
    fed = tf.placeholder(tf.int64, [])
    total = tf.reduce_sum(tf.train.batch([rows(4)], 2)) + fed
    metadata = tf.RunMetadata()
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess, coord)
        step = sess.make_callable(total, [fed], accept_options=True)
        options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
        assert step(10, options=options, run_metadata=metadata) == 11
        assert metadata.step_stats.dev_stats
        coord.request_stop()
        coord.join(threads)
