"""Queues, readers and iterators that the program made itself, as sources of compiled pipelines."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

import queuecompat
import queuecompat.v1 as tf
from tests.pipelines.running import drain, started


def numbers(limit: int = 6) -> Any:
    return tf.train.range_input_producer(limit, num_epochs=1, shuffle=False).dequeue()


def own_queue(*components: Any) -> Any:
    queue = tf.FIFOQueue(10, [c.dtype for c in components], [c.shape for c in components])
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(list(components))]))
    return queue


def test_a_queue_of_the_program_feeds_a_compiled_batch() -> None:
    batch = tf.train.batch([own_queue(numbers()).dequeue() * 2], 2)
    assert np.concatenate(drain(batch)).tolist() == [0, 2, 4, 6, 8, 10]
    assert not queuecompat.explain().native


def test_the_components_of_its_elements_stay_together() -> None:
    x = numbers()
    a, b = own_queue(x, tf.as_string(x)).dequeue()
    batches = drain(tf.train.batch({"a": a, "b": tf.string_to_number(b, tf.int32)}, 3))
    assert all((batch["a"] == batch["b"]).all() for batch in batches) and len(batches) == 2


@pytest.mark.parametrize("draw", ["dequeue_many", "dequeue_up_to"])
def test_many_elements_at_once_are_rows(draw: str) -> None:
    rows = getattr(own_queue(numbers()), draw)(3)
    assert np.concatenate(drain(tf.train.batch([rows], 2, enqueue_many=True))).tolist() == [0, 1, 2, 3, 4, 5]


def test_two_batchers_on_one_such_queue_share_its_elements() -> None:
    x = own_queue(numbers(40)).dequeue()
    first, second = tf.train.batch([x], 2, capacity=2), tf.train.batch([x + 100], 2, capacity=2)
    seen = []
    with started() as sess:
        for batch in (first, second):
            with pytest.raises(tf.errors.OutOfRangeError):
                while True:
                    seen.extend(sess.run(batch) % 100)
    assert len(set(seen)) == len(seen) and set(seen) <= set(range(40))


def test_a_queue_is_fed_from_a_python_thread() -> None:
    queue = tf.FIFOQueue(2, [tf.float32], [[3]])
    fed = tf.placeholder(tf.float32, [3])
    enqueue, close = queue.enqueue([fed]), queue.close()
    batch = tf.train.batch([queue.dequeue() + 1.0], 2)
    with started() as sess:

        def feed() -> None:
            for number in range(6):
                sess.run(enqueue, {fed: np.full(3, number)})
            sess.run(close)

        thread = threading.Thread(target=feed)
        thread.start()
        given = []
        with pytest.raises(tf.errors.OutOfRangeError):
            while True:
                given.append(sess.run(batch))
        thread.join(10)
    assert np.concatenate(given)[:, 0].tolist() == [1, 2, 3, 4, 5, 6]


def test_a_reader_reads_a_queue_of_the_program(tmp_path: Any) -> None:
    (tmp_path / "lines").write_text("a\nb\nc\n")
    queue = tf.FIFOQueue(5, [tf.string], [[]])
    key, line = tf.TextLineReader().read(queue)
    batch = tf.train.batch([key, line], 3)
    with started() as sess:
        sess.run(queue.enqueue([str(tmp_path / "lines")]))
        sess.run(queue.close())
        keys, lines = sess.run(batch)
    assert lines.tolist() == [b"a", b"b", b"c"]
    assert keys[2].endswith(b"lines:3")
    assert not queuecompat.explain().native


def test_an_iterator_of_the_program_feeds_a_compiled_batch() -> None:
    iterator = tf.data.make_initializable_iterator(tf.data.Dataset.range(6))
    tf.add_to_collection(tf.GraphKeys.TABLE_INITIALIZERS, iterator.initializer)
    batch = tf.train.batch([iterator.get_next() * 2], 3)
    assert np.concatenate(drain(batch)).tolist() == [0, 2, 4, 6, 8, 10]


def test_closing_the_session_frees_a_pipeline_that_waits_for_elements() -> None:
    queue = tf.FIFOQueue(5, [tf.int32], [[]])
    batch = tf.train.batch([queue.dequeue()], 2)
    errors = []
    session = tf.Session()
    tf.train.start_queue_runners(session)

    def run() -> None:
        try:
            session.run(batch)
        except Exception as error:
            errors.append(error)

    session.run(queue.enqueue(1))
    thread = threading.Thread(target=run)
    thread.start()
    session.run(queue.close(cancel_pending_enqueues=True))
    thread.join(10)
    assert not thread.is_alive()
    assert isinstance(errors[0], tf.errors.OutOfRangeError)
    session.close()
