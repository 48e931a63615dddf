"""``explain(code=True)`` of TensorFlow 1's conditions and loops: the code gives what the dataset gives."""

from __future__ import annotations

from typing import Any, Callable, Dict

import numpy as np
import pytest
import tensorflow as tf2

import queuecompat

with queuecompat.tf1_imports():
    import queuecompat.v1 as tf


def numbers() -> Any:
    return tf.train.range_input_producer(6, num_epochs=1, shuffle=False).dequeue()


def in_branches(n: Any) -> Any:
    inner = lambda: tf.cond(n > 4, lambda: n * 3, lambda: n + tf.constant([1, 2, 3])[0])  # noqa: E731
    return tf.cond(n > 2, inner, lambda: -n)


def several_results(n: Any) -> Any:
    drawn = lambda: tf.random_uniform([], maxval=1 << 30, dtype=tf.int32)  # noqa: E731

    def twice() -> Any:
        once = drawn()
        return once, once, n

    one, other, _ = tf.cond(n > 2, twice, lambda: (n, n, n))
    return one - other


def of_results(n: Any) -> Any:
    return tf.cond(n > 2, lambda: n * 2, lambda: n) + tf.cond(
        tf.cond(n > 2, lambda: n, lambda: -n) > 3, lambda: n, lambda: 0
    )


def the_same_predicate(n: Any) -> Any:
    is_large = n > 2
    first = tf.cond(is_large, lambda: n + 1, lambda: n)
    return tf.cond(is_large, lambda: first * 2, lambda: first * 3)


def guarded(n: Any) -> Any:
    with tf.control_dependencies([tf.Assert(n < 100, [n])]):
        return tf.identity(n) + 1


def guarded_constant(n: Any) -> Any:
    with tf.control_dependencies([tf.Assert(n < 100, [n])]):
        text = tf.constant(" times")
    return tf.strings.length(tf.strings.join([tf.as_string(n), text])) + n


def checked(n: Any) -> Any:
    return tf.RaggedTensor.from_row_lengths(tf.stack([n, n + 1]), tf.stack([1, n - n + 1])).to_tensor()[1, 0]


def loops_in_branches(n: Any) -> Any:
    return tf.cond(n > 2, lambda: tf.while_loop(lambda k: k < 40, lambda k: k * 2 + n, [n]), lambda: -n)


def branches_in_loops(n: Any) -> Any:
    def turn(k: Any, total: Any) -> Any:
        return tf.cond(k % 2 > 0, lambda: k * 2 + n, lambda: k + tf.constant(3)), total + k

    return tf.while_loop(lambda k, total: tf.cond(k > 9, lambda: k < 40, lambda: k < 90), turn, [n, n])[1]


def loops_in_loops(n: Any) -> Any:
    def turn(k: Any, total: Any) -> Any:
        inner = tf.while_loop(
            lambda j, _: j < k, lambda j, part: (j + 1, part + j * n), [0, total], parallel_iterations=1
        )
        return k + 1, inner[1]

    return tf.while_loop(lambda k, _: k < 5, turn, [0, n])[1]


def a_growing_loop(n: Any) -> Any:
    rows = tf.while_loop(
        lambda rows: tf.shape(rows)[0] < 4,
        lambda rows: tf.concat([rows, [tf.reduce_sum(rows) + n]], 0),
        [tf.reshape(n, [1])],
        shape_invariants=[tf.TensorShape([None])],
    )
    return tf.reshape(rows, [4])


def mapped_and_scanned(n: Any) -> Any:
    return tf.reduce_sum(tf.map_fn(lambda k: k * n, tf.range(4))) + tf.scan(lambda a, k: a + k * n, tf.range(5))[4]


CASES = [
    in_branches,
    several_results,
    of_results,
    the_same_predicate,
    guarded,
    guarded_constant,
    checked,
    loops_in_branches,
    branches_in_loops,
    loops_in_loops,
    a_growing_loop,
    mapped_and_scanned,
]


@pytest.mark.parametrize("of_one", CASES)
def test_the_written_code_has_the_elements_of_the_dataset(of_one: Callable[[Any], Any]) -> None:
    dataset = queuecompat.as_dataset(lambda: tf.train.batch([of_one(numbers())], 3), strict=True)
    names: Dict[str, Any] = {}
    code = str(queuecompat.explain(dataset, code=True))
    exec(code, names)
    assert "Switch" not in code and "raw_ops.Enter" not in code
    expected = [batch.numpy().tolist() for batch in dataset]
    assert [np.asarray(batch).tolist() for batch in names["dataset"]()] == expected
    assert [one for batch in expected for one in batch] == [
        np.asarray(of_one(tf2.constant(n))).tolist() for n in range(6)
    ]
