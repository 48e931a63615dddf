"""TensorBoard's curves of how full the queues are: TF1's tags, and the truth about compiled buffers."""

from __future__ import annotations

from typing import Any, Dict

import pytest
import tensorflow as real

import queuecompat.v1 as tf
from tests.pipelines.running import started


def curves(sess: Any, merged: Any) -> Dict[str, float]:
    summary = real.compat.v1.Summary.FromString(sess.run(merged))
    return {value.tag: value.simple_value for value in summary.value}


def numbers(limit: int = 1000, **arguments: Any) -> Any:
    return tf.train.range_input_producer(limit, shuffle=False, **arguments).dequeue()


def held_after_steps(batch: Any, tag: str, steps: int, at_least: float) -> float:
    """The curve when it has come to rest, or as soon as it is high enough."""
    merged = tf.summary.merge_all()
    with started() as sess:
        assert curves(sess, merged)[tag] == 0.0
        for _ in range(steps):
            sess.run(batch)
        given = 0.0
        for _ in range(3000):
            given = curves(sess, merged)[tag]
            if given >= at_least:
                break
    return given


def test_a_queue_with_a_fast_source_is_full() -> None:
    assert held_after_steps(tf.train.batch([numbers()], 4), "batch/fraction_of_32_full", 3, 1.0) == 1.0


def test_a_pool_with_a_fast_source_is_full() -> None:
    batch = tf.train.shuffle_batch([numbers()], 4, capacity=200, min_after_dequeue=100)
    assert held_after_steps(batch, "shuffle_batch/fraction_over_100_of_100_full", 3, 0.9) >= 0.9


def test_a_queue_whose_source_has_ended_runs_empty() -> None:
    batch = tf.train.batch([numbers(20, num_epochs=1)], 4, capacity=40)
    merged, tag = tf.summary.merge_all(), "batch/fraction_of_40_full"
    with started() as sess:
        given = []
        for _ in range(5):
            sess.run(batch)
            given.append(curves(sess, merged)[tag])
    assert given[-1] == 0.0
    assert given[-2] <= 4 / 40 + 1e-6


def test_a_queue_with_a_slow_source_is_empty() -> None:
    source = tf.FIFOQueue(100, [tf.int32], [[]])
    batch = tf.train.batch([source.dequeue()], 2)
    merged, enqueue = tf.summary.merge_all(), source.enqueue(1)
    with started() as sess:
        sess.run([enqueue])
        sess.run([enqueue])
        sess.run(batch)
        assert curves(sess, merged)["batch/fraction_of_32_full"] == 0.0
        sess.run(source.close())


def test_a_queue_between_two_batchers_has_its_own_curve() -> None:
    inner = tf.train.batch([numbers()], 4, name="inner")
    outer = tf.train.batch([inner], 2, name="outer")
    merged = tf.summary.merge_all()
    with started() as sess:
        for _ in range(50):
            sess.run(outer)
        given = curves(sess, merged)
    assert set(given) >= {"inner/fraction_of_32_full", "outer/fraction_of_32_full"}
    assert all(0.0 <= value <= 1.0 for value in given.values())


def test_a_producer_is_full_while_it_has_rows() -> None:
    first = tf.train.string_input_producer(["a", "b", "c"], capacity=12, num_epochs=2).dequeue()
    second = tf.train.range_input_producer(3, capacity=8, name="endless").dequeue()
    merged = tf.summary.merge_all()
    with started() as sess:
        given = []
        for _ in range(3):
            sess.run([first, second])
            given.append(curves(sess, merged))
    assert [curve["endless/fraction_of_8_full"] for curve in given] == [1.0, 1.0, 1.0]
    left = [curve["input_producer/fraction_of_12_full"] * 12 for curve in given]
    assert left == pytest.approx([5, 4, 3])
