"""Variables of TensorFlow 1 that each element changes: an element has the value that it wrote, not a later one."""

from __future__ import annotations

from typing import Any, Callable, Dict, List

import pytest
import tensorflow as tf2

import queuecompat
import queuecompat.v1 as tf
from tests.pipelines.running import started

BATCH = 6


def variable(value: Any) -> Any:
    return tf.Variable(value, trainable=False, use_resource=False)


def _read_after(added: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def build(number: Any) -> Any:
        one = variable(0)
        with tf.control_dependencies([tf.assign_add(one, 1)]):
            return added(one)

    return build


def _running_mean(number: Any) -> Any:
    mean = variable(0.0)
    return tf.assign(mean, mean * 0.5 + tf.cast(number, tf.float32))


# What is batched of an element with a number from 0 on, and the values for the first ones.
BUILDS: Dict[str, Any] = {
    "assign": (lambda number: tf.assign(variable(0), number * 10), [0, 10, 20, 30, 40, 50]),
    "assign_add": (lambda number: tf.assign_add(variable([0.0, 5.0]), [1.0, 1.0]), [[n, n + 5] for n in range(1, 7)]),
    "assign_add, reshaped": (lambda number: tf.reshape(tf.assign_add(variable([0]), [1]), []), [1, 2, 3, 4, 5, 6]),
    "assign_add, identity": (lambda number: tf.identity(tf.assign_add(variable(0), 1)), [1, 2, 3, 4, 5, 6]),
    "assign_sub": (lambda number: tf.assign_sub(variable(9), 1), [8, 7, 6, 5, 4, 3]),
    "scatter_add": (
        lambda number: tf.scatter_add(variable([0, 0, 0]), [number % 3], [1]),
        [[1, 0, 0], [1, 1, 0], [1, 1, 1], [2, 1, 1], [2, 2, 1], [2, 2, 2]],
    ),
    "scatter_add, first row": (
        lambda number: tf.scatter_add(variable([[0], [7]]), [0], [[1]])[0],
        [[n + 1] for n in range(6)],
    ),
    "scatter_nd_update": (
        lambda number: tf.scatter_nd_update(variable([9, 9]), [[0]], [number]),
        [[n, 9] for n in range(6)],
    ),
    "read after a change": (_read_after(lambda one: one.read_value()), [1, 2, 3, 4, 5, 6]),
    "identity after a change": (_read_after(tf.identity), [1, 2, 3, 4, 5, 6]),
    "a running mean": (_running_mean, [0.0, 1.0, 2.5, 4.25, 6.125, 8.0625]),
}


def batched(build: Callable[[Any], Any]) -> List[Any]:
    number = tf.train.range_input_producer(2 * BATCH, shuffle=False).dequeue()
    return tf.train.batch([number, build(number)], BATCH, num_threads=1)


@pytest.mark.parametrize("name", BUILDS)
def test_an_element_has_the_value_that_it_wrote(name: str) -> None:
    build, values = BUILDS[name]
    with tf2.Graph().as_default() as graph:
        _, batch = batched(build)
        assert "native" not in str(queuecompat.explain())
        with started(graph) as sess:
            assert sess.run(batch).tolist() == values


def test_a_count_beside_a_variable_that_is_only_read() -> None:
    """An int32 that is a reference beside a float was TensorFlow's InternalError."""
    with tf2.Graph().as_default() as graph:
        mean, count = variable(0.5), variable(0)
        number = tf.train.range_input_producer(BATCH, shuffle=False).dequeue()
        batch = tf.train.batch([tf.cast(number, tf.float32) - mean, tf.assign_add(count, 1)], 3)
        with started(graph) as sess:
            assert [one.tolist() for one in sess.run(batch)] == [[-0.5, 0.5, 1.5], [1, 2, 3]]
