"""Draws in functions that TensorFlow 2 converts: ours are left as they are."""

from __future__ import annotations

import logging
import pathlib
from typing import Any

import pytest

import queuecompat.v1 as tf
from tests.pipelines.running import started


def drawn_in_a_loop(draw: Any, dtype: Any) -> Any:
    return tf.map_fn(lambda _: draw(), tf.constant([0, 0]), dtype=dtype, parallel_iterations=1)


@pytest.fixture
def two_files(tmp_path: pathlib.Path) -> Any:
    names = [str(tmp_path / name) for name in ("a", "b")]
    for name in names:
        pathlib.Path(name).write_text(f"{pathlib.Path(name).name}1\n{pathlib.Path(name).name}2\n")
    return tf.train.string_input_producer(names, shuffle=False)


def test_a_dequeue_in_map_fn_is_built_as_it_is(caplog: pytest.LogCaptureFixture) -> None:
    """It took a second, and there was a warning of a function of ours that AutoGraph could not transform."""
    numbers = tf.train.range_input_producer(6, shuffle=False)
    with caplog.at_level(logging.WARNING):
        values = drawn_in_a_loop(numbers.dequeue, tf.int32)
        pairs = drawn_in_a_loop(lambda: numbers.dequeue_many(2), tf.int32)
    assert "AutoGraph" not in caplog.text
    with started() as session:
        assert session.run(values).tolist() == [0, 1]
        assert session.run(pairs).tolist() == [[2, 3], [4, 5]]


def test_a_read_in_map_fn_is_built_as_it_is(two_files: Any, caplog: pytest.LogCaptureFixture) -> None:
    reader = tf.TextLineReader()
    with caplog.at_level(logging.WARNING):
        lines = drawn_in_a_loop(lambda: reader.read(two_files).value, tf.string)
    assert "AutoGraph" not in caplog.text
    with started() as session:
        assert session.run(lines).tolist() == [b"a1", b"a2"]
