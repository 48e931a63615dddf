"""However a session ends, what waits in a queue of the program ends with it, and so does the process."""

from __future__ import annotations

import pathlib
import textwrap
import threading

import pytest

import queuecompat.v1 as tf
from tests.forking import Ran, Server

BEGINNING = """
    import gc
    import queuecompat.v1 as tf

    queue = tf.FIFOQueue(10, [tf.int32], [[]]{name})
    enqueue = queue.enqueue([1])
    batch = tf.train.batch([queue.dequeue()], 2)

    def started():
        session = tf.Session()
        session.run(enqueue)
        session.run(enqueue)
        tf.train.start_queue_runners(session, daemon=True)
        session.run(batch)
        return session  # its pipeline waits for a third element, or is about to
"""

ENDS = {
    "with Python": "session = started()",
    "with its last reference": "started()\nstarted()",
    "by the garbage collector": """
        for _ in range(8):
            session = started()
            session.it_itself = session
            del session
            gc.collect()
        """,
    "by an exception in its block": """
        try:
            with started():
                raise ValueError
        except ValueError:
            pass
        """,
    "by close": "started().close()",
}


@pytest.mark.parametrize("name", ["", ', shared_name="mine"'], ids=["a queue without name", "a queue with a name"])
@pytest.mark.parametrize("end", ENDS)
def test_a_session_may_end(end: str, name: str, server: Server, tmp_path: pathlib.Path) -> None:
    """TensorFlow freed the queue while a pipeline waited in it, and the process crashed."""
    code = textwrap.dedent(BEGINNING).format(name=name) + textwrap.dedent(ENDS[end]) + "\nprint('ended', flush=True)\n"
    done = server.run(["-c", code], str(tmp_path))
    assert done[:2] == Ran(0, "ended\n", "")[:2], done.err[-2000:]


@pytest.mark.parametrize("kind", ["queue", "batch"])
def test_a_step_that_waits_for_data_when_its_session_is_closed_is_cancelled(kind: str) -> None:
    """The queue is closed before the session, and the step failed as if the data had ended."""
    queue = tf.FIFOQueue(10, [tf.int32], [[]])
    waits = {"queue": queue.dequeue(), "batch": tf.train.batch([queue.dequeue()], 2)}
    begun = threading.Event()
    begins = tf.py_func(lambda: begun.set() or 0, [], tf.int64)
    session = tf.Session()
    tf.train.start_queue_runners(session)
    errors = []

    def step() -> None:
        try:
            session.run([begins, waits[kind]])
        except Exception as error:
            errors.append(error)

    waiting = threading.Thread(target=step)
    waiting.start()
    assert begun.wait(60)
    session.close()
    waiting.join(60)
    (error,) = errors
    assert type(error) is tf.errors.CancelledError
    assert "closed while" in str(error) or "cancelled" in str(error).lower()


FULL = """
    import time
    import queuecompat.v1 as tf

    value = tf.py_func(lambda: 7, [], tf.int64)  # a runner of TensorFlow's, for it has a pipeline's names beside it
    value.set_shape([])
    names = tf.train.string_input_producer(["a", "b"], shuffle=False)
    queue = tf.FIFOQueue(2, [tf.int64], [[]])
    enqueues = [queue.enqueue(value + 0 * tf.cast(tf.size(names.dequeue()), tf.int64)) for _ in range(3)]
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, enqueues))
    batch = tf.train.batch([queue.dequeue()], 2, capacity=2)
    session = tf.Session()
    threads = tf.train.start_queue_runners(session, daemon=True)
    print(session.run(batch))
    time.sleep(0.5)  # until the queues are full; if they are not, nothing waits, and the test proves less
    session.close()
    for thread in threads:
        thread.join(20)
    print(any(thread.is_alive() for thread in threads))
"""


def test_enqueues_that_wait_in_a_full_queue_are_cancelled(server: Server, tmp_path: pathlib.Path) -> None:
    done = server.run(["-c", textwrap.dedent(FULL)], str(tmp_path), deadline=60)
    assert done.out == "[7 7]\nFalse\n", done.err
