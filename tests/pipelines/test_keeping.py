"""The maybe forms: what keep_input keeps, and nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import queuecompat.v1 as tf
from tests.pipelines.running import drain, started


def numbers(limit: int = 12) -> Any:
    return tf.train.range_input_producer(limit, num_epochs=1, shuffle=False).dequeue()


def test_a_computed_scalar_keeps_or_drops_the_example() -> None:
    x = numbers()
    assert np.concatenate(drain(tf.train.maybe_batch([x], x % 3 < 1, 2))).tolist() == [0, 3, 6, 9]


def test_a_vector_keeps_or_drops_rows() -> None:
    x = numbers(4)
    rows = drain(tf.train.maybe_batch([x * 10 + tf.range(4)], tf.range(4) >= x, 5, enqueue_many=True))
    assert np.concatenate(rows).tolist() == [0, 1, 2, 3, 11, 12, 13, 22, 23, 33]


def test_a_scalar_with_enqueue_many_keeps_or_drops_the_block() -> None:
    x = numbers(4)
    rows = drain(tf.train.maybe_batch([tf.fill([2], x)], x > 1, 2, enqueue_many=True))
    assert np.concatenate(rows).tolist() == [2, 2, 3, 3]


def test_a_constant_true_keeps_everything() -> None:
    assert len(drain(tf.train.maybe_shuffle_batch([numbers()], 3, 8, 2, tf.constant(True)))) == 4


def test_a_constant_false_is_an_error_where_tf1_waited_forever() -> None:
    batch = tf.train.maybe_batch([numbers()], False, 2)
    with started() as sess, pytest.raises(tf.errors.InvalidArgumentError, match="QC303"):
        sess.run(batch)


def test_a_keep_input_that_is_never_true_ends_with_the_source() -> None:
    x = numbers()
    assert drain(tf.train.maybe_batch([x], x < 0, 2)) == []


def test_every_list_of_a_join_is_filtered() -> None:
    x, y = numbers(), numbers()
    # Each list draws an x and a y. Which of them meet, nothing says; but at most a few low ones meet high ones.
    are_low = tf.logical_and(x < 6, y < 6)
    rows = np.concatenate(drain(tf.train.maybe_batch_join([[x], [y + 100]], are_low, 2)))
    assert set(rows % 100) <= set(range(6))


def test_the_shuffle_buffer_holds_kept_elements_only() -> None:
    x = tf.train.range_input_producer(400, num_epochs=1, shuffle=False).dequeue()
    batch = tf.train.maybe_shuffle_batch([x], 10, capacity=100, min_after_dequeue=50, keep_input=x % 4 < 1)
    first = drain(batch, steps=1)[0]
    assert max(first) > 100  # a pool of 100 kept elements reaches the end of the data at once


@pytest.mark.parametrize("call", ["maybe_batch", "maybe_batch_join", "maybe_shuffle_batch", "maybe_shuffle_batch_join"])
def test_a_keep_input_of_a_different_graph_is_refused_as_in_tf1(call: str) -> None:
    """Its value, where that was known, was taken."""
    with tf.Graph().as_default():
        keep = tf.constant(True)
    (number,) = tf.train.slice_input_producer([[1, 2, 3]])
    sizes = {"capacity": 10, "min_after_dequeue": 2} if "shuffle" in call else {}
    with pytest.raises(ValueError, match="must be from the same graph"):
        getattr(tf.train, call)([[number]] if "join" in call else [number], keep_input=keep, batch_size=2, **sizes)
