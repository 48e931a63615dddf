"""Programs that end in every way, with everything open: each has its exit code and output, and no other error.

A random program builds pipelines of several kinds, runs some steps in a session, in threads as well, and ends: by its
last line, ``sys.exit``, an exception, a signal, ``os._exit``, or after it has stopped or closed something. A crash of
TensorFlow's threads while Python ends, a process that does not end, and an error of a thread that waited are failures.
"""

from __future__ import annotations

import pathlib
import random
import signal
import textwrap
from typing import Dict, List, NamedTuple

from tests.forking import Server

__all__ = ["ends_of_programs"]

_PACKAGE = str(pathlib.Path(__file__).parents[2])
# The documented five seconds for a read that does not return, three times, and starting.
_DEADLINE_SECONDS = 40

_BEGINNING = """
import atexit, gc, os, pathlib, signal, sys, threading, time
import queuecompat.v1 as tf

pathlib.Path("lines").write_text("".join(f"{number}\\n" for number in range(50)))

def endless(function, *arguments):
    def run():
        try:
            while True:
                function(*arguments)
        except (RuntimeError, tf.errors.OpError):  # closed, or stopped
            return
    threading.Thread(target=run, daemon=True).start()

steps, feeds = [], []
"""
# What each adds to *steps*, a tensor that is computed forever, and to *feeds*, an op that a thread runs forever.
_PIPELINES: Dict[str, str] = {
    "no pipeline": "steps.append(tf.random_normal([{size}]) + tf.zeros([{size}]))",
    "rows": "steps.append(tf.train.batch([tf.train.range_input_producer(50).dequeue()], {size}))",
    "lines": """
        line = tf.TextLineReader().read(tf.train.string_input_producer(["lines"]))[1]
        steps.append(tf.train.shuffle_batch([tf.string_to_number(line)], {size}, 20, 5, num_threads=2))
        """,
    "Python": """
        row = tf.py_func(lambda one: one, [tf.train.range_input_producer(50).dequeue()], tf.int32)
        steps.append(tf.train.batch([tf.reshape(row, [])], {size}))
        """,
    "a queue that a runner fills": """
        queue = tf.FIFOQueue(4, tf.float32, [[]])
        tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue([tf.random_normal([])])] * 2))
        steps.append(queue.dequeue_many({size}))
        """,
    "a queue that a thread fills": """
        queue = tf.FIFOQueue(2, tf.float32, [[]])
        feeds.append(queue.enqueue([1.0]))
        steps.append(tf.train.batch([queue.dequeue() * 2.0], {size}))
        """,
    "lists": """
        rows = [[tf.train.range_input_producer(50).dequeue() + number] for number in range(2)]
        steps.append(tf.train.batch_join(rows, {size}))
        """,
}
_MIDDLE = """
session = tf.Session()
coord = tf.train.Coordinator()
session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
threads = tf.train.start_queue_runners(session, coord)
for op in feeds:
    endless(session.run, op)
for step in steps[:{consumers}]:
    endless(session.run, step)
for _ in range({count}):
    session.run(steps)
"""


class _End(NamedTuple):
    code: str
    exit_codes: List[int]
    out: str = "ended\n"
    has_traceback: bool = False


_ENDED = "print('ended', flush=True)\n"
_ENDS: Dict[str, _End] = {
    "its last line": _End(_ENDED, [0]),
    "sys.exit": _End(_ENDED + "sys.exit(3)", [3]),
    "an exception": _End(_ENDED + "raise ValueError('planned')", [1], has_traceback=True),
    "os._exit": _End(_ENDED + "os._exit(5)", [5]),
    "SIGTERM": _End(_ENDED + "os.kill(os.getpid(), signal.SIGTERM)\ntime.sleep(60)", [-signal.SIGTERM]),
    "SIGINT": _End(
        _ENDED + "threading.Timer(0.1, os.kill, [os.getpid(), signal.SIGINT]).start()\nwhile True: session.run(steps)",
        [-signal.SIGINT, 1],
        has_traceback=True,
    ),
    "a closed session": _End("session.close()\n" + _ENDED, [0]),
    "a session that a thread closes": _End("threading.Thread(target=session.close).start()\n" + _ENDED, [0]),
    "a session without a reference": _End("del session, threads\ngc.collect()\n" + _ENDED, [0]),
    "a stop": _End("coord.request_stop()\ncoord.join(threads)\n" + _ENDED, [0]),
    "a stop with an error": _End(
        _ENDED + "with coord.stop_on_exception():\n    raise ValueError('planned')\ncoord.join(threads)",
        [1],
        has_traceback=True,
    ),
    "a step while it ends": _End(
        "atexit.register(lambda: print('ended', session.run(steps) is None))\n", [0], "ended False\n"
    ),
}


def ends_of_programs(size: int, chance: random.Random, folder: pathlib.Path) -> None:
    """So many programs, one after the other."""
    with Server(_PACKAGE) as server:
        for number in range(size):
            pipelines = chance.choices(list(_PIPELINES), k=chance.randint(1, 3))
            name = chance.choice(list(_ENDS))
            count, consumers = chance.randint(1, 4), chance.randint(0, len(pipelines))
            code = _BEGINNING + "".join(
                textwrap.dedent(_PIPELINES[one]).format(size=chance.randint(1, 4)) + "\n" for one in pipelines
            )
            end = _ENDS[name]
            code += _MIDDLE.format(consumers=consumers, count=count) + end.code
            scratch = folder / str(number)
            scratch.mkdir()
            done = server.run(["-c", code], str(scratch), deadline=_DEADLINE_SECONDS)
            has_ended = done.exit_code in end.exit_codes and done.out == end.out
            said = f"program {number}, {pipelines}, {consumers} consumers, {count} steps, {name}: {done}"
            assert has_ended and ("Traceback" in done.err) == end.has_traceback, said
            assert "Exception in thread" not in done.err, said
