"""A pool of expensive elements: its first batch needs min_after_dequeue elements and a batch, and then it grows."""

from __future__ import annotations

import collections
import queue
import time
from typing import Any, Callable, Dict, List

import numpy as np
import pytest
import tensorflow as real

import queuecompat
import queuecompat.v1 as tf
from queuecompat._backends.tfdata.growing import growing
from queuecompat._backends.tfdata.options import without_tfdata_optimizer
from queuecompat._plan import ir
from tests.pipelines.gate import Gate
from tests.pipelines.running import drain, started

MINIMUM, BATCH, CAPACITY = 20, 5, 100_000


def numbers(limit: int = 10**6, **arguments: Any) -> Any:
    return tf.train.range_input_producer(limit, shuffle=False, **arguments).dequeue()


def through_python(function: Callable[..., Any], value: Any) -> Any:
    passed = tf.py_func(function, [value], value.dtype)
    passed.set_shape(value.shape)
    return passed


def one_list(gate: Gate) -> Any:
    return tf.train.shuffle_batch([through_python(gate.passed, numbers())], BATCH, CAPACITY, MINIMUM)


def a_seeded_queue(gate: Gate) -> Any:
    return tf.train.shuffle_batch([through_python(gate.passed, numbers())], BATCH, CAPACITY, MINIMUM, seed=7)


def seeded_ops(gate: Gate) -> Any:
    noise = tf.random_uniform([3], seed=1)
    passed = through_python(gate.passed, numbers())
    return tf.train.shuffle_batch([passed, noise], BATCH, CAPACITY, MINIMUM)[0]


def four_threads(gate: Gate) -> Any:
    return tf.train.shuffle_batch([through_python(gate.passed, numbers())], BATCH, CAPACITY, MINIMUM, num_threads=4)


def smaller_batches_allowed(gate: Gate) -> Any:
    passed = through_python(gate.passed, numbers())
    return tf.train.shuffle_batch([passed], BATCH, CAPACITY, MINIMUM, allow_smaller_final_batch=True)


def blocks_of_rows(gate: Gate) -> Any:
    """The gate counts blocks; those of the first batch hold one row more than it needs."""
    rows = tf.fill([13], through_python(gate.passed, numbers()))
    return tf.train.shuffle_batch([rows], BATCH, CAPACITY, MINIMUM, enqueue_many=True)


def two_lists(gate: Gate) -> Any:
    lists = [[through_python(gate.passed, numbers())], [through_python(gate.passed, -numbers())]]
    return tf.train.shuffle_batch_join(lists, BATCH, CAPACITY, MINIMUM)


def kept_elements(gate: Gate) -> Any:
    passed = through_python(gate.passed, numbers())
    return tf.train.maybe_shuffle_batch([passed], BATCH, CAPACITY, MINIMUM, keep_input=tf.equal(passed % 2, 0))


def a_shared_stage(gate: Gate) -> Any:
    """Two consumers, so that the elements come into each one's plan from a stream that they share."""
    queue = tf.FIFOQueue(50, [tf.int32], [[]])
    passed = through_python(gate.passed, numbers())
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue([passed])]))
    tf.train.batch([queue.dequeue()], 3)
    return tf.train.shuffle_batch([queue.dequeue()], BATCH, CAPACITY, MINIMUM)


# What has to pass before the first batch comes.
NEEDED: Dict[Callable[[Gate], Any], int] = {
    one_list: MINIMUM + BATCH,
    a_seeded_queue: MINIMUM + BATCH,
    seeded_ops: MINIMUM + BATCH,
    # Python functions' results come in order: while the last one that is needed is in a thread, the three others
    # go on with what follows, and one of them with a fourth, as the place of the awaited result is free already.
    four_threads: MINIMUM + BATCH + 4,
    smaller_batches_allowed: MINIMUM + BATCH,
    blocks_of_rows: 2,
    two_lists: MINIMUM + BATCH,
    kept_elements: 2 * (MINIMUM + BATCH) - 1,
    a_shared_stage: MINIMUM + BATCH,
}


@pytest.mark.parametrize("build", NEEDED, ids=lambda build: build.__name__)
def test_the_first_batch_needs_min_after_dequeue_elements_and_a_batch(build: Callable[[Gate], Any]) -> None:
    """It used to need the capacity: a hundred thousand calls."""
    with Gate(NEEDED[build]) as gate:
        batch = build(gate)
        assert "compiled" in str(queuecompat.explain())
        with started(threads=8) as sess:
            assert len(sess.run(batch)) == BATCH
            gate.let_pass(10**9)


def test_seeded_ops_alone_are_reason_enough() -> None:
    value = tf.random_uniform([3], seed=1) + tf.cast(numbers(), tf.float32)
    tf.train.shuffle_batch([value], BATCH, CAPACITY, MINIMUM)
    assert "begins with 20 and grows" in str(queuecompat.explain())


def test_the_programs_own_queue_need_not_hold_more_than_the_first_batch_needs() -> None:
    queue = tf.FIFOQueue(100, [tf.int32], [[]])
    fill = queue.enqueue_many([np.arange(MINIMUM + BATCH, dtype=np.int32)])
    batch = tf.train.shuffle_batch([queue.dequeue()], BATCH, CAPACITY, MINIMUM)
    with started() as sess:
        sess.run(fill)
        assert set(sess.run(batch)) <= set(range(MINIMUM + BATCH))
        sess.run(queue.close(cancel_pending_enqueues=True))


def test_elements_of_the_programs_own_queue_are_delivered_down_to_the_minimum_without_new_ones() -> None:
    """Each batch waited for an element more than TF1's, and the pool kept those by which it had grown."""
    batches = 8
    count = MINIMUM + batches * BATCH
    queue = tf.FIFOQueue(1000, [tf.int32], [[]])
    fill = queue.enqueue_many([np.arange(count, dtype=np.int32)])
    more = queue.enqueue_many([np.arange(count, count + 200, dtype=np.int32)])
    close = queue.close()
    batch = tf.train.shuffle_batch([queue.dequeue()], BATCH, 60, MINIMUM)
    with started() as sess:
        sess.run(fill)
        given = [sess.run(batch).tolist() for _ in range(batches)]  # all that TF1 gives, and no more
        sess.run(more)
        sess.run(close)
        with pytest.raises(tf.errors.OutOfRangeError):
            while True:
                given.append(sess.run(batch).tolist())
    assert sorted(np.concatenate(given)) == list(range(count + 200))


@pytest.mark.parametrize("lists", [1, 2])
@pytest.mark.parametrize("batches_ahead", [0, 3])
def test_what_a_python_function_waits_for_may_come_from_the_loop_itself(lists: int, batches_ahead: int) -> None:
    """As in reinforcement learning, where the loop plays the games that it learns from. TF1's queue waited for none but
    those that it delivered; the pool waited for more, to grow."""
    games: queue.Queue[int] = queue.Queue()

    def number() -> Any:
        given = tf.py_func(lambda: np.int32(games.get()), [], tf.int32)
        given.set_shape([])
        return given

    batch = tf.train.shuffle_batch_join([[number()] for _ in range(lists)], BATCH, 60, MINIMUM)
    played = iter(range(1000))

    def play(count: int) -> None:
        for _ in range(count):
            games.put(next(played))

    given: List[int] = []
    with started(threads=8) as sess:
        play(MINIMUM + BATCH * (batches_ahead + 1) + lists - 1)  # each list may hold one that is not its turn
        for _ in range(12):
            given += sess.run(batch).tolist()
            play(BATCH)
        for _ in range(batches_ahead):  # what the loop no longer plays, as the pool may hold it
            given += sess.run(batch).tolist()
        play(100)
    assert len(set(given)) == len(given) == (12 + batches_ahead) * BATCH


def test_a_pool_grows_while_python_functions_are_faster_than_the_loop() -> None:
    count = iter(range(10**6))
    number = tf.reshape(tf.py_func(lambda: np.int64(next(count)), [], tf.int64), [])
    batch = tf.train.shuffle_batch([number], BATCH, 100, 2)
    given: List[int] = []
    with started() as sess:
        for _ in range(120):
            given += sess.run(batch).tolist()
            time.sleep(0.002)
    early = [place - number for place, number in enumerate(given[-200:], len(given) - 200)]
    assert np.ptp(early) > 40  # not 3, as if it kept two elements


def test_records_that_are_read_before_the_shuffle_buffer_are_cheap() -> None:
    """A pool that grows costs tens of microseconds an element; a record's ops may come after the pool."""
    tf.train.shuffle_batch([tf.cast(numbers(), tf.float32)], BATCH, 1000, MINIMUM)
    assert "grows" not in str(queuecompat.explain())


@pytest.mark.parametrize("rows", [3, 15, 40, 130, 400])
@pytest.mark.parametrize("minimum", [0, 20])
def test_every_element_comes_out_once_wherever_the_data_ends(rows: int, minimum: int) -> None:
    """While the pool fills, while it grows, while it is full."""
    seen: List[int] = []
    value = through_python(lambda x: (seen.append(int(x)), x)[1], numbers(rows, num_epochs=1))
    batch = tf.train.shuffle_batch([value], 1, capacity=60, min_after_dequeue=minimum)
    given = np.concatenate(drain(batch)).tolist()
    assert sorted(given) == seen == list(range(rows))


def test_a_python_function_is_not_called_again_after_its_end() -> None:
    calls = []

    def rows() -> int:
        calls.append(len(calls))
        if len(calls) == 31:
            raise StopIteration
        return len(calls)

    number = tf.reshape(tf.py_func(rows, [], tf.int64), [])
    given = drain(tf.train.shuffle_batch([number], 1, capacity=60, min_after_dequeue=10))
    assert sorted(np.concatenate(given).tolist()) == list(range(1, 31))
    assert len(calls) == 31


def iterated(elements: Any, shuffle: ir.Shuffle) -> List[Any]:
    """What comes out, element by element; an error in the place where it was raised."""
    iterator = real.compat.v1.data.make_initializable_iterator(growing(elements, shuffle, shuffle.seed))
    draw, given = iterator.get_next(), []
    with tf.Session() as sess:
        sess.run(iterator.initializer)
        while True:
            try:
                given.append(sess.run(draw))
            except tf.errors.OutOfRangeError:
                return given
            except tf.errors.OpError as problem:
                given.append(problem)


def shuffle(components: Any, buffer: int, least: int, seed: Any = None, steady: int = 4) -> ir.Shuffle:
    return ir.Shuffle(tuple(components), buffer, seed, ir.Growth(least, steady))


NUMBER = real.TensorSpec([], real.int64)


@pytest.mark.parametrize("bad", [2, 11, 30, 399])
def test_an_error_comes_where_it_was_met_and_takes_no_other_element_along(bad: int) -> None:
    def checked(x: Any) -> Any:
        with real.control_dependencies([real.raw_ops.Assert(condition=real.not_equal(x, bad), data=["bad element"])]):
            return (real.identity(x),)

    given = iterated(real.data.Dataset.range(400).map(checked), shuffle([NUMBER], 30, 10))
    (problem,) = [one for one in given if isinstance(one, Exception)]
    assert isinstance(problem, tf.errors.InvalidArgumentError)
    assert "bad element" in problem.message
    # What comes out before the error: nothing while the pool fills, an element for each that came in afterwards.
    assert given.index(problem) <= bad
    assert sorted(int(one[0]) for one in given if one is not problem) == [n for n in range(400) if n != bad]


def test_strings_unknown_shapes_and_sparse_tensors_are_held_as_they_are() -> None:
    def element(n: Any) -> Any:
        sparse = real.sparse.from_dense(real.one_hot([n], 5, dtype=real.int64))
        stored = real.raw_ops.SerializeSparse(
            sparse_indices=sparse.indices,
            sparse_values=sparse.values,
            sparse_shape=sparse.dense_shape,
            out_type=real.variant,
        )
        return real.strings.as_string(n), real.range(n), stored

    components = [
        real.TensorSpec([], real.string),
        real.TensorSpec(None, real.int64),
        real.TensorSpec([3], real.variant),
    ]
    elements = growing(real.data.Dataset.range(5).map(element), shuffle(components, 4, 1), None)

    def summed(name: Any, row: Any, stored: Any) -> Any:
        sparse = real.raw_ops.DeserializeSparse(serialized_sparse=stored, dtype=real.int64)
        place = real.reduce_sum(sparse[0][:, -1])
        return name, real.size(row), place

    iterator = real.compat.v1.data.make_initializable_iterator(elements.map(summed))
    draw = iterator.get_next()
    with tf.Session() as sess:
        sess.run(iterator.initializer)
        given = [sess.run(draw) for _ in range(5)]
    assert sorted((int(name), int(size), int(place)) for name, size, place in given) == [(n, n, n) for n in range(5)]


def test_a_seed_determines_the_same_order_every_time() -> None:
    def order(seed: Any) -> List[int]:
        given = iterated(real.data.Dataset.range(300).map(lambda x: (x,)), shuffle([NUMBER], 30, 5, seed))
        return [int(one[0]) for one in given]

    assert order(3) == order(3)
    assert order(3) != order(4)
    assert order(None) != order(None)


def test_the_first_element_is_drawn_evenly_from_the_shuffle_buffer() -> None:
    """Of a pool that keeps 3 elements, from 4: each is the first one in about a quarter of 400 trials."""
    elements = real.data.Dataset.range(400).flat_map(
        lambda _: growing(real.data.Dataset.range(20).map(lambda x: (x,)), shuffle([NUMBER], 10, 3), None).take(1)
    )
    iterator = real.compat.v1.data.make_initializable_iterator(elements)
    draw, firsts = iterator.get_next(), collections.Counter()
    with tf.Session() as sess:
        sess.run(iterator.initializer)
        for _ in range(400):
            firsts[int(sess.run(draw)[0])] += 1
    assert set(firsts) == {0, 1, 2, 3}
    assert min(firsts.values()) > 60  # 100 on average; fewer than 60 once in a million runs


def test_it_holds_as_many_elements_as_it_has_grown_to_and_never_more_than_its_buffer() -> None:
    buffer, least, steady, out = 40, 8, 4, 300
    read: List[int] = []
    noted = real.autograph.experimental.do_not_convert(
        lambda x: (real.compat.v1.py_func(lambda x: (read.append(1), x)[1], [x], real.int64),)
    )
    elements = real.data.Dataset.range(1000).map(noted)
    iterator = real.compat.v1.data.make_initializable_iterator(
        without_tfdata_optimizer(
            growing(elements, shuffle([real.TensorSpec(None, real.int64)], buffer, least, steady=steady), None)
        )
    )
    draw, held = iterator.get_next(), []
    with tf.Session() as sess:
        sess.run(iterator.initializer)
        for taken in range(1, out + 1):
            sess.run(draw)
            held.append(len(read) - taken)
    grown = [min(buffer - 1, least + max(0, taken - steady) // 4) for taken in range(1, out + 1)]
    assert held == grown


def test_a_shuffle_buffer_without_room_to_grow_is_filled_first() -> None:
    tf.train.shuffle_batch([through_python(lambda x: x, numbers())], BATCH, capacity=21, min_after_dequeue=20)
    assert "grows" not in str(queuecompat.explain())
