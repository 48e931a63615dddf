"""``slim.prefetch_queue``: compiled, shared exactly once, bounded, and native where it has to be."""

from __future__ import annotations

import threading
from typing import Any, List

import numpy as np
import pytest
import tensorflow as real

import queuecompat
import queuecompat.v1 as tf
from queuecompat._backends.text import lines
from tests.pipelines.running import ENOUGH, drain, started
from tests.pipelines.test_fullness import curves

prefetch_queue = tf.contrib.slim.prefetch_queue.prefetch_queue


def numbers(limit: int = 20, num_epochs: Any = 1, **arguments: Any) -> Any:
    return tf.train.range_input_producer(limit, num_epochs=num_epochs, shuffle=False, **arguments).dequeue()


def until_the_end(sess: Any, fetches: Any) -> List[Any]:
    given = []
    for _ in range(ENOUGH):
        try:
            given.append(sess.run(fetches))
        except tf.errors.OutOfRangeError:
            break
    return given


def assert_all_compiled() -> None:
    explanation = queuecompat.explain()
    assert explanation.compiled
    assert explanation.native == []
    assert "which TensorFlow runs itself" not in str(explanation)


def test_batches_are_prefetched_by_one_compiled_pipeline() -> None:
    batch = tf.train.batch([numbers()], 4)
    element = prefetch_queue([batch, batch * 2], capacity=2).dequeue()
    assert_all_compiled()
    (plan,) = (plan for name, plan in queuecompat.explain().compiled)
    assert [line.split("  ", 2)[2] for line in lines(plan)] == [
        "produce   int32[]  1 epoch, in order",
        "batch     of 4, last partial batch dropped",
        "prefetch  9 batches",
        "map       2 ops (Mul), one by one -> int32[4], int32[4]",
        "prefetch  2 elements",
    ]
    given = drain(element)
    assert np.concatenate([first for first, _ in given]).tolist() == list(range(20))
    assert all((second == first * 2).all() for first, second in given)


def test_clones_in_threads_share_a_queue_exactly_once() -> None:
    batch = tf.train.batch([numbers(400, num_epochs=3)], 4, num_threads=4)
    queue = prefetch_queue({"x": batch, "y": -batch})
    clones = [queue.dequeue() for _ in range(4)]
    assert_all_compiled()
    given: List[List[Any]] = [[] for _ in clones]
    with started() as sess:

        def train(number: int) -> None:
            given[number] = until_the_end(sess, clones[number])

        threads = [threading.Thread(target=train, args=[number]) for number in range(len(clones))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    steps = [step for clone in given for step in clone]
    assert all((step["x"] == -step["y"]).all() for step in steps)
    assert sorted(np.concatenate([step["x"] for step in steps]).tolist()) == sorted(list(range(400)) * 3)


def test_clones_that_take_elements_one_by_one_and_together_share_them() -> None:
    queue = prefetch_queue([numbers(40)])
    one, four, rest = queue.dequeue(), queue.dequeue_many(4), queue.dequeue_up_to(3)
    assert_all_compiled()
    with started() as sess:
        given = []
        for _ in range(4):
            given += [sess.run(one), *sess.run(four), *sess.run(rest)]
        given += [number for step in until_the_end(sess, rest) for number in step]
    assert sorted(given) == list(range(40))


def test_a_queue_is_never_ahead_by_more_than_its_capacity() -> None:
    made = []

    def make() -> Any:
        made.append(len(made))
        return np.int64(made[-1])

    number = tf.py_func(make, [], tf.int64)
    number.set_shape([])
    element = prefetch_queue([number], capacity=5).dequeue()
    assert_all_compiled()
    with started() as sess:
        for taken in range(1, 30):
            sess.run(element)
            assert len(made) <= taken + 5 + 1, "TF1's thread held one more than the queue"


def test_its_curve_is_one_of_a_full_queue_where_the_source_is_fast() -> None:
    element = prefetch_queue([numbers(1000)], capacity=200).dequeue()
    merged, tag = tf.summary.merge_all(), "prefetch_queue/fraction_of_200_full"
    given = []
    with started() as sess:
        sess.run(element)
        for _ in range(3000):
            given.append(curves(sess, merged)[tag])
            if given[-1] >= 0.95:
                break
        assert len(until_the_end(sess, element)) == 999
        assert curves(sess, merged)[tag] == 0.0
    assert given[-1] >= 0.95
    assert all(0.0 <= value <= 1.0 for value in given)


def test_a_queue_without_a_consumer_starts_and_stops() -> None:
    prefetch_queue([numbers()])
    with started():
        pass


def test_a_step_before_the_start_names_the_missing_call() -> None:
    element = prefetch_queue([numbers()]).dequeue()
    with (
        tf.Session() as sess,
        pytest.raises(tf.errors.InvalidArgumentError, match=r"QC301 .*'prefetch_queue/fifo_queue_Dequeue'"),
    ):
        sess.run(element)


def test_a_monitored_session_starts_it_and_ends_with_its_data() -> None:
    element = prefetch_queue([tf.train.batch([numbers()], 5)]).dequeue()
    given = []
    with real.compat.v1.train.MonitoredTrainingSession() as sess:
        while not sess.should_stop():
            given.append(sess.run(element))
    assert np.concatenate(given).tolist() == list(range(20))


def test_with_a_shared_name_the_queue_is_tensorflows_own() -> None:
    queue = prefetch_queue([numbers() + 0], shared_name="shared")
    assert type(queue) is tf.FIFOQueue
    assert not queuecompat.explain().native
    assert drain(queue.dequeue()) == list(range(20))


def test_a_fed_tensor_makes_it_native() -> None:
    fed = tf.placeholder(tf.int32, [])
    with pytest.warns(UserWarning, match="QC201"):
        queue = prefetch_queue({"x": numbers() + tf.minimum(fed, 0)})
    assert queue.names == ["x"]
    assert tf.get_collection(tf.GraphKeys.SUMMARIES)[-1].name == "prefetch_queue/fraction_of_8_full:0"


def test_a_program_that_asks_for_the_size_gets_the_real_queue_and_every_element_once() -> None:
    queue = prefetch_queue([numbers(30)], capacity=4)
    before = queue.dequeue()
    with pytest.warns(UserWarning, match="QC206"):
        size = queue.size()
    after = queue.dequeue()
    with started() as sess:
        given = [sess.run(before) for _ in range(10)]
        assert 0 <= sess.run(size) <= 4
        given += until_the_end(sess, after)
    assert sorted(given) == list(range(30))


def test_a_queue_that_turned_native_leaves_its_source_to_one_consumer() -> None:
    """A stage that was compiled no longer once went on counting as a consumer."""
    queue = prefetch_queue([numbers(6)])
    with pytest.warns(UserWarning, match="QC206"):
        queue.close()
    queue.dequeue()
    assert "share " not in str(queuecompat.explain())


def test_tensors_of_another_graph_than_the_default_one_are_prefetched_there() -> None:
    number = numbers()
    with tf.Graph().as_default():
        queue = prefetch_queue([number])
    element = queue.dequeue()
    assert element.graph is number.graph
    assert drain(element) == list(range(20))


def test_it_needs_a_graph_that_may_grow() -> None:
    number = numbers()
    tf.get_default_graph().finalize()
    with pytest.raises(RuntimeError, match="QC302"):
        prefetch_queue([number])
