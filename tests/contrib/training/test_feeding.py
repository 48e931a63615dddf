"""``FeedingQueueRunner``: started once a session, freed by the coordinator, and heard by compiled batchers."""

from __future__ import annotations

import itertools
from typing import Any, Callable, Dict

import pytest

import queuecompat.v1 as tf
from queuecompat.contrib.training import FeedingQueueRunner
from tests.pipelines.running import drain


def counting(placeholder: Any, numbers: Any) -> Callable[[], Dict[Any, Any]]:
    numbers = iter(numbers)

    def feed() -> Dict[Any, Any]:
        for number in numbers:
            return {placeholder: number}
        raise tf.errors.OutOfRangeError(None, None, "that was all")

    return feed


def runner_of(numbers: Any, capacity: int = 3) -> FeedingQueueRunner:
    queue = tf.FIFOQueue(capacity, [tf.int32], [[]])
    fed = tf.placeholder(tf.int32, [])
    return FeedingQueueRunner(queue, [queue.enqueue([fed])], feed_fns=[counting(fed, numbers)])


def test_what_is_fed_can_be_batched() -> None:
    runner = runner_of(range(7))
    tf.train.add_queue_runner(runner)
    batch = tf.train.batch([runner.queue.dequeue()], 3, allow_smaller_final_batch=True)
    assert [one.tolist() for one in drain(batch)] == [[0, 1, 2], [3, 4, 5], [6]]


def test_a_second_start_in_one_session_does_nothing_while_the_first_runs() -> None:
    runner = runner_of(itertools.count())
    coord = tf.train.Coordinator()
    with tf.Session() as sess, tf.Session() as other:
        threads = runner.create_threads(sess, coord, start=True)
        assert len(threads) == 2
        assert runner.create_threads(sess, coord) == []
        threads += runner.create_threads(other, coord, start=True)
        assert len(threads) == 4
        coord.request_stop()
        coord.join(threads, stop_grace_period_secs=10)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_without_a_coordinator_an_error_is_kept() -> None:
    queue = tf.FIFOQueue(3, [tf.int32], [[]])
    fed = tf.placeholder(tf.int32, [])

    def broken() -> Any:
        raise KeyError("broken")

    runner = FeedingQueueRunner(queue, [queue.enqueue([fed])], feed_fns=[broken])
    with tf.Session() as sess:
        for thread in runner.create_threads(sess, start=True):
            thread.join(10)
    assert [type(error) for error in runner.exceptions_raised] == [KeyError]


def test_a_derived_class_decides_what_its_threads_do() -> None:
    """Its ``_run`` was called without the function, so its threads failed, and what read the queue waited forever."""

    class UntilStopIteration(FeedingQueueRunner):
        def _run(self, sess: Any, enqueue_op: Any, feed_fn: Any, coord: Any = None) -> None:
            try:
                while not coord.should_stop():
                    sess.run(enqueue_op, feed_dict=feed_fn())
            except StopIteration:
                with self._lock:
                    self._runs_per_session[sess] -= 1
                    if self._runs_per_session[sess] == 0:
                        sess.run(self._close_op)

    queue = tf.FIFOQueue(3, [tf.int32], [[]])
    fed = tf.placeholder(tf.int32, [])
    numbers = iter(range(7))
    runner = UntilStopIteration(queue, [queue.enqueue([fed])], feed_fns=[lambda: {fed: next(numbers)}])
    tf.train.add_queue_runner(runner)
    batch = tf.train.batch([queue.dequeue()], 3, allow_smaller_final_batch=True)
    assert [one.tolist() for one in drain(batch)] == [[0, 1, 2], [3, 4, 5], [6]]
