"""``tf.estimator``: our inputs on top of whatever the installed TensorFlow still has."""

from __future__ import annotations

import pytest
import tensorflow.compat.v1 as real

import queuecompat.estimator
import queuecompat.v1 as tf

HAS_ESTIMATORS = hasattr(real, "estimator")


def test_the_inputs_are_ours_and_take_tf1s_names() -> None:
    assert tf.estimator.inputs is queuecompat.estimator.inputs
    assert dir(tf.estimator.inputs) == ["numpy_input_fn", "pandas_input_fn"]
    assert "inputs" in dir(tf.estimator)


@pytest.mark.skipif(not HAS_ESTIMATORS, reason="this TensorFlow has no estimators")
def test_everything_else_is_tensorflows_own() -> None:
    names = {name for name in dir(real.estimator) if not name.startswith("_")}
    assert set(dir(tf.estimator)) == names
    for name in names - {"inputs"}:
        assert getattr(tf.estimator, name) is getattr(real.estimator, name)


@pytest.mark.skipif(HAS_ESTIMATORS, reason="this TensorFlow has estimators")
def test_an_estimator_that_is_gone_says_where_to_look() -> None:
    with pytest.raises(AttributeError, match=r"2\.15.*Keras"):
        tf.estimator.Estimator  # noqa: B018


def test_what_inputs_never_had_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="numpy_input_fn"):
        tf.estimator.inputs.csv_input_fn  # noqa: B018
