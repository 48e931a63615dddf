"""A queue that the program made itself before a compiled batch, and other ops beside its draw."""

from __future__ import annotations

from typing import Any, Callable, List

import numpy as np

from .harness import Result, gold, kind_of, running, word

__all__: List[str] = []


def _queue(tf: Any, dtype: Any = None, shape: Any = ()) -> Any:
    return tf.FIFOQueue(10, [dtype or tf.int32], [list(shape)])


def _count_to(tf: Any, limit: int) -> Any:
    start = tf.constant(0)
    return tf.Variable(start, name="count", collections=[tf.GraphKeys.LOCAL_VARIABLES]).count_up_to(limit)


def _steps(tf: Any, build: Callable[[], Any], is_failure: bool = False) -> Result:
    """What comes out to the end, and how it ends, after what *build* gave was filled.

    *build* gives fetches, and the ops that fill its queues: none of them closes one.
    *is_failure*: another error than the end of data is expected; see ``failure``.
    """
    given: List[np.ndarray] = []
    with tf.Graph().as_default():
        fetches, fills = build()
        ending = ""
        with _lenient(tf, is_failure), running(tf) as session:
            for fill in fills:
                session.run(fill)
            try:
                while True:
                    given.append(np.concatenate([np.ravel(one) for one in session.run(fetches)]))
            except tf.errors.OpError as error:
                ending = kind_of(error)
    if is_failure and ending != "DeadlineExceededError":
        ending = "ended"
    values = np.concatenate(given) if given else np.zeros(0)
    return {"values": values, "steps": np.array(len(given), np.int64), "ending": word(ending)}


class _lenient:  # noqa: N801 - reads as a statement
    """Swallows what ``Coordinator.join`` raises, where a failure is expected."""

    def __init__(self, tf: Any, is_failure: bool) -> None:
        self._errors = tf.errors.OpError if is_failure else ()

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, *_: Any) -> bool:
        return kind is not None and issubclass(kind, self._errors)


@gold
def the_end_of_a_counter_cancels_the_dequeue_beside_it(tf: Any) -> Result:
    def build() -> Any:
        queue = tf.PaddingFIFOQueue(10, [tf.int32], [[None]])
        batch = tf.train.batch([queue.dequeue(), _count_to(tf, 3)], batch_size=3, dynamic_pad=True)
        prefetched = tf.contrib.slim.prefetch_queue.prefetch_queue(batch, dynamic_pad=True)
        return prefetched.dequeue(), [queue.enqueue([tf.range(n)]) for n in (1, 2, 3)]

    return _steps(tf, build)


@gold
def a_batch_that_is_complete_is_delivered_while_the_next_draw_waits(tf: Any) -> Result:
    def build() -> Any:
        queue = _queue(tf)
        batch = tf.train.batch([queue.dequeue(), _count_to(tf, 5)], 2)
        return batch, [queue.enqueue([n]) for n in range(5)]

    return _steps(tf, build)


@gold
def an_error_beside_a_dequeue_cancels_it(tf: Any) -> Result:
    def build() -> Any:
        queue = _queue(tf)
        number = tf.to_float(_count_to(tf, 100))
        batch = tf.train.batch([queue.dequeue(), tf.check_numerics(1.0 / (3.0 - number), "the third")], 1)
        return batch, [queue.enqueue([n]) for n in range(3)]

    return _steps(tf, build, is_failure=True)


@gold
def the_components_of_an_element_stay_with_the_count_beside_it(tf: Any) -> Result:
    def build() -> Any:
        queue = tf.FIFOQueue(10, [tf.int32, tf.float32], [[], [2]])
        number, pair = queue.dequeue()
        batch = tf.train.batch([pair, _count_to(tf, 4), number], 2)
        return batch, [queue.enqueue([n, [n, 2.0 * n]]) for n in range(4)]

    return _steps(tf, build)


@gold
def the_end_of_one_of_two_queues_cancels_the_dequeue_from_the_other(tf: Any) -> Result:
    def build() -> Any:
        first, second = _queue(tf), _queue(tf)
        fills = [first.enqueue([n]) for n in range(3)] + [second.enqueue([n]) for n in range(2)]
        return tf.train.batch([first.dequeue(), second.dequeue()], 1), fills + [second.close()]

    return _steps(tf, build)


@gold
def the_end_of_the_second_of_two_queues_is_noticed_by_the_first(tf: Any) -> Result:
    def build() -> Any:
        first, second = _queue(tf), _queue(tf)
        fills = [first.enqueue([n]) for n in range(2)] + [second.enqueue([n]) for n in range(4)]
        return tf.train.batch([second.dequeue(), first.dequeue()], 1), fills + [first.close()]

    return _steps(tf, build)


@gold
def the_end_of_a_producer_cancels_the_dequeue_beside_it(tf: Any) -> Result:
    def build() -> Any:
        queue = _queue(tf)
        number = tf.train.range_input_producer(2, num_epochs=1, shuffle=False).dequeue()
        batch = tf.train.batch([queue.dequeue(), number], 1)
        return batch, [queue.enqueue([n]) for n in range(2)]

    return _steps(tf, build)


@gold
def a_dequeue_that_has_to_wait_for_an_op_waits_for_it(tf: Any) -> Result:
    def build() -> Any:
        queue = _queue(tf)
        count = _count_to(tf, 3)
        with tf.control_dependencies([queue.enqueue([count])]):
            number = queue.dequeue()
        return [tf.train.batch([number], 1)], []

    return _steps(tf, build)


@gold
def lists_of_a_join_end_each_by_itself(tf: Any) -> Result:
    def build() -> Any:
        queues = [_queue(tf), _queue(tf)]
        lists = [[queue.dequeue(), _count_to(tf, 2)] for queue in queues]
        numbers, counts = tf.train.batch_join(lists, 4)
        return [tf.sort(numbers), tf.sort(counts)], [queue.enqueue([n]) for queue in queues for n in range(2)]

    return _steps(tf, build)


@gold
def a_shuffled_batch_ends_with_the_counter_beside_the_dequeue(tf: Any) -> Result:
    def build() -> Any:
        queue = _queue(tf)
        numbers, counts = tf.train.shuffle_batch([queue.dequeue(), _count_to(tf, 4)], 4, 10, 1)
        return [tf.sort(numbers), tf.sort(counts)], [queue.enqueue([n]) for n in range(4)]

    return _steps(tf, build)
