"""A Python function is never called by more threads than TensorFlow 1 would have called it by."""

from __future__ import annotations

import threading
from typing import Any, Callable, List

import numpy as np
import pytest
import tensorflow as real

import queuecompat.v1 as tf
from tests.pipelines.running import drain

COUNT = 12


class Guarded:
    """Returns what it is called with, and notices calls beside *allowed* others.

    A call waits for one too many, at most *patience* seconds for the first: a second thread has all the time to come.
    """

    def __init__(self, allowed: int = 1, patience: float = 1.0) -> None:
        self.order: List[int] = []
        self._rooms = threading.Semaphore(allowed)
        self._crowded = threading.Event()
        self._patience = patience

    @property
    def was_crowded(self) -> bool:
        return self._crowded.is_set()

    def __call__(self, x: Any) -> np.ndarray:
        if not self._rooms.acquire(blocking=False):
            self._crowded.set()
            return np.int32(x)
        try:
            self.order.append(int(x))
            self._crowded.wait(self._patience)
            self._patience = 0.01
            return np.int32(x)
        finally:
            self._rooms.release()


def numbers() -> Any:
    return tf.train.range_input_producer(COUNT, num_epochs=1, shuffle=False).dequeue()


def stateless_py_func(function: Any, x: Any) -> Any:
    return tf.py_func(function, [x], tf.int32, stateful=False)


def stateless_numpy_function(function: Any, x: Any) -> Any:
    return real.numpy_function(function, [x], real.int32, stateful=False)


def eager_function(function: Any, x: Any) -> Any:
    return real.py_function(function, [x], real.int32)


def in_a_loop(function: Any, x: Any) -> Any:
    return tf.map_fn(lambda one: stateless_py_func(function, one), tf.stack([x]), parallel_iterations=1)[0]


def in_a_while(function: Any, x: Any) -> Any:
    def body(step: Any, _: Any) -> Any:
        value = stateless_py_func(function, x)
        value.set_shape([])
        return step + 1, value

    return tf.while_loop(lambda step, _: step < 1, body, [0, x])[1]


def in_a_branch(function: Any, x: Any) -> Any:
    return tf.cond(x >= 0, lambda: stateless_py_func(function, x), lambda: x)


def in_a_function(function: Any, x: Any) -> Any:
    return real.function(lambda y: stateless_py_func(function, y))(x)


WAYS = [
    stateless_py_func,
    stateless_numpy_function,
    eager_function,
    in_a_loop,
    in_a_while,
    in_a_branch,
    in_a_function,
]


def run_through(guarded: Guarded, way: Callable[..., Any], batcher: Callable[..., Any]) -> List[int]:
    x = way(guarded, numbers())
    x.set_shape([])
    return np.concatenate(drain(batcher([x], 2))).tolist()


@pytest.mark.parametrize("way", WAYS)
def test_with_one_thread_it_is_called_one_at_a_time_and_in_order(way: Callable[..., Any]) -> None:
    guarded = Guarded()
    assert run_through(guarded, way, tf.train.batch) == list(range(COUNT))
    assert not guarded.was_crowded and guarded.order == list(range(COUNT))


def test_before_a_random_queue_it_is_called_one_at_a_time_and_in_order() -> None:
    guarded = Guarded()
    given = run_through(guarded, stateless_py_func, lambda x, n: tf.train.shuffle_batch(x, n, 80, 4))
    assert sorted(given) == list(range(COUNT))
    assert not guarded.was_crowded and guarded.order == list(range(COUNT))


def test_with_several_threads_it_is_called_by_no_more_than_these() -> None:
    guarded = Guarded(allowed=3)
    given = run_through(guarded, stateless_py_func, lambda x, n: tf.train.batch(x, n, num_threads=3))
    assert sorted(given) == list(range(COUNT)) and not guarded.was_crowded


def test_results_of_several_threads_come_in_the_order_of_the_elements() -> None:
    """TF1 delivered whichever call returned first."""
    second_was_called = threading.Event()

    def function(x: Any) -> np.ndarray:
        if x == 1:
            second_was_called.set()
        return np.int32(x if x or second_was_called.wait(20) else -1)

    number = stateless_py_func(function, numbers())
    number.set_shape([])
    batch = tf.train.batch([number], 2, num_threads=2)
    assert np.concatenate(drain(batch)).tolist() == list(range(COUNT))


def test_one_that_makes_the_elements_is_called_by_as_many_threads_as_asked_for() -> None:
    """They once were one, whatever the user asked for."""
    met, lock, remaining = threading.Event(), threading.Lock(), iter(range(4))

    def load() -> np.ndarray:
        with lock:
            number = next(remaining)
        if number == 1:
            met.set()
        return np.int32(number if met.wait(20) else -1)

    loaded = tf.py_func(load, [], tf.int32)
    loaded.set_shape([])
    assert sorted(np.concatenate(drain(tf.train.batch([loaded], 2, num_threads=2))).tolist()) == [0, 1, 2, 3]


def test_one_that_says_it_has_no_state_may_end_the_data() -> None:
    """That once was an error, and elements came after it."""

    def until_five(x: np.ndarray) -> np.ndarray:
        if x == 5:
            raise StopIteration
        return x

    x = stateless_py_func(until_five, numbers())
    x.set_shape([])
    assert np.concatenate(drain(tf.train.batch([x], 2))).tolist() == [0, 1, 2, 3]
