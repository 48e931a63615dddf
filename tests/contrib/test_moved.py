"""Modules of tf.contrib that were names of other modules of TensorFlow, and still are."""

from __future__ import annotations

import pytest

import queuecompat.v1 as tf
from queuecompat._namespace import modules


def test_the_distributions_are_tensorflows() -> None:
    for name in dir(tf.contrib.distributions):
        assert getattr(tf.contrib.distributions, name) is getattr(tf.distributions, name)
    with pytest.raises(
        AttributeError, match=r"tensorflow-probability, whose tfp\.distributions\.MultivariateNormalDiag"
    ):
        tf.contrib.distributions.MultivariateNormalDiag  # noqa: B018


def test_keras_has_a_second_name() -> None:
    for name in tf.contrib.keras.__all__:
        assert getattr(tf.contrib.keras, name) is getattr(tf.keras, name)
    assert modules.find("contrib.keras.python.keras.utils") is tf.keras.utils
    assert {"datasets", "layers", "models", "utils"} <= set(dir(tf.contrib.keras))
    with pytest.raises(AttributeError, match=r"contrib\.keras has no 'wrappers'"):
        tf.contrib.keras.wrappers  # noqa: B018


def test_the_ops_of_optimizers_are_found_where_they_were() -> None:
    training_ops = modules.find("python.training.training_ops")
    with tf.Graph().as_default():
        variable = tf.get_variable("x", initializer=[3.0], use_resource=False)
        changed = training_ops.apply_gradient_descent(variable, 0.5, [2.0])
        with tf.Session() as sess:
            sess.run(variable.initializer)
            assert sess.run(changed).tolist() == [2.0]
