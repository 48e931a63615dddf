"""Estimators on TensorFlow 2.16 and later, which do not contain them: the package that they are, on our input."""

from __future__ import annotations

import importlib
import json
import pathlib
import sys
from typing import Any, Dict, List

import numpy as np
import pytest
import tensorflow.compat.v1 as real

import queuecompat.estimator
import queuecompat.v1 as tf
from queuecompat._native import estimators
from tests.forking import Server

ROWS = np.random.RandomState(3).rand(24, 3).astype(np.float32)
TARGETS = ROWS @ np.float32([1.0, -2.0, 0.5])
RATE = 0.1

pytestmark = pytest.mark.skipif(hasattr(real, "estimator"), reason="this TensorFlow has estimators")


def input_fn() -> Any:
    row, target = tf.train.slice_input_producer([ROWS, TARGETS], num_epochs=2, shuffle=False)
    rows, targets = tf.train.batch([row, target], 8)
    return {"x": rows}, targets


def model_fn(features: Dict[str, Any], labels: Any, mode: str) -> Any:
    weights = tf.get_variable("weights", [3, 1], initializer=tf.zeros_initializer())
    predicted = tf.squeeze(tf.matmul(features["x"], weights), [1])
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions=predicted)
    loss = tf.reduce_mean(tf.square(predicted - labels))
    train_op = tf.train.GradientDescentOptimizer(RATE).minimize(loss, tf.train.get_global_step())
    metrics = {"error": tf.metrics.mean_absolute_error(labels, predicted)}
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op, eval_metric_ops=metrics)


def trained(batches: int) -> np.ndarray:
    """The weights after so many steps of gradient descent over ``input_fn``'s batches."""
    weights = np.zeros(3)
    for number in range(batches):
        here = slice(number % 3 * 8, number % 3 * 8 + 8)
        weights -= RATE * 2 / 8 * ROWS[here].T.astype(float) @ (ROWS[here] @ weights - TARGETS[here])
    return weights


def test_an_estimator_trains_evaluates_and_predicts_on_a_queue(tmp_path: pathlib.Path) -> None:
    estimator = tf.estimator.Estimator(model_fn, str(tmp_path))
    estimator.train(input_fn)
    weights = trained(6)
    np.testing.assert_allclose(estimator.get_variable_value("weights")[:, 0], weights, rtol=1e-5)
    evaluated = estimator.evaluate(input_fn)
    assert evaluated["global_step"] == 6
    np.testing.assert_allclose(evaluated["error"], np.abs(ROWS @ weights - TARGETS).mean(), rtol=1e-4)
    np.testing.assert_allclose(list(estimator.predict(input_fn)), np.tile(ROWS @ weights, 2), rtol=1e-4)
    estimator.train(input_fn, steps=2)
    np.testing.assert_allclose(estimator.get_variable_value("weights")[:, 0], trained(8), rtol=1e-5)


@pytest.mark.filterwarnings("ignore:To make it possible to preserve tf.data options:UserWarning")  # TensorFlow's
def test_a_strategy_of_one_machine_trains(tmp_path: pathlib.Path) -> None:
    config = tf.estimator.RunConfig(str(tmp_path), train_distribute=tf.distribute.MirroredStrategy(["/cpu:0"]))

    def of_dataset() -> Any:
        return tf.data.Dataset.from_tensor_slices(({"x": ROWS}, TARGETS)).batch(8)

    tf.estimator.Estimator(model_fn, config=config).train(of_dataset)
    weights = tf.train.load_variable(str(tmp_path), "weights")
    np.testing.assert_allclose(weights[:, 0], trained(3), rtol=1e-5)


def test_a_strategy_of_several_machines_says_that_it_cannot_train(monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = {"cluster": {"chief": ["a:1"], "worker": ["b:1"]}, "task": {"type": "worker", "index": 0}}
    monkeypatch.setenv("TF_CONFIG", json.dumps(cluster))
    with pytest.raises(ValueError, match=r"on several machines.*\n(.*\n)*.*TF_CONFIG alone"):
        tf.estimator.RunConfig(train_distribute=tf.distribute.MirroredStrategy(["/cpu:0"]))
    assert tf.estimator.RunConfig().num_worker_replicas == 2  # the chief is one


def test_what_only_a_tpu_needs_says_so_when_it_is_used(tmp_path: pathlib.Path) -> None:
    config = tf.estimator.tpu.RunConfig(model_dir=str(tmp_path))

    def of_tpu(features: Any, labels: Any, mode: str, params: Any) -> Any:
        made = model_fn(features, labels, mode)
        return tf.estimator.tpu.TPUEstimatorSpec(mode, loss=made.loss, train_op=made.train_op)

    estimator = tf.estimator.tpu.TPUEstimator(of_tpu, config=config, use_tpu=False, train_batch_size=8, params={})
    estimator.train(lambda params: input_fn(), max_steps=6)
    np.testing.assert_allclose(estimator.get_variable_value("weights")[:, 0], trained(6), rtol=1e-5)
    slots = importlib.import_module("tensorflow_estimator.python.estimator.tpu._tpu_estimator_embedding")
    with pytest.raises(NotImplementedError, match=r"of TPUs.*\n(.*\n)*.*tensorflow<2\.16"):
        slots.tpu_embedding.AdagradSlotVariableNames("a")


def test_names_are_the_packages_and_those_of_keras_2_say_what_they_need() -> None:
    package = importlib.import_module("tensorflow_estimator").estimator
    assert {name for name in dir(package) if not name.startswith("_")} == set(dir(tf.estimator))
    assert tf.estimator.EvalSpec is package.EvalSpec is queuecompat.estimator.EvalSpec
    with pytest.raises(AttributeError, match=r"'tf.estimator.Estimater'.*tensorflow_estimator 2\.15"):
        tf.estimator.Estimater  # noqa: B018
    if hasattr(real.keras.layers, "DenseFeatures"):
        assert issubclass(tf.estimator.DNNClassifier, tf.estimator.Estimator)
    else:
        with pytest.raises(AttributeError, match=r"DNNClassifier.*Keras 2.*\n(.*\n)*.*pip install tf_keras"):
            tf.estimator.DNNClassifier  # noqa: B018


def test_a_file_that_is_loaded_in_an_eager_program_imports_private_modules(
    tmp_path: pathlib.Path, server: Server
) -> None:
    (tmp_path / "inputs.py").write_text("from tensorflow.python.estimator.run_config import RunConfig\n")
    program = (
        "import sys, queuecompat\nbefore = list(sys.meta_path)\n"
        "print(queuecompat.load('inputs.py').RunConfig.__module__, sys.meta_path == before)\n"
    )
    ran = server.run(["-c", program], str(tmp_path))
    assert ran.out.split() == ["tensorflow_estimator.python.estimator.run_config", "True"], ran.err


def test_without_the_package_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    estimators._package.cache_clear()
    monkeypatch.setitem(sys.modules, "tensorflow_estimator", None)
    with pytest.raises(AttributeError, match=r"'tf.estimator.RunConfig'.*\n(.*\n)*.*pip install tensorflow-estimator"):
        queuecompat.estimator.RunConfig  # noqa: B018
    assert dir(queuecompat.estimator) == ["ModeKeys", "inputs"]
    estimators._package.cache_clear()


_PRIVATE = """
import json, sys
import tensorflow as tf
{line}
stand_ins = [name for name in sys.modules if name.endswith(("estimator_training", "tpu.tpu_embedding"))]
print(json.dumps([tf.__version__, Estimator.__module__, stand_ins]))
"""


@pytest.mark.parametrize(
    "line",
    [
        "from tensorflow_estimator.python.estimator.estimator import Estimator",
        "from tensorflow.python.estimator.estimator import Estimator",
        "from tensorflow.python.estimator import estimator as e; Estimator = e.Estimator",
        "import tensorflow.python.estimator.estimator as e; Estimator = e.Estimator",
        "Estimator = tf.estimator.Estimator",
    ],
)
def test_programs_import_it_in_every_way_and_nothing_stands_in_afterwards(
    line: str, tmp_path: pathlib.Path, server: Server
) -> None:
    (tmp_path / "main.py").write_text(_PRIVATE.format(line=line))
    ran = server.run([str(tmp_path / "main.py")], str(tmp_path), launcher=["run"])
    assert ran.exit_code == 0, ran.err
    version, module, left = json.loads(ran.out.strip().splitlines()[-1])
    found: List[Any] = [module, left]
    assert found == ["tensorflow_estimator.python.estimator.estimator", []] and version == "1.15.5"
