"""The dataset door, in eager mode: it has no other."""

from __future__ import annotations

import pathlib

import pytest
import tensorflow as tf

import queuecompat
from tests.queues.modes import fail_unless_they_pass_eagerly

FILES = sorted(pathlib.Path(__file__).parent.glob("eager_*.py"))


@pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
def test_it_holds_in_eager_mode(path: pathlib.Path) -> None:
    fail_unless_they_pass_eagerly([path])


def test_without_eager_execution_it_says_so() -> None:
    assert not tf.executing_eagerly()
    with pytest.raises(RuntimeError, match="QC501"):
        queuecompat.as_dataset(lambda: tf.constant(1))
