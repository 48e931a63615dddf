"""``--to tf-data`` where a function of another file reads from the queue: first where that function has to stay."""

from __future__ import annotations

import pathlib
from typing import Dict

import pytest

from queuecompat.migrate.rewrite.together import rewritten_together
from queuecompat.migrate.source.parsing import parsed
from tests.forking import Server

READER = """\
import tensorflow as tf

HALF = 0.5


def halved(number):
    return number * HALF


# Reads one number.
def read_line(queue):
    lines = tf.TextLineReader()
    _, line = lines.read(queue)
    return halved(tf.string_to_number(line))
"""
MAIN = """\
import tensorflow as tf

import reader


def inputs(n):
    queue = tf.train.string_input_producer(['a.txt'], shuffle=False)
    number = reader.read_line(queue)
    return tf.train.batch([number + 1], n)


batch = inputs(2)
with tf.Session() as sess:
    tf.train.start_queue_runners(sess)
    for step in range(3):
        print(sess.run(batch).tolist())
"""
MOVED = """\
import tensorflow.compat.v1 as tf

import reader


# Reads one number.
def read_line(line):
    return reader.halved(tf.string_to_number(line))


def inputs(n):
    def decode(line):
        number = read_line(line)
        return number + 1
"""
HALVING = READER.replace("halved(tf", "HALF * (tf")
BY_NAME = MAIN.replace("import reader", "from reader import read_line").replace("reader.read_line(", "read_line(")


def rewritten(files: Dict[str, str]) -> Dict[str, str]:
    sources = [parsed(file, text) for file, text in files.items()]
    done = rewritten_together(sources, "tf-data")
    return {one.file: done[one].text for one in sources}


@pytest.mark.parametrize(
    ("read", "main", "more"),
    [
        # Other uses of the function.
        (READER, MAIN, {"test_reader.py": "import reader\n\nprint(reader.read_line('queue'))\n"}),
        (READER, MAIN, {"data.py": "from reader import read_line\n"}),
        (READER, MAIN, {"data.py": "import reader\nREAD = getattr(reader, 'read_line')\n"}),
        (READER + "\n\ndef twice(queue):\n    return 2 * read_line(queue)\n", MAIN, {}),
        (READER + "\n\nKINDS = {'lines': read_line}\n", MAIN, {}),
        (READER + "\n\n__all__ = ['read_line']\n", MAIN, {}),
        (READER.replace("def read_line", "@staticmethod\ndef read_line"), MAIN, {}),
        # Names that mean something else where the function would be.
        (READER, MAIN.replace("def inputs", "def read_line():\n    pass\n\n\ndef inputs"), {}),
        (READER.replace("lines", "reader"), MAIN, {}),
        (HALVING.replace("def halved", "HALF = 0.25\n\n\ndef halved"), MAIN, {}),
        (HALVING.replace("def halved", "def set_half():\n    global HALF\n\n\ndef halved"), MAIN, {}),
        (READER.replace("as tf", "as T").replace("tf.", "T."), MAIN, {}),
        (READER.replace("halved(tf", "abs(tf"), MAIN.replace("def inputs", "def abs():\n    pass\n\n\ndef inputs"), {}),
        (READER, BY_NAME.replace("def inputs", "def halved():\n    pass\n\n\ndef inputs"), {}),
        # The module through a different file.
        (READER, MAIN.replace("import reader", "import data as reader"), {"data.py": "from reader import *\n"}),
    ],
)
def test_a_function_that_may_be_needed_where_it_is_stays(read: str, main: str, more: Dict[str, str]) -> None:
    texts = rewritten({"reader.py": read, "main.py": main, **more})
    assert "def read_line(" in texts["reader.py"] and "# queuecompat: QC744" in texts["main.py"]
    assert "Session" in texts["main.py"]


def test_a_function_that_reads_from_the_queue_moves_to_its_only_caller() -> None:
    texts = rewritten({"reader.py": READER, "main.py": MAIN})
    assert texts["main.py"].startswith(MOVED)
    assert texts["reader.py"] == READER.partition("\n\n# Reads")[0]
    assert rewritten(texts) == texts


def test_what_it_needs_is_imported_by_name_where_it_was() -> None:
    texts = rewritten({"reader.py": READER, "main.py": BY_NAME})
    assert "\nfrom reader import halved\n" in texts["main.py"]
    assert "    return halved(tf.string_to_number(line))\n" in texts["main.py"]


def test_an_import_that_nothing_uses_any_more_is_removed_if_it_has_no_effect() -> None:
    alone = READER.replace("halved(tf", "(tf")
    assert "import reader" not in rewritten({"reader.py": alone, "main.py": MAIN})["main.py"]
    assert "import reader" in rewritten({"reader.py": alone + "\n\nprint(1)\n", "main.py": MAIN})["main.py"]


@pytest.mark.parametrize("main", [MAIN, BY_NAME])
def test_the_values_are_the_same(main: str, tmp_path: pathlib.Path, server: Server) -> None:
    (tmp_path / "a.txt").write_text("2\n4\n6\n8\n")
    for file, text in rewritten({"reader.py": READER, "main.py": main}).items():
        (tmp_path / file).write_text(text)
    ran = server.run(["main.py"], str(tmp_path))
    assert (ran.exit_code, ran.out) == (0, "[2.0, 3.0]\n[4.0, 5.0]\n[2.0, 3.0]\n"), ran.err[-3000:]


QUEUES = """\
import tensorflow as tf


def queue_of(names):
    return tf.train.string_input_producer(names, shuffle=False)


def batched(tensors, n):
    return tf.train.batch(tensors, n)


def others(n):
    return batched(list(queue_of(['b.txt']).dequeue()), n)
"""
THROUGH = """\
import tensorflow as tf

import queues


def inputs(n):
    queue = queues.queue_of(['a.txt'])
    _, line = tf.TextLineReader().read(queue)
    return queues.batched([line], n)
"""


def test_all_parts_of_a_pipeline_move_together() -> None:
    """None was moved, because each alone left the pipeline on queues."""
    alone = QUEUES.partition("\n\n\ndef others")[0] + "\n"
    texts = rewritten({"queues.py": alone, "main.py": THROUGH})
    assert "string_input_producer" not in texts["main.py"] and "dataset = dataset.batch(n" in texts["main.py"]
    assert texts["queues.py"] == "import tensorflow as tf\n" and "import queues" not in texts["main.py"]


def test_no_part_moves_if_another_has_to_stay() -> None:
    texts = rewritten({"queues.py": QUEUES, "main.py": THROUGH})
    assert "def batched(" in texts["queues.py"] and "def queue_of(" in texts["queues.py"]
    assert "tf.TextLineReader().read(queue)" in texts["main.py"]
