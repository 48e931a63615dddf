"""A slice that runs on whole batches gives, bit for bit, what it gives on each element."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
import pytest

import queuecompat
import queuecompat.v1 as tf
from tests.pipelines.running import drain

ROWS, SIZE = 12, 4
IMAGES = np.random.RandomState(1).randint(0, 255, [ROWS, 5, 3]).astype(np.uint8)
MEAN = np.random.RandomState(2).rand(5, 3).astype(np.float32)

ON_BATCHES = {
    "the row itself": lambda x: x,
    "a cast": lambda x: tf.cast(x, tf.float32),
    "scaling": lambda x: tf.cast(x, tf.float32) * (1.0 / 255) - 0.5,
    "division by a scalar": lambda x: tf.cast(x, tf.float32) / 3.0,
    "a mean image": lambda x: tf.cast(x, tf.float32) - MEAN,
    "a value for each channel": lambda x: [1.0, 2.0, 3.0] / (tf.cast(x, tf.float32) + 1),
    "a row with itself": lambda x: tf.minimum(x, x) + tf.square(x),
    "a reduction": lambda x: tf.reduce_sum(tf.cast(x, tf.int32)),
    "a part of itself": lambda x: tf.gather(x, 1),
    "a row and one of its columns": lambda x: tf.cast(x, tf.float32) + tf.cast(x, tf.float32)[0],
    "a larger operand": lambda x: tf.cast(x, tf.float32) + np.zeros([2, 5, 3], np.float32),
    "a cast that shrinks": lambda x: tf.cast(tf.cast(tf.reverse(x, [0]), tf.float64), tf.float32),
}
ONE_BY_ONE = {
    "a cast that may overflow": lambda x: tf.cast(tf.cast(x, tf.float32) * 2, tf.uint8),
    "a function whose last bits depend on the shape": lambda x: tf.exp(tf.cast(x, tf.float32) / 100),
}


def batch_of(function: Callable[[Any], Any]) -> Any:
    row = tf.train.slice_input_producer([IMAGES], num_epochs=1, shuffle=False)[0]
    return tf.train.batch([function(row)], SIZE)


def is_on_batches() -> bool:
    return "on whole batches" in str(queuecompat.explain())


@pytest.mark.parametrize("what", ON_BATCHES)
def test_it_runs_on_batches_with_the_same_bits(what: str) -> None:
    batch = batch_of(ON_BATCHES[what])
    assert is_on_batches()
    given = np.concatenate(drain(batch))
    row = tf.placeholder(tf.uint8, IMAGES.shape[1:])
    result = ON_BATCHES[what](row)
    with tf.Session() as sess:
        one_by_one = np.stack([sess.run(result, {row: image}) for image in IMAGES])
    assert given.dtype == one_by_one.dtype
    assert given.tobytes() == one_by_one.tobytes()


@pytest.mark.parametrize("what", ONE_BY_ONE)
def test_it_stays_one_by_one(what: str) -> None:
    batch = batch_of(ONE_BY_ONE[what])
    assert not is_on_batches()
    assert "not batched; QC309 " in str(queuecompat.explain())
    given = np.concatenate(drain(batch))
    row = tf.placeholder(tf.uint8, IMAGES.shape[1:])
    result = ONE_BY_ONE[what](row)
    with tf.Session() as sess:
        np.testing.assert_array_equal(given, np.stack([sess.run(result, {row: image}) for image in IMAGES]))


def test_rows_of_a_large_array_are_looked_up_in_batches_too() -> None:
    images = np.random.RandomState(0).rand(3000, 20, 20).astype(np.float32)
    row, number = tf.train.slice_input_producer([images, np.arange(3000)], num_epochs=1)
    batch = tf.train.batch([row * 2.0, number], 300)
    assert is_on_batches()
    for rows, numbers in drain(batch):
        np.testing.assert_array_equal(rows, images[numbers] * 2)


def test_a_variable_operand_is_read_once_a_batch() -> None:
    scale = tf.get_variable("scale", initializer=3.0, use_resource=True)
    row = tf.train.slice_input_producer([IMAGES.astype(np.float32)], num_epochs=1, shuffle=False)[0]
    batch = tf.train.batch([row * scale], SIZE)
    np.testing.assert_array_equal(np.concatenate(drain(batch)), IMAGES.astype(np.float32) * 3)


@pytest.mark.parametrize("seed", [None, 5])
def test_of_a_seeded_slice_the_draws_alone_run_one_by_one(seed: Any) -> None:
    row, number = tf.train.slice_input_producer([IMAGES, np.arange(ROWS)], num_epochs=1, shuffle=False)
    crop = tf.random_crop(row, [3, 3], seed=seed)
    crop = tf.cond(tf.random_uniform([], seed=seed) < 0.5, lambda: crop, lambda: tf.reverse(crop, [1]))
    batch = tf.train.batch([tf.cast(crop, tf.float32) * (1.0 / 255) - 0.5, number, crop], SIZE)
    assert is_on_batches()
    assert ("(RandomUniform, RandomUniformInt), one by one" in str(queuecompat.explain())) == (seed is not None)
    for scaled, numbers, crops in drain(batch):
        assert scaled.tobytes() == (crops.astype(np.float32) * np.float32(1.0 / 255) - np.float32(0.5)).tobytes()
        assert all(c[0, 0] in IMAGES[n] for c, n in zip(crops, numbers))
