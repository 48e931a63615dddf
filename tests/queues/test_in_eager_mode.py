"""Queues without a graph: what Python threads and Python's lifetimes add."""

from __future__ import annotations

import gc
import weakref

import pytest
import tensorflow as tf

from queuecompat import queues
from tests.queues.modes import Background, in_eager_mode, wait_until

pytestmark = in_eager_mode


def test_eager_execution_is_on() -> None:
    assert tf.executing_eagerly()


def test_a_waiting_call_lets_other_threads_run() -> None:
    """A dequeue that kept the interpreter's lock would wait for ever for what this thread enqueues."""
    queue = queues.FIFOQueue(1, [tf.int32], [[]])
    with Background(lambda: [int(queue.dequeue()) for _ in range(50)]) as taking:
        for number in range(50):
            queue.enqueue(number)
        assert taking.result() == list(range(50))


def test_the_chosen_queue_outlives_the_choice() -> None:
    """TensorFlow's ``from_list`` destroyed the queue when its result was dropped."""
    listed = [queues.FIFOQueue(3, [tf.int32], [[]]) for _ in range(2)]
    chosen = queues.QueueBase.from_list(tf.constant(1), listed)
    chosen.enqueue(7)
    del chosen
    gc.collect()
    assert int(listed[1].dequeue()) == 7


def test_the_choice_outlives_the_list() -> None:
    chosen = queues.QueueBase.from_list(-1 + 1, [queues.FIFOQueue(3, [tf.int32], [[]])])
    gc.collect()
    chosen.enqueue(7)
    assert int(chosen.dequeue()) == 7


@pytest.mark.parametrize("index", [2, -1])
def test_an_index_outside_of_the_list_is_an_invalid_argument(index: int) -> None:
    listed = [queues.FIFOQueue(3, [tf.int32]) for _ in range(2)]
    with pytest.raises(tf.errors.InvalidArgumentError):
        queues.QueueBase.from_list(index, listed)


def test_a_queue_is_freed_with_its_last_reference() -> None:
    queue = queues.FIFOQueue(3, [tf.int32])
    reference = weakref.ref(queue)
    del queue
    assert reference() is None


def test_a_minimum_that_is_no_less_than_the_capacity_fails_at_the_call() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError):
        queues.RandomShuffleQueue(2, 5, [tf.int32])


def test_queues_of_one_shared_name_are_two() -> None:
    one, other = (queues.FIFOQueue(3, [tf.int32], shared_name="name") for _ in range(2))
    one.enqueue(1)
    assert int(other.size()) == 0


def test_a_queue_of_eager_mode_works_in_functions_and_datasets() -> None:
    queue = queues.FIFOQueue(3, [tf.int32], [[]])

    @tf.function(autograph=False)
    def enqueue(number: tf.Tensor) -> None:
        queue.enqueue(number)

    enqueue(tf.constant(4))
    dataset = tf.data.Dataset.range(1).map(lambda _: queue.dequeue())
    with Background(lambda: [int(value) for value in dataset]) as reading:
        assert reading.result() == [4]
    wait_until(lambda: int(queue.size()) == 0)
