"""Graph mode: ``as_dataset`` cannot be had there, and a decorated input function returns its tensors."""

from __future__ import annotations

from typing import Any, Iterator, List

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


@queuecompat.input_pipeline
def numbers(size: int) -> Any:
    queue = tf.train.range_input_producer(4, num_epochs=1, shuffle=False)
    return tf.train.batch([queue.dequeue()], size)


def drawn(batch: tf.Tensor, count: int) -> List[List[int]]:
    with tf.compat.v1.Session() as sess:
        coord = tf.train.Coordinator()
        tf.compat.v1.train.start_queue_runners(sess, coord)
        found = [sess.run(batch).tolist() for _ in range(count)]
        with pytest.raises(tf.errors.OutOfRangeError):
            sess.run(batch)
    return found


def test_a_decorated_input_function_returns_tensors_in_a_graph() -> None:
    assert drawn(numbers(2), 2) == [[0, 1], [2, 3]]


def test_options_of_a_decorated_input_function_are_its_options_in_a_graph_too() -> None:
    assert drawn(numbers(2, on_error="skip"), 2) == [[0, 1], [2, 3]]
    with pytest.raises(ValueError, match="on_error"):
        numbers(2, on_error="guess")


def test_in_a_function_a_decorated_input_function_says_that_it_cannot_be_had() -> None:
    @tf.function(autograph=False)
    def step() -> Any:
        return numbers(2)

    with pytest.raises(RuntimeError, match="QC501"):
        step.get_concrete_function()


def test_in_a_converted_function_the_line_is_the_programs() -> None:
    """It was a line of the file that AutoGraph had written, and that is gone."""

    @tf.function
    def in_function() -> Any:
        return queuecompat.as_dataset(numbers, 2)

    with pytest.raises(Exception, match="QC501") as caught:
        in_function.get_concrete_function()
    line = next(line for line in str(caught.value).splitlines() if "made at:" in line)
    assert "test_without_eager_mode.py:" in line and "__autograph" not in line
