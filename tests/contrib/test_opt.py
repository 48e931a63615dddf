"""``tf.contrib.opt``: what the recorded cases do not show (``gold/cases/contrib_opt.py``)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import queuecompat.v1 as tf
from tests.pipelines.running import started


@pytest.mark.parametrize("use_resource", [False, True])
def test_weights_decay_after_their_gradients_are_computed(use_resource: bool) -> None:
    with tf.variable_scope("", use_resource=use_resource):
        whole = tf.get_variable("whole", initializer=np.ones([1000], np.float32))
        rows = tf.get_variable("rows", initializer=np.ones([1000, 1], np.float32))
    loss = tf.reduce_sum(whole**2) + tf.reduce_sum(tf.gather(rows, range(1000)) ** 2)
    train = tf.contrib.opt.MomentumWOptimizer(0.5, 0.5, 0.0).minimize(loss)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(train)
        for values in session.run([whole, rows]):
            assert set(values.ravel()) == {1 - 0.5 * 2 - 0.5}


def test_averages_are_kept_beside_a_pipeline_and_restored_without_it(tmp_path: Any) -> None:
    numbers = tf.train.batch([tf.to_float(tf.train.range_input_producer(8, shuffle=False).dequeue())], 4)
    weight = tf.get_variable("weight", initializer=1.0)
    optimizer = tf.contrib.opt.MovingAverageOptimizer(tf.train.GradientDescentOptimizer(0.125), 0.5)
    train = optimizer.minimize(tf.reduce_mean(numbers * weight))
    saver = optimizer.swapping_saver()
    with started() as session:
        session.run(train)
        assert session.run(weight) == 1 - 0.125 * 1.5
        path = saver.save(session, str(tmp_path / "model"))
    with tf.Graph().as_default(), tf.Session() as session:
        restored = tf.get_variable("weight", [])
        tf.train.Saver([restored]).restore(session, path)
        assert session.run(restored) == (1 + (1 - 0.125 * 1.5)) / 2


def test_a_swapping_saver_names_what_is_missing() -> None:
    weight = tf.get_variable("weight", initializer=1.0)
    optimizer = tf.contrib.opt.MovingAverageOptimizer(tf.train.GradientDescentOptimizer(0.125))
    with pytest.raises(RuntimeError, match="call minimize or apply_gradients first"):
        optimizer.swapping_saver()
    optimizer.minimize(weight**2)
    with pytest.raises(ValueError, match="has 'weight' and not 'weight/ExponentialMovingAverage'"):
        optimizer.swapping_saver([weight])


def test_lars_refuses_a_negative_momentum() -> None:
    with pytest.raises(ValueError, match="momentum should be positive"):
        tf.contrib.opt.LARSOptimizer(0.1, momentum=-0.5)
