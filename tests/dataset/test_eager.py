"""The dataset door, in eager mode: it has no other."""

from __future__ import annotations

import pytest
import tensorflow as tf

import queuecompat
from tests.queues.modes import fail_unless_all_pass_eagerly


def test_input_functions_become_datasets() -> None:
    fail_unless_all_pass_eagerly("dataset")


def test_without_eager_execution_it_says_so() -> None:
    assert not tf.executing_eagerly()
    with pytest.raises(RuntimeError, match="QC501"):
        queuecompat.as_dataset(lambda: tf.constant(1))
