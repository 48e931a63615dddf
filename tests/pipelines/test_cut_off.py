"""A step that is cancelled while a pipeline computes cuts it off, which must not look like the end of the data."""

from __future__ import annotations

import contextlib
import threading
from typing import Any, Iterator, List

import numpy as np
import pytest

import queuecompat.v1 as tf
from queuecompat.contrib.slim.prefetch_queue import prefetch_queue
from tests.pipelines.running import started

pytestmark = pytest.mark.timeout(60)

BRIEFLY = tf.RunOptions(timeout_in_ms=300)


class Door:
    """A function of Python that waits at the number 4 until it is opened."""

    def __init__(self) -> None:
        self.opened, self.reached = threading.Event(), threading.Event()

    def __call__(self, number: int) -> np.int32:
        if number == 4:
            self.reached.set()
            assert self.opened.wait(20)
        return np.int32(number)


@pytest.fixture
def door() -> Iterator[Door]:
    one = Door()
    yield one
    one.opened.set()


def numbers(count: int) -> Any:
    return tf.train.range_input_producer(count, num_epochs=1, shuffle=False).dequeue()


def through(door: Door, count: int = 12) -> Any:
    return tf.reshape(tf.py_func(door, [numbers(count)], tf.int32), [])


def cut_off_by_time(sess: Any, batch: Any, door: Door) -> None:
    opening = threading.Timer(0.6, door.opened.set)  # a function of Python cannot be cancelled
    opening.start()
    with pytest.raises(tf.errors.DeadlineExceededError):
        sess.run(batch, options=BRIEFLY)
    opening.join()


def test_a_step_whose_time_is_up_does_not_end_the_data(door: Door) -> None:
    batch = tf.train.batch([through(door)], 4, capacity=4)
    with pytest.raises(tf.errors.AbortedError), started() as sess:
        assert sess.run(batch).tolist() == [0, 1, 2, 3]
        cut_off_by_time(sess, batch, door)
        with pytest.raises(tf.errors.AbortedError, match=r"QC312 'batch' .*DeadlineExceededError") as caught:
            sess.run(batch)
        assert "test_cut_off.py" in str(caught.value)
        raise caught.value


@pytest.mark.parametrize("is_prefetched", [False, True], ids=["batch", "prefetch queue"])
def test_the_coordinator_learns_of_it(door: Door, is_prefetched: bool) -> None:
    batch = tf.train.batch([through(door)], 4, capacity=4)
    if is_prefetched:  # such an iterator reports a cancellation, not the end of its data
        batch = prefetch_queue([batch], capacity=1).dequeue()
    coord = tf.train.Coordinator()
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        threads = tf.train.start_queue_runners(sess, coord)
        sess.run(batch)
        cut_off_by_time(sess, batch, door)
        with pytest.raises(tf.errors.AbortedError):
            sess.run(batch)
        with pytest.raises(tf.errors.OutOfRangeError):
            sess.run(batch)
        assert coord.should_stop()
        with pytest.raises(tf.errors.AbortedError, match="QC312"):
            coord.join(threads)


def test_what_fails_beside_a_batch_cuts_it_off(door: Door) -> None:
    def fails() -> np.int32:
        assert door.reached.wait(20)
        threading.Timer(0.3, door.opened.set).start()
        raise ValueError("not of the batch")

    batch = tf.train.batch([through(door)], 4, capacity=4)
    beside = tf.py_func(fails, [], tf.int32)
    given: List[Any] = []
    # On a busy machine the door may open before the step is cancelled; then the pipeline goes on.
    with contextlib.suppress(tf.errors.AbortedError), started() as sess:
        given.append(sess.run(batch).tolist())
        with pytest.raises(tf.errors.InvalidArgumentError, match="not of the batch"):
            sess.run([batch, beside])
        while len(given) < 3:
            given.append(sess.run(batch).tolist())
    assert given in ([[0, 1, 2, 3]], [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]])


def test_what_fails_because_of_a_batch_has_not_cut_it_off() -> None:
    batch = tf.train.batch([numbers(6)], 2)
    checked = tf.check_numerics(1.0 / tf.cast(batch - 4, tf.float32), "the last one")
    given: List[Any] = []
    with started() as sess:
        for _ in range(2):
            given.append(sess.run([batch, checked])[0].tolist())
        with pytest.raises(tf.errors.InvalidArgumentError, match="the last one"):
            sess.run(checked)
        with pytest.raises(tf.errors.OutOfRangeError):
            sess.run(checked)
    assert given == [[0, 1], [2, 3]]


def test_a_pipeline_that_goes_on_may_end() -> None:
    arrived, fails = threading.Event(), [True]

    def arrives(given: np.ndarray) -> np.int32:
        arrived.set()
        return np.int32(len(given))

    def is_well() -> np.bool_:
        assert arrived.wait(20)  # the step fails when the batch is there, so that nothing is cut off
        return np.bool_(not fails[0])

    batch = tf.train.batch([numbers(4)], 2)
    seen = tf.py_func(arrives, [batch], tf.int32)
    beside = tf.Assert(tf.py_func(is_well, [], tf.bool), ["no"])
    with started() as sess:
        with pytest.raises(tf.errors.InvalidArgumentError, match="no"):
            sess.run([beside, batch, seen])
        fails[0] = False
        rest = []
        with pytest.raises(tf.errors.OutOfRangeError):
            while True:
                rest += sess.run([batch, beside])[0].tolist()
    assert rest[-2:] == [2, 3]


def test_a_monitored_session_begins_again(door: Door) -> None:
    batch = tf.train.batch([through(door)], 4, capacity=4)
    tf.train.get_or_create_global_step()
    with tf.train.MonitoredTrainingSession() as sess:
        assert sess.run(batch).tolist() == [0, 1, 2, 3]
        cut_off_by_time(sess, batch, door)
        assert sess.run(batch).tolist() == [0, 1, 2, 3]


def _checked(number: Any) -> Any:
    with tf.control_dependencies([tf.Assert(tf.not_equal(number, 3), ["bad"])]):
        return tf.identity(number)


def _parsed(number: Any) -> Any:
    text = tf.where(tf.equal(number, 3), tf.constant("bad"), tf.as_string(number))
    return tf.string_to_number(text, tf.int32)


def _in_python(number: Any) -> Any:
    def function(given: int) -> np.int32:
        if given == 3:
            raise ValueError("bad")
        return np.int32(given)

    return tf.reshape(tf.py_func(function, [number], tf.int32), [])


@pytest.mark.parametrize("op", [_checked, _parsed, _in_python])
@pytest.mark.parametrize("with_others", [False, True], ids=["alone", "beside an op on it"])
def test_a_bad_element_at_the_end_of_the_data_is_followed_by_the_end(op: Any, with_others: bool) -> None:
    """The pipeline had failed itself; it was taken for one that was cut off, and the end for an AbortedError."""
    batch = tf.train.batch([op(numbers(4))], 1)
    fetches = [batch, batch + 1] if with_others else batch
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        tf.train.start_queue_runners(sess)  # a coordinator would stop the pipeline
        for number in range(3):
            assert np.ravel(sess.run(fetches))[0] == number
        with pytest.raises((tf.errors.InvalidArgumentError, tf.errors.UnknownError), match="bad"):
            sess.run(fetches)
        with pytest.raises(tf.errors.OutOfRangeError):
            sess.run(fetches)
