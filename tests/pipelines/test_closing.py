"""However a session ends, what waits in a queue of the program ends with it, and so does the process."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest

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
def test_a_session_may_end(end: str, name: str) -> None:
    """TensorFlow freed the queue while a pipeline waited in it, and the process crashed."""
    code = textwrap.dedent(BEGINNING).format(name=name) + textwrap.dedent(ENDS[end]) + "\nprint('ended', flush=True)\n"
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, timeout=120)
    assert (done.returncode, done.stdout.decode().split()) == (0, ["ended"]), done.stderr.decode()[-2000:]
