"""Pipelines whose parts other files build: a reader's function, a class, a table of classes.

Each of these became a loop over a dataset whose records came from queues outside of it: a RuntimeError in eager mode.
"""

from __future__ import annotations

import pathlib
from typing import Dict, List, Tuple

import pytest

from queuecompat.migrate.rewrite.together import rewritten_together
from queuecompat.migrate.source.parsing import parsed
from tests.forking import Server

READER = """\
import tensorflow as tf


def read(n):
    return 2 * tf.train.slice_input_producer([list(range(n))], shuffle=False)[0]


class Begun(object):
    def __init__(self, n):
        self.row = tf.train.slice_input_producer([list(range(n))], shuffle=False)[0]

    def example(self):
        return 2 * self.row

    def batched(self, size):
        return tf.train.batch([self.example()], size)


class Late(object):
    def __init__(self, n):
        self.n = n

    def example(self):
        return read(self.n)


KINDS = {"begun": Begun, "late": Late}


def make(name, n):
    return KINDS[name](n)
"""
_SESSION = """\
{indent}with tf.Session() as sess:
{indent}    coord = tf.train.Coordinator()
{indent}    threads = tf.train.start_queue_runners(sess, coord)
{indent}    for step in range(3):
{indent}        print(sess.run(batch).tolist())
{indent}    coord.request_stop()
{indent}    coord.join(threads)
"""
_BATCH = "batch = tf.train.batch([x], 2)\n"
HEAD = "import tensorflow as tf\n\nimport reader\n\n"
# The lines that make the batch, and the first of those that go into the dataset's function.
MADE: Dict[str, Tuple[str, str]] = {
    "function": (f"x = reader.read(6)\n{_BATCH}", "x = reader.read(6)"),
    "class": (f"data = reader.Begun(6)\nx = data.example()\n{_BATCH}", "data = reader.Begun(6)"),
    "class that batches": ("data = reader.Begun(6)\nbatch = data.batched(2)\n", "data = reader.Begun(6)"),
    "class of a table": (f"data = reader.KINDS['begun'](6)\nx = data.example()\n{_BATCH}", "data = reader.KINDS["),
    "object of a function": (f"data = reader.make('late', 6)\nx = data.example()\n{_BATCH}", "data = reader.make("),
    "partial": (f"read = functools.partial(reader.read, 6)\nx = read()\n{_BATCH}", "x = read()"),
    "looked up": (f"x = getattr(reader, 'read')(6)\n{_BATCH}", "x = getattr("),
}
OUTSIDE = {
    "passed": f"def run(x):\n    {_BATCH}{_SESSION.format(indent='    ')}\n\nrun(reader.read(6))\n",
    "global": f"x = reader.read(6)\n\n\ndef run():\n    {_BATCH}{_SESSION.format(indent='    ')}\n\nrun()\n",
    "derived": f"def run(y):\n    x = y * 2\n    {_BATCH}{_SESSION.format(indent='    ')}\n\nrun(reader.read(6))\n",
}


def rewritten(main: str, to: str = "as-dataset") -> Tuple[Dict[str, str], List[str]]:
    """The new texts, and what was left."""
    files = [parsed("reader.py", READER), parsed("main.py", main)]
    done = rewritten_together(files, to)
    return {one.file: done[one].text for one in files}, [found.what for one in files for found in done[one].left]


def program(name: str) -> str:
    return ("import functools\n" if name == "partial" else "") + HEAD + MADE[name][0] + _SESSION.format(indent="")


@pytest.mark.parametrize("name", MADE)
def test_what_builds_a_part_in_a_different_file_goes_into_the_datasets_function(name: str) -> None:
    texts, left = rewritten(program(name))
    _, _, inside = texts["main.py"].partition("@queuecompat.input_pipeline\ndef input_pipeline():\n")
    assert inside.startswith(f"    {MADE[name][1]}") and not left
    assert "# queuecompat:" not in texts["reader.py"]


@pytest.mark.parametrize("name", ["class that batches", "class of a table"])
def test_it_runs_by_itself(name: str, tmp_path: pathlib.Path, server: Server) -> None:
    texts, _ = rewritten(program(name))
    for file, text in texts.items():
        (tmp_path / file).write_text(text)
    ran = server.run(["main.py"], str(tmp_path))
    assert (ran.exit_code, ran.out) == (0, "[0, 2]\n[4, 6]\n[8, 10]\n"), ran.err[-3000:]


@pytest.mark.parametrize("main", OUTSIDE.values(), ids=OUTSIDE)
def test_records_that_come_from_outside_keep_their_session(main: str) -> None:
    texts, left = rewritten(HEAD + main)
    assert left[0].endswith("it is unknown where its records come from: read them in this function")
    assert "tf.Session()" in texts["main.py"] and "input_pipeline" not in texts["main.py"]


@pytest.mark.parametrize("made", ["[rows], 2, enqueue_many=True", "[rows * tf.random_uniform([])], 2"])
def test_arrays_of_a_caller_and_draws_are_records(made: str) -> None:
    main = f"def run(rows):\n    batch = tf.train.batch({made})\n{_SESSION.format(indent='    ')}"
    texts, _ = rewritten(HEAD + main)
    assert "Session" not in texts["main.py"]


COMPUTES = """\
import tensorflow as tf


def rows(n):
    return tf.train.batch([tf.train.range_input_producer(n).dequeue()], 2)


def features(n):
    row = rows(n)
    doubled = row * 2
    return doubled, row
"""


def test_a_function_that_returns_something_else_than_its_batch_is_named() -> None:
    """The reason said that the pipeline does not end in a batcher."""
    main = HEAD + "a, b = reader.features(4)\n" + _SESSION.format(indent="").replace("batch", "a")
    sources = [parsed("/program/main.py", main), parsed("/program/reader.py", COMPUTES)]
    (found,) = rewritten_together(sources, "as-dataset")[sources[0]].left
    assert "'reader.features' builds the pipeline, and returns something else than its batch: return" in found.what
