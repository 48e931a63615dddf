"""``as_dataset`` where it cannot be had: in graph mode."""

from __future__ import annotations

from typing import Iterator

import pytest
import tensorflow as tf

import queuecompat


@pytest.fixture(autouse=True)
def graph() -> Iterator[tf.Graph]:
    with tf.Graph().as_default() as fresh:
        yield fresh


def test_without_eager_execution_it_says_so() -> None:
    assert not tf.executing_eagerly()
    with pytest.raises(RuntimeError, match="QC501"):
        queuecompat.as_dataset(lambda: tf.constant(1))
