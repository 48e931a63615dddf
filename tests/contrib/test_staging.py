"""StagingArea beside compiled pipelines: a put is one consumer, whoever else there is."""

from __future__ import annotations

import pathlib
from typing import Any, List

import numpy as np
import pytest

import queuecompat
import queuecompat.v1 as tf
from tests.forking import Server
from tests.pipelines.running import started


def numbers(limit: int = 12) -> Any:
    return tf.train.range_input_producer(limit, num_epochs=1, shuffle=False).dequeue()


def staged(*tensors: Any) -> Any:
    area = tf.contrib.staging.StagingArea([t.dtype for t in tensors], [t.shape for t in tensors])
    return area, area.put(tensors)


def everything_put(sess: Any, area: Any, *puts: Any) -> List[Any]:
    """Runs *puts* in turn, to the end of each, and gives all that is in the area then."""
    got, size = area.get(), area.size()
    for put in puts:
        with pytest.raises(tf.errors.OutOfRangeError):
            while True:
                sess.run(put)
    return [sess.run(got) for _ in range(sess.run(size))]


def test_a_batch_that_is_put_comes_out_of_a_compiled_pipeline() -> None:
    area, put = staged(tf.train.batch([numbers()], 3))
    with started() as sess:
        given = everything_put(sess, area, put)
    assert np.concatenate([element[0] for element in given]).tolist() == list(range(12))
    assert not queuecompat.explain().native


def test_puts_and_a_batch_share_the_elements_of_a_queue() -> None:
    number = numbers(41)
    batch = tf.train.batch([number], 2, capacity=2, allow_smaller_final_batch=True)
    area, put = staged(number)
    another_put = area.put([number])
    seen: List[int] = []
    with started() as sess:
        for _ in range(3):
            sess.run(put)
            sess.run(another_put)
            seen.extend(sess.run(batch).tolist())
        with pytest.raises(tf.errors.OutOfRangeError):
            while True:
                seen.extend(sess.run(batch).tolist())
        seen += [int(element[0]) for element in everything_put(sess, area, put)]
    assert sorted(seen) == list(range(41))


def test_a_put_that_only_waits_for_an_element_takes_it_too() -> None:
    number = numbers(6)
    batch = tf.train.batch([number], 2, capacity=2)
    with tf.control_dependencies([number]):
        _, put = staged(tf.constant(0))
    with started() as sess:
        sess.run(put)
        seen: List[int] = []
        with pytest.raises(tf.errors.OutOfRangeError):
            while True:
                seen.extend(sess.run(batch).tolist())
    # One of the six went to the put; five are two batches and a rest.
    assert len(seen) == len(set(seen)) == 4


def test_what_comes_out_of_an_area_is_batched_natively() -> None:
    fed = tf.placeholder(tf.int32, [])
    area, put = staged(fed)
    with pytest.warns(queuecompat.errors.NativePipelineWarning, match="QC202"):
        batch = tf.train.batch([area.get()[0] * 10], 4)
    (runner,) = tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)
    with tf.Session() as sess:
        # By hand and not by its thread: a get of an empty area waits in the kernel, and nothing can stop it.
        for number in range(4):
            sess.run(put, {fed: number})
            sess.run(runner.enqueue_ops)
        assert sess.run(batch).tolist() == [0, 10, 20, 30]


def test_a_put_after_the_start_is_refused_where_it_would_share() -> None:
    number = numbers()
    batch = tf.train.batch([number], 2)
    with started() as sess:
        sess.run(batch)
        with pytest.raises(RuntimeError, match="QC304"):
            staged(number)


def test_a_put_takes_arrays_and_a_get_returns_their_values() -> None:
    area = tf.contrib.staging.StagingArea([tf.float32], [[2]])
    put, got = area.put([np.ones(2, np.float32)]), area.get()
    with started() as sess:
        sess.run(put)
        assert sess.run(got)[0].tolist() == [1.0, 1.0]


def test_elements_live_on_the_device_of_the_area_and_come_out_on_that_of_the_get() -> None:
    with tf.device("/cpu:0"):
        area = tf.contrib.staging.StagingArea([tf.int32])
    put = area.put([tf.constant(1)])
    with tf.device("/cpu:1"):
        got = area.get()[0]
    assert "CPU:0" in put.device.upper()
    assert "CPU:1" in got.device.upper() and got.op.type == "Identity"
    assert "CPU:0" in got.op.inputs[0].device.upper()


def test_in_eager_mode_each_call_acts_at_once(tmp_path: pathlib.Path, server: Server) -> None:
    code = """
import tensorflow as tf
from queuecompat.contrib.staging import StagingArea
area, other = StagingArea([tf.int32, tf.float32], names=["n", "x"]), StagingArea([tf.int32])
area.put({"n": 1, "x": 0.5})
area.put({"n": tf.constant(2), "x": tf.constant(1.5)})
assert int(area.size()) == 2 and int(other.size()) == 0
assert int(area.peek(1)["n"]) == 2
assert float(area.get()["x"]) == 0.5
area.clear()
assert int(area.size()) == 0
"""
    ran = server.run(["-c", code], str(tmp_path))
    assert ran.exit_code == 0, ran.err
