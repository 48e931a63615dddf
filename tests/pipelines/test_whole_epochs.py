"""Rows of arrays are batched without a step for each of them: what a program sees stays what it was."""

from __future__ import annotations

import collections
from typing import Any

import numpy as np
import pytest

import queuecompat
import queuecompat.v1 as tf
from tests.pipelines.running import started

ROWS, BATCH, CAPACITY = 50, 5, 30


def mixed(**arguments: Any) -> Any:
    rows = np.arange(ROWS)
    left, right = tf.train.slice_input_producer([rows, 10 * rows], **arguments)
    return tf.train.shuffle_batch([left + 1, right], BATCH, capacity=CAPACITY, min_after_dequeue=10)


def test_every_row_comes_once_an_epoch_and_keeps_its_fellows() -> None:
    batch = mixed()
    assert "rebatched" in str(queuecompat.explain())
    with started() as sess:
        for _ in range(3):
            seen = [sess.run(batch) for _ in range(ROWS // BATCH)]
            left = np.concatenate([one for one, _ in seen])
            assert sorted(left) == list(range(1, ROWS + 1)) and list(left) != sorted(left)
            assert np.array_equal(np.concatenate([other for _, other in seen]), 10 * (left - 1))


def test_the_queue_counts_as_full_as_it_was_for_a_program_that_waits_for_that() -> None:
    batch = mixed()
    size = tf.get_default_graph().get_tensor_by_name("shuffle_batch/random_shuffle_queue_Size:0")
    with started() as sess:
        for _ in range(3):
            sess.run(batch)
            assert sess.run(size) == CAPACITY


def test_a_stop_ends_it() -> None:
    batch = mixed()
    with tf.Session() as sess:
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess, coord)
        sess.run(batch)
        coord.request_stop()
        coord.join(threads)
        with pytest.raises(tf.errors.OutOfRangeError):
            for _ in range(CAPACITY + 3):
                sess.run(batch)


def test_shorter_epochs_than_the_shuffle_buffer_are_mixed_with_each_other() -> None:
    number = tf.train.range_input_producer(4).dequeue()
    batch = tf.train.shuffle_batch([number], 4, capacity=80, min_after_dequeue=40)
    with started() as sess:
        assert any(len(set(sess.run(batch))) < 4 for _ in range(50))


@pytest.mark.parametrize("smaller", [False, True])
def test_batches_go_over_the_ends_of_epochs_and_the_last_one_is_what_is_left(smaller: bool) -> None:
    number = tf.train.range_input_producer(7, num_epochs=3, shuffle=False).dequeue()
    batch = tf.train.batch([number], 4, allow_smaller_final_batch=smaller)
    size = tf.get_default_graph().get_tensor_by_name("batch/fifo_queue_Size:0")
    given = []
    with started() as sess, pytest.raises(tf.errors.OutOfRangeError):
        while True:
            given.append(sess.run(batch).tolist())
            assert sess.run(size) <= 21
    rows = list(range(7)) * 3
    assert given == [rows[n : n + 4] for n in range(0, 21, 4)][: 6 if smaller else 5]


def test_a_seeded_order_is_that_of_tensorflow_itself() -> None:
    number = tf.train.range_input_producer(20, num_epochs=2, seed=3).dequeue()
    first = tf.train.batch([number], 8)
    with started() as sess:
        batched = [sess.run(first) for _ in range(5)]
    with tf.Graph().as_default():
        one = tf.train.range_input_producer(20, num_epochs=2, seed=3).dequeue() + 0
        with started() as sess:
            alone = [sess.run(one) for _ in range(40)]
    assert np.concatenate(batched).tolist() == alone
    assert collections.Counter(alone) == {number: 2 for number in range(20)}
