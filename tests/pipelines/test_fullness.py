"""TensorBoard's curves of how full the queues are: TF1's tags, and the truth about compiled buffers."""

from __future__ import annotations

from typing import Any, Dict, List, Optional

import pytest
import tensorflow as real

import queuecompat.v1 as tf
from queuecompat.contrib.slim.prefetch_queue import prefetch_queue
from queuecompat.errors import NativePipelineWarning
from tests.pipelines.running import started


def curves(sess: Any, merged: Any) -> Dict[str, float]:
    summary = real.compat.v1.Summary.FromString(sess.run(merged))
    return {value.tag: value.simple_value for value in summary.value}


def numbers(limit: int = 1000, **arguments: Any) -> Any:
    return tf.train.range_input_producer(limit, shuffle=False, **arguments).dequeue()


def held_after_steps(batch: Any, tag: str, steps: int, at_least: float) -> float:
    """The curve when it has come to rest, or as soon as it is high enough."""
    merged = tf.summary.merge_all()
    with started() as sess:
        assert curves(sess, merged)[tag] == 0.0
        for _ in range(steps):
            sess.run(batch)
        given = 0.0
        for _ in range(3000):
            given = curves(sess, merged)[tag]
            if given >= at_least:
                break
    return given


def test_a_queue_with_a_fast_source_is_full() -> None:
    assert held_after_steps(tf.train.batch([numbers()], 4), "batch/fraction_of_32_full", 3, 1.0) == 1.0


def test_a_shuffle_buffer_with_a_fast_source_is_full() -> None:
    batch = tf.train.shuffle_batch([numbers()], 4, capacity=200, min_after_dequeue=100)
    assert held_after_steps(batch, "shuffle_batch/fraction_over_100_of_100_full", 3, 0.9) >= 0.9


def test_a_queue_whose_source_has_ended_runs_empty() -> None:
    batch = tf.train.batch([numbers(20, num_epochs=1)], 4, capacity=40)
    merged, tag = tf.summary.merge_all(), "batch/fraction_of_40_full"
    with started() as sess:
        given = []
        for _ in range(5):
            sess.run(batch)
            given.append(curves(sess, merged)[tag])
    assert given[-1] == 0.0
    assert given[-2] <= 4 / 40 + 1e-6


def test_a_queue_with_a_slow_source_is_empty() -> None:
    source = tf.FIFOQueue(100, [tf.int32], [[]])
    batch = tf.train.batch([source.dequeue()], 2)
    merged, enqueue = tf.summary.merge_all(), source.enqueue(1)
    with started() as sess:
        sess.run([enqueue])
        sess.run([enqueue])
        sess.run(batch)
        assert curves(sess, merged)["batch/fraction_of_32_full"] == 0.0
        sess.run(source.close())


def test_a_queue_between_two_batchers_has_its_own_curve() -> None:
    inner = tf.train.batch([numbers()], 4, name="inner")
    outer = tf.train.batch([inner], 2, name="outer")
    merged = tf.summary.merge_all()
    with started() as sess:
        for _ in range(50):
            sess.run(outer)
        given = curves(sess, merged)
    assert set(given) >= {"inner/fraction_of_32_full", "outer/fraction_of_32_full"}
    assert all(0.0 <= value <= 1.0 for value in given.values())


def test_a_producer_is_full_while_it_has_rows() -> None:
    first = tf.train.string_input_producer(["a", "b", "c"], capacity=12, num_epochs=2).dequeue()
    second = tf.train.range_input_producer(3, capacity=8, name="endless").dequeue()
    merged = tf.summary.merge_all()
    with started() as sess:
        given = []
        for _ in range(3):
            sess.run([first, second])
            given.append(curves(sess, merged))
    assert [curve["endless/fraction_of_8_full"] for curve in given] == [1.0, 1.0, 1.0]
    left = [curve["input_producer/fraction_of_12_full"] * 12 for curve in given]
    assert left == pytest.approx([5, 4, 3])


def test_the_curve_of_a_queue_that_became_tensorflows_own_is_that_queues() -> None:
    """There were two: one that stood still, under TF1's tag, and the true one under a different tag."""
    producer = tf.train.range_input_producer(12, shuffle=False, num_epochs=1, capacity=12)
    queue = prefetch_queue([producer.dequeue()], capacity=4)
    tf.summary.scalar("loss", tf.zeros([]))
    with pytest.warns(NativePipelineWarning, match="QC206"):
        sizes = [producer.size(), queue.size()]
    batch = queue.dequeue_many(8)
    merged, producer_tag, tag = (
        tf.summary.merge_all(),
        "input_producer/fraction_of_12_full",
        "prefetch_queue/fraction_of_4_full",
    )
    with started() as sess:
        sess.run(batch)
        while sess.run(sizes) != [0, 4]:
            pass
        assert curves(sess, merged) == {producer_tag: 0.0, tag: 1.0, "loss": 0.0}


def queues() -> List[Any]:
    """Those of the runners, as a loop gets them that watches them."""
    return [runner.queue for runner in tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)]


def test_the_queue_of_a_runner_is_as_full_as_its_curve() -> None:
    """It was an Operation, and had no size."""
    batch = tf.train.batch([numbers(20, num_epochs=1)], 4, capacity=40)
    (size,) = (queue.size() for queue in queues() if queue.name == "batch/fifo_queue")
    merged, tag = tf.summary.merge_all(), "batch/fraction_of_40_full"
    with started() as sess:
        for _ in range(5):
            held, curve = sess.run([size, merged])
            value = {one.tag: one.simple_value for one in real.compat.v1.Summary.FromString(curve).value}[tag]
            assert 0 <= held <= 20
            assert 0.0 <= value <= 0.5
            sess.run(batch)
        assert sess.run(size) == 0


def test_the_queue_of_a_runner_makes_no_op_before_it_is_asked() -> None:
    tf.train.batch([numbers()], 4)
    watched = queues()
    before = len(tf.get_default_graph().get_operations())
    assert [(queue.dtypes, queue.shapes, queue.names) for queue in watched] == [([real.int32], [[]], None)] * 2
    assert len(tf.get_default_graph().get_operations()) == before


@pytest.mark.parametrize("epochs", [1, None])
def test_the_queue_of_a_runner_is_closed_at_the_end(epochs: Optional[int]) -> None:
    """Before the start it was a FailedPreconditionError, and that of a batcher was closed from its first element on."""
    batch = tf.train.batch([numbers(40, num_epochs=epochs)], 4, capacity=6)
    closed = [queue.is_closed() for queue in queues()]
    with tf.Session() as sess:
        assert sess.run(closed) == [False, False]
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess, coord)
        for _ in range(10):
            assert not sess.run(closed)[1]
            sess.run(batch)
        if epochs:
            with pytest.raises(tf.errors.OutOfRangeError):
                sess.run(batch)
            assert sess.run(closed) == [True, True]
        coord.request_stop()
        coord.join(threads)
        assert sess.run(closed) == [True, True]


@pytest.mark.parametrize("number", [0, 1])
@pytest.mark.parametrize("late", [False, True])
def test_the_queue_of_a_runner_can_be_closed(number: int, late: bool) -> None:
    batch = tf.train.batch([numbers(capacity=8)], 4, capacity=8)
    queue = queues()[number]
    close = None if late else queue.close()
    with started() as sess:
        sess.run(batch)
        closed = queue.is_closed()
        assert not sess.run(closed)
        sess.run(queue.close() if close is None else close)
        assert sess.run(closed)
        with pytest.raises(tf.errors.OutOfRangeError):
            for _ in range(20):
                sess.run(batch)


@pytest.mark.parametrize("use", ["dequeue", "dequeue_many", "dequeue_up_to", "enqueue", "enqueue_many", "queue_ref"])
def test_no_element_comes_out_of_the_queue_of_a_runner(use: str) -> None:
    tf.train.batch([numbers()], 4)
    with pytest.raises(RuntimeError, match=f"QC314 {use}.*'batch/fifo_queue'"):
        method = getattr(queues()[-1], use)
        method(*[] if use == "dequeue" else [2])
