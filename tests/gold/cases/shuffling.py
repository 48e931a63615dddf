"""tf.train.shuffle_batch: its elements are fixed, their order is not.

TF1's own order depends on how full the buffer is at each dequeue, so only sorted rows, shapes and the ending are
recorded. If a partial batch is dropped, its rows depend on timing, too: then the number of different rows is recorded
instead.
"""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from .harness import Result, collect, gold

__all__: list[str] = []


def _numbers(tf: Any, count: int, num_epochs: Any = 1) -> Any:
    return tf.train.range_input_producer(count, num_epochs=num_epochs, shuffle=False).dequeue()


def _sorted(result: Result, by: str, *others: str) -> Result:
    """Sort the numbers of *by*, and carry those of *others* along."""
    order = np.argsort(result[by], kind="stable")
    for name in (by,) + others:
        result[name] = result[name][order]
    return result


@gold
def a_shuffled_epoch_holds_every_row_once(tf: Any) -> Result:
    def build() -> Any:
        return tf.train.shuffle_batch([_numbers(tf, 20)], batch_size=5, capacity=12, min_after_dequeue=6)

    return _sorted(collect(tf, build), "out")


@gold
def a_seed_changes_nothing_but_the_order(tf: Any) -> Result:
    def build() -> Any:
        return tf.train.shuffle_batch([_numbers(tf, 20)], batch_size=5, capacity=12, min_after_dequeue=6, seed=9)

    return _sorted(collect(tf, build), "out")


@gold
def shuffled_epochs_hold_every_row_once_each(tf: Any) -> Result:
    def build() -> Any:
        return tf.train.shuffle_batch([_numbers(tf, 7, num_epochs=4)], batch_size=4, capacity=9, min_after_dequeue=3)

    return _sorted(collect(tf, build), "out")


@gold
def a_shuffled_tail_is_dropped_unless_allowed(tf: Any) -> Result:
    def build() -> Any:
        return tf.train.shuffle_batch([_numbers(tf, 11)], batch_size=4, capacity=9, min_after_dequeue=3)

    given = collect(tf, build)
    given["different_rows"] = np.array(len(set(given.pop("out").tolist())))
    return given


@gold
def an_allowed_shuffled_tail_is_a_smaller_batch(tf: Any) -> Result:
    def build() -> Any:
        return tf.train.shuffle_batch(
            [_numbers(tf, 11)],
            batch_size=4,
            capacity=9,
            min_after_dequeue=3,
            allow_smaller_final_batch=True,
        )

    return _sorted(collect(tf, build), "out")


@gold
def a_pool_larger_than_the_data_gives_all_of_it(tf: Any) -> Result:
    def build() -> Any:
        return tf.train.shuffle_batch([_numbers(tf, 8)], batch_size=4, capacity=100, min_after_dequeue=50)

    return _sorted(collect(tf, build), "out")


@gold
def the_components_of_a_shuffled_row_stay_together(tf: Any) -> Result:
    def build() -> Any:
        number = _numbers(tf, 12)
        return tf.train.shuffle_batch(
            {"number": number, "text": tf.as_string(number), "square": number * number},
            batch_size=3,
            capacity=8,
            min_after_dequeue=4,
        )

    return _sorted(collect(tf, build), "number", "text", "square")


@gold
def a_shuffled_list_comes_back_as_a_list(tf: Any) -> Result:
    def build() -> Any:
        number = _numbers(tf, 12)
        return tf.train.shuffle_batch([number, -number], batch_size=3, capacity=8, min_after_dequeue=4)

    return _sorted(collect(tf, build), "0", "1")


@gold
def shuffled_blocks_are_cut_into_rows(tf: Any) -> Result:
    def build() -> Any:
        number = _numbers(tf, 6)
        return tf.train.shuffle_batch(
            [number * 3 + tf.range(3)],
            batch_size=6,
            capacity=14,
            min_after_dequeue=5,
            enqueue_many=True,
        )

    return _sorted(collect(tf, build), "out")


@gold
def many_threads_shuffle_every_row_once(tf: Any) -> Result:
    def build() -> Any:
        return tf.train.shuffle_batch([_numbers(tf, 20)], batch_size=5, capacity=12, min_after_dequeue=6, num_threads=3)

    return _sorted(collect(tf, build), "out")


@gold
def a_shuffled_batch_may_exceed_the_capacity(tf: Any) -> Result:
    def build() -> Any:
        return tf.train.shuffle_batch([_numbers(tf, 14)], batch_size=7, capacity=4, min_after_dequeue=1)

    return _sorted(collect(tf, build), "out")


@gold
def a_shuffled_stream_without_a_limit_does_not_end(tf: Any) -> Result:
    def build() -> Any:
        return tf.train.shuffle_batch(
            [_numbers(tf, 5, num_epochs=None)], batch_size=4, capacity=12, min_after_dequeue=6
        )

    given = collect(tf, build, max_steps=10)
    # Which rows the pool holds back at the end is chance.
    given["rows_are_known"] = np.array(set(given.pop("out").tolist()) <= set(range(5)))
    return given


@gold
def the_first_shuffled_batch_needs_min_after_dequeue_elements_and_a_batch(tf: Any) -> Result:
    """The Python function in front of the pool lets so many pass, and the next one only when the batch has come."""
    may_pass, passed = threading.Event(), []

    def gate(number: Any) -> Any:
        if len(passed) == 25 and not may_pass.wait(30):
            raise AssertionError("the first batch needed more than 25 elements")
        passed.append(number)
        return number

    with tf.Graph().as_default():
        number = tf.py_func(gate, [_numbers(tf, 10**6, num_epochs=None)], tf.int32)
        number.set_shape([])
        batch = tf.train.shuffle_batch([number], batch_size=5, capacity=100000, min_after_dequeue=20)
        with tf.Session() as sess:
            coord = tf.train.Coordinator()
            threads = tf.train.start_queue_runners(sess, coord)
            first, needed = sess.run(batch), len(passed)
            may_pass.set()
            coord.request_stop()
            coord.join(threads)
    return {"rows": np.array(first.shape), "needed": np.array(needed), "known": np.array(bool(np.all(first < 25)))}
