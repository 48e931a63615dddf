"""Decision 4: between the source and the consumer there are at most capacity elements, and one batch.

The source counts: a Python function at the end of it notes every element that passes. The consumer
takes one batch and then nothing for as long as the source goes on.
"""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

import queuecompat
import queuecompat.v1 as tf
from tests.pipelines.running import started


class Counter:
    """Counts what leaves the source; ``wait_until_idle`` returns when nothing has left for a while."""

    def __init__(self) -> None:
        self.count = 0
        self._moved = threading.Condition()

    def note(self, x: np.ndarray) -> np.ndarray:
        with self._moved:
            self.count += 1
            self._moved.notify_all()
        return x

    def wait_until_idle(self) -> int:
        with self._moved:
            while self._moved.wait(timeout=0.5):
                pass
            return self.count


def counted_source(counter: Counter) -> Any:
    """Elements of a first queue whose only step counts; whatever follows holds them."""
    x = tf.train.range_input_producer(100_000, shuffle=False).dequeue()
    x = tf.py_func(counter.note, [x], tf.int32)
    x.set_shape([])
    # A batch of one is a stage of its own: what counts is outside of the queue under test.
    return tf.train.batch([x], 1, capacity=1)


AHEAD_OF_THE_SOURCE = 2  # the counting stage's own capacity of 1, and its batch of 1 in flight


@pytest.mark.parametrize("num_threads", [1, 2, 5])
@pytest.mark.parametrize(("capacity", "batch_size"), [(32, 32), (7, 4), (100, 8), (3, 10)])
def test_batch_holds_at_most_capacity_and_a_batch(capacity: int, batch_size: int, num_threads: int) -> None:
    counter = Counter()
    element = counted_source(counter) + 1
    batch = tf.train.batch([element], batch_size, num_threads, capacity)
    check(counter, batch, capacity, batch_size)


@pytest.mark.parametrize("num_threads", [1, 2])
@pytest.mark.parametrize(("capacity", "batch_size"), [(32, 8), (50, 50), (9, 20)])
def test_shuffle_batch_holds_at_most_capacity_and_a_batch(capacity: int, batch_size: int, num_threads: int) -> None:
    counter = Counter()
    element = counted_source(counter) + 1
    batch = tf.train.shuffle_batch([element], batch_size, capacity, 2, num_threads)
    check(counter, batch, capacity, batch_size)


@pytest.mark.parametrize(("capacity", "batch_size"), [(32, 8), (300, 10), (9, 20)])
@pytest.mark.parametrize("shuffles", [False, True])
def test_a_join_holds_at_most_capacity_and_a_batch(shuffles: bool, capacity: int, batch_size: int) -> None:
    counter = Counter()
    lists = [[counted_source(counter) + 1] for _ in range(3)]
    if shuffles:
        batch = tf.train.shuffle_batch_join(lists, batch_size, capacity, 2)
    else:
        batch = tf.train.batch_join(lists, batch_size, capacity)
    check(counter, batch, capacity, batch_size, sources=3)


def test_the_shuffle_buffer_really_has_capacity_elements() -> None:
    counter = Counter()
    batch = tf.train.shuffle_batch([counted_source(counter)], 5, capacity=40, min_after_dequeue=2)
    with started() as sess:
        for _ in range(40):  # a pool of expensive elements grows by one for every four that are taken
            sess.run(batch)
        assert counter.wait_until_idle() - 40 * 5 >= 40


def check(counter: Counter, batch: Any, capacity: int, batch_size: int, sources: int = 1) -> None:
    with started() as sess:
        for taken in (1, 2, 3):
            sess.run(batch)
            held = counter.wait_until_idle() - taken * batch_size
            assert held <= capacity + batch_size + AHEAD_OF_THE_SOURCE * sources
    buffers = str(queuecompat.explain())
    assert "memory  at most" in buffers


@pytest.mark.parametrize(("capacity", "batch_size"), [(6, 4), (50, 4), (8, 30), (100, 32)])
def test_a_slice_that_runs_in_parallel_stays_within_the_bound(capacity: int, batch_size: int) -> None:
    """tf.data's fused map-and-batch once went further ahead the longer the consumer waited."""
    counter = Counter()
    x = tf.train.range_input_producer(100_000, shuffle=False).dequeue()
    x = tf.py_func(counter.note, [x], tf.int32, stateful=False)
    x.set_shape([])
    batch = tf.train.batch([x], batch_size, num_threads=16, capacity=capacity)
    assert "in parallel" in str(queuecompat.explain())
    with started() as sess:
        for taken in range(1, 21):
            sess.run(batch)
            if taken in (1, 3, 20):
                assert counter.wait_until_idle() - taken * batch_size <= capacity + batch_size


@pytest.mark.parametrize("static", [True, False])
def test_blocks_of_rows_count_every_row(static: bool) -> None:
    rows, capacity, batch_size = 100, 200, 10
    counter = Counter()
    x = tf.train.range_input_producer(100_000, shuffle=False).dequeue()
    block = tf.py_func(lambda x: np.full(rows, counter.note(x)), [x], tf.int32, stateful=False)
    block.set_shape([rows] if static else [None])
    batch = tf.train.batch([block], batch_size, num_threads=4, capacity=capacity, enqueue_many=True)
    with started() as sess:
        sess.run(batch)
        held = counter.wait_until_idle() * rows - batch_size
        # The block being cut into rows is one more, as it was for TF1's blocked enqueue.
        assert held <= capacity + batch_size + rows


def test_nothing_is_read_before_the_first_run() -> None:
    counter = Counter()
    batch = tf.train.batch([counted_source(counter)], 2)
    with started() as sess:
        assert counter.wait_until_idle() == 0
        sess.run(batch)
        assert counter.wait_until_idle() > 0


def test_a_batch_that_no_step_fetches_takes_nothing_from_one_that_shares_its_queue() -> None:
    row = tf.train.range_input_producer(8, shuffle=False, num_epochs=1).dequeue()
    batch = tf.train.batch([row], 2, capacity=4)
    tf.train.batch([row], 1, capacity=4)
    with started() as sess:
        assert [sess.run(batch).tolist() for _ in range(4)] == [[0, 1], [2, 3], [4, 5], [6, 7]]


def test_a_dequeue_takes_one_element_and_no_more() -> None:
    counter = Counter()
    x = tf.train.range_input_producer(10, shuffle=False).dequeue()
    x = tf.py_func(counter.note, [x], tf.int32)
    with started() as sess:
        sess.run(x)
        assert counter.wait_until_idle() == 1
