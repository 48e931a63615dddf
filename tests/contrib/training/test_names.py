"""The package is looked up by name, as ``tf.contrib.training`` was."""

from __future__ import annotations

import sys
from typing import Any, Iterator

import pytest

import queuecompat.v1 as tf
from queuecompat.contrib import training
from queuecompat.contrib.slim import _layers


@pytest.fixture
def fake_tf_slim(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    folder = tmp_path / "fake_slim_loops" / "training"
    folder.mkdir(parents=True)
    for name in ("../__init__", "__init__", "training", "evaluation"):
        (folder / f"{name}.py").write_text("train = 'their loop'\nevaluate_once = 'their evaluation'\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(_layers, "PACKAGE", "fake_slim_loops")
    yield
    for name in [name for name in sys.modules if name.split(".")[0] == "fake_slim_loops"]:
        del sys.modules[name]


def test_contrib_training_is_one_module_however_it_is_reached() -> None:
    assert tf.contrib.training is training


@pytest.mark.parametrize("name", training.__all__)
def test_every_name_is_there(name: str) -> None:
    assert getattr(training, name).__name__ == name
    assert name in dir(training)


def test_loops_are_those_of_tf_slim_where_it_is_installed(fake_tf_slim: None) -> None:
    assert training.train == "their loop"
    assert training.evaluate_once == "their evaluation"
    assert {"train", "evaluate_once", "bucket"} <= set(dir(training))


def test_a_missing_name_is_an_error_that_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_layers, "PACKAGE", "tf_slim_that_is_not_there")
    with pytest.raises(AttributeError, match=r"'tf\.contrib\.training\.Tuner' .*TensorFlow 1\.15 had no such name"):
        training.Tuner  # noqa: B018
    with pytest.raises(
        AttributeError, match=r"'tf\.contrib\.training\.create_train_op' (?s:.*)instead: +pip install tf-slim"
    ):
        training.create_train_op  # noqa: B018
