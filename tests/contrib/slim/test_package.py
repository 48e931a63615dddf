"""``queuecompat.contrib.slim``: our modules first, then those of ``tf_slim``; and ``tf_slim`` itself, if there."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import subprocess
import sys
from typing import Any, Iterator

import numpy as np
import pytest
import tensorflow

import queuecompat.v1 as tf
from queuecompat.contrib import slim
from queuecompat.contrib.slim import _layers
from queuecompat.contrib.slim._shared import SHARED
from queuecompat.migrate.check import packages

IS_INSTALLED = importlib.util.find_spec("tf_slim") is not None

FAKE = {
    "__init__.py": """
from tf_slim import queues
conv2d = 'their conv2d'
flatten = 'their flatten'
prefetch_queue = 'theirs'
""",
    "queues.py": "",
    "nets/__init__.py": "",
    "nets/vgg.py": "vgg_a = 'their vgg'\n",
    "losses.py": "log_loss = 'their loss'\n",
    "metrics.py": "streaming_covariance = 'their metric'\nstreaming_mean = 'theirs, too'\n",
    "learning.py": """
from tensorflow.python.framework import ops as framework_ops
from tensorflow.python.ops import array_ops, control_flow_ops, variable_scope

def moved():
    names = framework_ops.IndexedSlices, framework_ops.Tensor, array_ops.stack, control_flow_ops.cond
    return [*names, variable_scope.variable, framework_ops.Graph]

def missing():
    return control_flow_ops.never_was_there
""",
}


@pytest.fixture
def without_tf_slim(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    theirs = [name for name in sys.modules if name.split(".")[0] == "tf_slim"]
    for name in theirs:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(_layers, "PACKAGE", "tf_slim_that_nobody_has")
    yield


@pytest.fixture
def fake_tf_slim(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name, text in FAKE.items():
        path = tmp_path / "fake_slim" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.replace("tf_slim", "fake_slim"))
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(_layers, "PACKAGE", "fake_slim")
    yield
    for name in [name for name in sys.modules if name.split(".")[0] == "fake_slim"]:
        del sys.modules[name]


def test_it_is_what_tf_contrib_has() -> None:
    assert tf.contrib.slim is slim


@pytest.mark.parametrize("name", slim.__all__)
def test_our_modules_need_no_tf_slim(without_tf_slim: None, name: str) -> None:
    module = importlib.import_module(f"queuecompat.contrib.slim.{name}")
    assert getattr(slim, name) is module
    assert all(hasattr(module, public) for public in module.__all__)


def test_without_tf_slim_the_rest_says_how_to_get_it(without_tf_slim: None) -> None:
    with pytest.raises(AttributeError, match=r"(?s)slim\.conv2d is in the package tf-slim.*pip install tf-slim"):
        slim.conv2d  # noqa: B018
    assert dir(slim) == sorted([*slim.__all__, *SHARED])


def test_slim_shares_all_that_contrib_layers_has() -> None:
    shared = {name for name, place in SHARED.items() if place.startswith("queuecompat.contrib.layers:")}
    assert shared == set(tf.contrib.layers.__all__)


@pytest.mark.parametrize("name", SHARED)
def test_what_slim_shared_with_other_modules_needs_no_tf_slim(without_tf_slim: None, name: str) -> None:
    """``slim.l2_regularizer`` beside ``tf.layers``, and ``slim.one_hot_encoding``, were said to need tf-slim."""
    module, _, attribute = SHARED[name].partition(":")
    assert getattr(slim, name) is getattr(importlib.import_module(module), attribute)
    assert not dict(packages._PACKAGES)["tf-slim"].fullmatch(f"tf.contrib.slim.{name}")


def test_a_shared_name_is_that_of_tf_slim_if_it_has_it(fake_tf_slim: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(vars(slim), "flatten", raising=False)
    assert slim.flatten == "their flatten"
    assert slim.xavier_initializer is tf.contrib.layers.xavier_initializer


def test_our_modules_come_before_those_of_tf_slim(fake_tf_slim: None) -> None:
    assert slim.queues.__name__ == "queuecompat.contrib.slim.queues"
    assert slim.prefetch_queue.__name__ == "queuecompat.contrib.slim.prefetch_queue"


def test_other_names_are_those_of_tf_slim(fake_tf_slim: None) -> None:
    assert slim.conv2d == "their conv2d"
    assert {"conv2d", "prefetch_queue"} <= set(dir(slim))


def test_modules_of_tf_slim_that_it_does_not_import_are_imported(fake_tf_slim: None) -> None:
    assert importlib.import_module("fake_slim.nets.vgg").vgg_a == "their vgg"
    assert slim.nets.vgg.vgg_a == "their vgg"


def test_its_modules_find_what_tensorflow_has_moved_out_of_private_modules(fake_tf_slim: None) -> None:
    """``create_train_op(clip_gradient_norm=4)`` ended in "ops has no attribute 'IndexedSlices'" on TensorFlow 2.21."""
    slim.conv2d  # noqa: B018 - the package is there before that module is
    found = slim.learning.moved()
    assert found == [tf.IndexedSlices, tf.Tensor, tf.stack, tf.cond, tf.Variable, tf.Graph]
    with pytest.raises(AttributeError, match=r"tensorflow\.python\.ops\.control_flow_ops.*never_was_there"):
        slim.learning.missing()


def test_metrics_that_tensorflow_has_removed_are_those_of_tf_slim(fake_tf_slim: None) -> None:
    """``tf.contrib.metrics.streaming_covariance`` was said to have no equivalent, also where tf-slim is installed."""
    assert tf.contrib.metrics.streaming_covariance == "their metric"
    assert tf.contrib.metrics.streaming_mean is tf.metrics.mean
    assert "streaming_covariance" in dir(tf.contrib.metrics)


def test_losses_of_contrib_are_those_of_tf_slim(fake_tf_slim: None) -> None:
    assert tf.contrib.losses.log_loss == "their loss" and "log_loss" in dir(tf.contrib.losses)
    with pytest.raises(AttributeError, match=r"TensorFlow 1\.15 had no such name"):
        tf.contrib.losses.huber_loss  # noqa: B018


def test_without_tf_slim_the_losses_of_contrib_say_how_to_get_them(without_tf_slim: None) -> None:
    with pytest.raises(AttributeError, match=r"(?s)tf\.contrib\.losses\.log_loss.*instead: +pip install tf-slim\n"):
        tf.contrib.losses.log_loss  # noqa: B018
    assert dir(tf.contrib.losses) == []


@pytest.mark.parametrize("module", ["losses", "metrics", "training"])
def test_check_says_of_these_names_alone_that_they_need_tf_slim(module: str) -> None:
    found = getattr(tf.contrib, module)
    needed = dict(packages._PACKAGES)["tf-slim"]
    assert all(needed.fullmatch(f"tf.contrib.{module}.{name}") for name in found._OF_TF_SLIM)
    assert not any(needed.fullmatch(f"tf.contrib.{module}.{name}") for name in found.__all__)


def test_without_tf_slim_its_metrics_say_how_to_get_them(without_tf_slim: None) -> None:
    with pytest.raises(AttributeError, match=r"(?s)streaming_covariance.*instead: +pip install tf-slim\n"):
        tf.contrib.metrics.streaming_covariance  # noqa: B018
    assert "streaming_covariance" not in dir(tf.contrib.metrics)


def test_an_unknown_name_is_an_error_that_says_so(fake_tf_slim: None) -> None:
    with pytest.raises(AttributeError, match=r"neither queuecompat nor tf-slim has slim\.absent"):
        slim.absent  # noqa: B018


def test_names_that_python_asks_for_load_nothing(fake_tf_slim: None) -> None:
    assert not hasattr(slim, "__wrapped__")
    assert inspect.unwrap(slim) is slim
    assert "fake_slim" not in sys.modules


def test_the_package_loads_its_modules_when_they_are_used() -> None:
    code = (
        "import sys, queuecompat.contrib.slim as slim; sys.exit(any("
        "name in sys.modules for name in ('tensorflow', 'tf_slim', 'queuecompat.contrib.slim.queues')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_layers_that_tf_keras_has_moved_are_found_where_tensorflow_looks(
    tmp_path: Any, fake_tf_slim: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without this, ``slim.batch_norm`` ends in "No module named 'tf_keras.legacy_tf_layers'"."""
    place = tmp_path / "fake_keras" / "src" / "legacy_tf_layers"
    place.mkdir(parents=True)
    for folder in (place, place.parent, place.parent.parent):
        (folder / "__init__.py").write_text("")
    (place / "normalization.py").write_text("BatchNormalization = 'theirs'\n")
    monkeypatch.setattr(_layers, "SOUGHT", "fake_keras.legacy_tf_layers")
    monkeypatch.setattr(_layers, "FOUND", "fake_keras.src.legacy_tf_layers")
    slim.conv2d  # noqa: B018 - whoever uses tf_slim
    found = importlib.import_module("fake_keras.legacy_tf_layers.normalization")
    assert found is importlib.import_module("fake_keras.src.legacy_tf_layers.normalization")
    for name in [name for name in sys.modules if name.split(".")[0] == "fake_keras"]:
        del sys.modules[name]


@pytest.mark.skipif(not IS_INSTALLED, reason="tf-slim is not installed")
class TestTfSlim:
    pytestmark = pytest.mark.filterwarnings("ignore")

    def test_layers_take_their_arguments_from_a_scope(self) -> None:
        with slim.arg_scope([slim.conv2d], activation_fn=None, num_outputs=4, kernel_size=3):
            assert slim.conv2d(tf.zeros([2, 8, 8, 3])).shape.as_list() == [2, 8, 8, 4]

    def test_nets_are_built(self) -> None:
        with slim.arg_scope(slim.nets.vgg.vgg_arg_scope()):
            logits, _ = slim.nets.vgg.vgg_a(tf.zeros([1, 224, 224, 3]), num_classes=10)
        assert logits.shape.as_list() == [1, 10]

    def test_a_model_trains_on_a_prefetch_queue_and_saves_itself(self, tmp_path: Any) -> None:
        images = np.random.RandomState(0).rand(20, 6, 6, 1).astype(np.float32)
        image, label = tf.train.slice_input_producer([images, np.arange(20) % 3])
        batch = tf.train.batch([image, label], 5)
        images, labels = slim.prefetch_queue.prefetch_queue(batch).dequeue()
        net = slim.flatten(slim.conv2d(images, 4, 3))
        logits = slim.fully_connected(net, 3, activation_fn=None)
        tensorflow.compat.v1.losses.sparse_softmax_cross_entropy(labels, logits)
        total = tensorflow.compat.v1.losses.get_total_loss()
        train_op = slim.learning.create_train_op(total, tf.train.GradientDescentOptimizer(0.1), clip_gradient_norm=4)
        loss = slim.learning.train(train_op, str(tmp_path), number_of_steps=20, log_every_n_steps=100)
        assert np.isfinite(loss)
        assert tf.train.latest_checkpoint(str(tmp_path)).endswith("model.ckpt-20")
