"""Modules of tf.contrib that were names of other modules of TensorFlow, and still are."""

from __future__ import annotations

import pytest

import queuecompat.v1 as tf


def test_the_distributions_are_tensorflows() -> None:
    for name in dir(tf.contrib.distributions):
        assert getattr(tf.contrib.distributions, name) is getattr(tf.distributions, name)
    with pytest.raises(
        AttributeError, match=r"tensorflow-probability, whose tfp\.distributions\.MultivariateNormalDiag"
    ):
        tf.contrib.distributions.MultivariateNormalDiag  # noqa: B018


def test_keras_has_a_second_name() -> None:
    for name in dir(tf.contrib.keras):
        assert getattr(tf.contrib.keras, name) is getattr(tf.keras, name)
    assert {"datasets", "layers", "models", "utils"} <= set(dir(tf.contrib.keras))
    with pytest.raises(AttributeError, match=r"contrib\.keras has no 'wrappers'"):
        tf.contrib.keras.wrappers  # noqa: B018
