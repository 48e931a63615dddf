"""Resamplers: rows repeated at random, inside pipelines and outside of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as real

import queuecompat
import queuecompat.v1 as tf
from tests.pipelines.running import drain, started

training = tf.contrib.training


def blocks(rows: int, num_epochs: Any = 1) -> Any:
    return tf.train.range_input_producer(rows, num_epochs=num_epochs, shuffle=False).dequeue_many(10)


def test_rows_come_as_often_as_their_rates_say() -> None:
    rates = np.array([0.0, 0.3, 1.0, 4.0], np.float32)
    (rows,) = training.resample_at_rate([tf.range(4)], tf.constant(rates))
    runs = 2000
    with real.compat.v1.Session() as sess:
        counts = sum(np.bincount(sess.run(rows), minlength=4) for _ in range(runs))
    # The sum of Poisson draws is Poisson: its variance is its mean. Five standard errors.
    assert (np.abs(counts - runs * rates) <= 5 * np.sqrt(runs * rates)).all()


def test_rows_of_all_tensors_stay_together() -> None:
    rows = tf.range(50)
    one, two = training.resample_at_rate([rows, tf.as_string(rows)], tf.fill([50], 1.5))
    with real.compat.v1.Session() as sess:
        given, texts = sess.run([one, two])
    assert len(given) > 0
    assert given.tolist() == [int(text) for text in texts] == sorted(given)


def test_a_resampled_pipeline_compiles() -> None:
    rows = blocks(100)
    outputs, rates = training.weighted_resample([rows], tf.cast(rows % 4, tf.float32), 1.0)
    batch = tf.train.batch([outputs[0], rates], 8, enqueue_many=True, allow_smaller_final_batch=True)
    assert not queuecompat.explain().native
    given = np.concatenate([step[0] for step in drain(batch)])
    assert given.tolist() == sorted(given)
    assert (given % 4 != 0).all()


def test_weights_keep_the_overall_rate() -> None:
    rows = blocks(100, num_epochs=50)
    outputs, _ = training.weighted_resample([rows], tf.cast(1 + rows % 4, tf.float32), 2.0)
    batch = tf.train.batch(outputs, 10, enqueue_many=True, allow_smaller_final_batch=True)
    given = np.concatenate(drain(batch))
    expected = 2.0 * 100 * 50
    assert abs(len(given) - expected) <= 5 * np.sqrt(expected)
    classes = np.bincount(given % 4)
    wished = len(given) * np.array([0.1, 0.2, 0.3, 0.4])
    # The moving mean of the weights wavers by a few hundredths from block to block.
    assert (np.abs(classes - wished) <= 5 * np.sqrt(wished) + 0.02 * wished).all()


def test_two_pipelines_of_one_seed_draw_alike() -> None:
    given = []
    for _ in range(2):
        with real.Graph().as_default():
            rows = blocks(100)
            outputs, rates = training.weighted_resample([rows], tf.cast(rows, tf.float32), 1.0, seed=3)
            batch = tf.train.batch([outputs[0], rates], 5, enqueue_many=True)
            given.append([(a.tolist(), b.tolist()) for a, b in drain(batch)])
    assert given[0] == given[1]


def test_the_mean_of_the_weights_is_not_drawn_to_zero_at_first() -> None:
    _, rates = training.weighted_resample([tf.range(100)], tf.fill([100], 3.0), 1.0)
    with started() as sess:
        for _ in range(3):
            np.testing.assert_allclose(sess.run(rates), 1.0, rtol=1e-3)
