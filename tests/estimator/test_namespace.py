"""``tf.estimator``: our inputs on top of whatever the installed TensorFlow still has."""

from __future__ import annotations

from typing import Any, Dict

import pytest
import tensorflow.compat.v1 as real

import queuecompat.estimator
import queuecompat.v1 as tf

HAS_ESTIMATORS = hasattr(real, "estimator")


def modes(keys: Any) -> Dict[str, str]:
    return {name: value for name, value in vars(keys).items() if name.isupper()}


def test_modes_are_there_without_estimators() -> None:
    """The values are TF 1.15.5's."""

    assert modes(tf.estimator.ModeKeys) == {"TRAIN": "train", "EVAL": "eval", "PREDICT": "infer"}
    assert modes(tf.contrib.learn.ModeKeys) == {"TRAIN": "train", "EVAL": "eval", "INFER": "infer"}
    tf.contrib.learn.ModeKeys.validate("infer")
    with pytest.raises(ValueError, match="Invalid mode x"):
        tf.contrib.learn.ModeKeys.validate("x")


def test_the_inputs_are_ours_and_take_tf1s_names() -> None:
    assert tf.estimator.inputs is queuecompat.estimator.inputs
    assert dir(tf.estimator.inputs) == ["numpy_input_fn", "pandas_input_fn"]
    assert "inputs" in dir(tf.estimator)


@pytest.mark.skipif(not HAS_ESTIMATORS, reason="this TensorFlow has no estimators")
def test_everything_else_is_tensorflows_own() -> None:
    names = {name for name in dir(real.estimator) if not name.startswith("_")}
    assert set(dir(tf.estimator)) == names
    assert modes(real.estimator.ModeKeys) == modes(tf.estimator.ModeKeys)
    for name in names - {"ModeKeys", "inputs"}:
        assert getattr(tf.estimator, name) is getattr(real.estimator, name)


def test_what_inputs_never_had_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="numpy_input_fn"):
        tf.estimator.inputs.csv_input_fn  # noqa: B018
