"""The package is looked up by name, as ``tf.contrib.training`` was."""

from __future__ import annotations

import pytest

import queuecompat.v1 as tf
from queuecompat.contrib import training


def test_it_is_the_same_everywhere() -> None:
    assert tf.contrib.training is training


@pytest.mark.parametrize("name", training.__all__)
def test_every_name_is_there(name: str) -> None:
    assert getattr(training, name).__name__ == name
    assert name in dir(training)


def test_a_name_that_is_not_there_says_so() -> None:
    with pytest.raises(AttributeError, match=r"'tf\.contrib\.training\.Tuner' .*TF 1\.15 had none of this name"):
        training.Tuner  # noqa: B018
    with pytest.raises(AttributeError, match=r"'tf\.contrib\.training\.create_train_op' .*tf-slim"):
        training.create_train_op  # noqa: B018
