"""Arithmetic with constants has the bits that it has in a session, where TensorFlow rewrites it."""

from __future__ import annotations

import pathlib
from typing import Any, Callable, Dict

import numpy as np
import pytest
import tensorflow as tf

import queuecompat
from queuecompat import train
from tests.forking import Server

NUMBERS = np.random.RandomState(1).randint(0, 256, (40, 6, 3)).astype(np.float32)
MEANS = np.float32([103.939, 116.779, 123.68])

EXPRESSIONS: Dict[str, Callable[[Any], Any]] = {
    "quotient": lambda x: x / 255.0,
    "quotient_of_quotient": lambda x: x / 255.0 / 3.0,
    "quotient_of_product": lambda x: x * 2.0 / 255.0 - 1.0,
    "differences": lambda x: 0.1 - (x * 0.01 - 1.0 - 0.3),
    "vectors": lambda x: (x - MEANS) / (MEANS / 2.0),
    "computed_constant": lambda x: x / tf.cast(tf.reduce_prod([5, 51]), tf.float32),
    "size": lambda x: x / tf.cast(tf.size(x), tf.float32),
    "sum": lambda x: x * 0.01 + x * 0.02 + x * 0.03,
    "branch": lambda x: tf.cond(tf.reduce_max(x) > 250.0, lambda: x / 255.0, lambda: x / 3.0),
    "loop": lambda x: tf.map_fn(lambda row: row / 7.0, x),
    "python": lambda x: tf.ensure_shape(tf.numpy_function(np.array, [x], tf.float32), [6, 3]) / 255.0,
}


def in_session(function: Callable[[Any], Any]) -> np.ndarray:
    """The values of *function* of each of ``NUMBERS``, by a session of TensorFlow alone."""
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        number = tf.compat.v1.placeholder(tf.float32, NUMBERS.shape[1:])
        # Of fewer than four ops TensorFlow rewrites none.
        value = tf.identity(tf.identity(function(number)))
        return np.stack([session.run(value, {number: one}) for one in NUMBERS])


@pytest.mark.parametrize("name", EXPRESSIONS)
@pytest.mark.parametrize("draws", [False, True])
def test_a_dataset_has_the_bits_of_a_session(name: str, draws: bool) -> None:
    function = EXPRESSIONS[name]

    def rows() -> Any:
        row = train.slice_input_producer([NUMBERS], num_epochs=1, shuffle=False)[0]
        # What is drawn is not done on whole batches.
        more = tf.random.uniform([], 0.0, 0.0, seed=1) if draws else 0.0
        return train.batch([function(row + more)], 40)

    np.testing.assert_array_equal(next(iter(queuecompat.as_dataset(rows))), in_session(function))


def test_division_is_a_product_as_in_tensorflow_1() -> None:
    """TensorFlow 1.15.5 has these bits."""

    def rows() -> Any:
        return train.batch([train.slice_input_producer([NUMBERS], num_epochs=1, shuffle=False)[0] / 255.0], 40)

    product = NUMBERS * (np.float32(1.0) / np.float32(255.0))
    assert (product != NUMBERS / np.float32(255.0)).any()
    np.testing.assert_array_equal(next(iter(queuecompat.as_dataset(rows))), product)


_FORKING = """
import os, signal
import tensorflow as tf, queuecompat
from queuecompat import train
from tests.forking import Server

def halves():
    number = train.range_input_producer(8, num_epochs=1, shuffle=False).dequeue()
    return train.batch([tf.cast(number, tf.float32) / 2.0], 8)

def values():
    return next(iter(queuecompat.as_dataset(halves))).numpy().tolist()

def in_fork(function):
    if os.fork() == 0:
        signal.alarm(60)
        print(function(), flush=True)
        os._exit(0)
    assert os.wait()[1] == 0

print(values(), flush=True)
in_fork(values)
in_fork(lambda: tf.compat.v1.Session(graph=tf.Graph()).graph is not None)
"""


@pytest.mark.skipif(tf.__version__.startswith(("2.12.", "2.15.")), reason="its eager mode hangs in a fork")
def test_datasets_can_be_made_in_a_fork_after_those_of_its_parent(tmp_path: pathlib.Path, server: Server) -> None:
    """It was the error of a session's step in a fork (QC311)."""
    ran = server.run(["-c", _FORKING], str(tmp_path))
    assert ran.out.splitlines() == [str([number / 2 for number in range(8)])] * 2 + ["True"], ran.err


def test_ops_after_the_batch_have_the_bits_of_a_session() -> None:
    def rows() -> Any:
        return train.batch(train.slice_input_producer([NUMBERS], num_epochs=1, shuffle=False), 40) / 255.0

    np.testing.assert_array_equal(next(iter(queuecompat.as_dataset(rows))), in_session(EXPRESSIONS["quotient"]))
