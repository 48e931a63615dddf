"""SparseTensors through the batchers: sparse in, sparse out, compiled."""

from __future__ import annotations

from typing import Any, List

import numpy as np

import queuecompat.v1 as tf
from tests.pipelines.running import drain


def numbers(limit: int = 6) -> Any:
    return tf.train.range_input_producer(limit, num_epochs=1, shuffle=False).dequeue()


def row(x: Any) -> Any:
    """As many values as x, each x, at the first places of ten."""
    return tf.SparseTensor(tf.cast(tf.expand_dims(tf.range(x), 1), tf.int64), tf.fill([x], x), [10])


def dense(batches: List[Any]) -> np.ndarray:
    rows = []
    for batch in batches:
        whole = np.zeros(batch.dense_shape, batch.values.dtype)
        whole[tuple(batch.indices.T)] = batch.values
        rows.append(whole)
    return np.concatenate(rows)


EXPECTED = np.array([[x] * x + [0] * (10 - x) for x in range(6)])


def test_a_batch_of_sparse_rows_is_a_sparse_tensor_of_one_more_dimension() -> None:
    batch = tf.train.batch([row(numbers())], 2)
    assert isinstance(batch, tf.SparseTensor)
    assert batch.shape.ndims == 2
    np.testing.assert_array_equal(dense(drain(batch)), EXPECTED)


def test_sparse_and_dense_components_stay_together() -> None:
    x = numbers()
    batches = drain(tf.train.shuffle_batch({"s": row(x), "x": x}, 2, capacity=6, min_after_dequeue=2))
    order = np.concatenate([batch["x"] for batch in batches])
    np.testing.assert_array_equal(dense([batch["s"] for batch in batches]), EXPECTED[order])


def test_sparse_rows_go_beside_padded_ones() -> None:
    x = numbers()
    batches = drain(tf.train.batch([row(x), tf.range(x)], 3, dynamic_pad=True))
    np.testing.assert_array_equal(dense([sparse for sparse, _ in batches]), EXPECTED)
    assert [padded.shape for _, padded in batches] == [(3, 2), (3, 5)]


def test_a_sparse_block_is_cut_into_rows() -> None:
    x = numbers(3)
    block = tf.SparseTensor(tf.cast([[0, 1], [1, 0]], tf.int64), tf.stack([x + 1, x + 11]), [2, 3])
    batches = drain(tf.train.batch([block], 3, enqueue_many=True))
    assert dense(batches).tolist() == [[0, 1, 0], [11, 0, 0], [0, 2, 0], [12, 0, 0], [0, 3, 0], [13, 0, 0]]


def test_a_smaller_final_batch_is_sparse_too() -> None:
    batches = drain(tf.train.batch([row(numbers())], 4, allow_smaller_final_batch=True))
    assert [batch.dense_shape[0] for batch in batches] == [4, 2]


def test_kept_sparse_rows_of_several_lists_arrive() -> None:
    x, y = numbers(), numbers()
    batches = drain(tf.train.maybe_batch_join([[row(x)], [row(y)]], tf.constant(True), 3))
    assert sorted(dense(batches).tolist()) == sorted(np.concatenate([EXPECTED, EXPECTED]).tolist())


def test_a_slice_after_the_batch_may_take_it_on() -> None:
    batch = tf.train.batch([row(numbers())], 2)
    again = tf.train.batch([tf.sparse_tensor_to_dense(batch)], 4, enqueue_many=True, shapes=[[10]])
    np.testing.assert_array_equal(np.concatenate(drain(again)), EXPECTED[:4])
