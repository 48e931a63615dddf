"""A program in parts, so that tests put other statements in, and what a program prints."""

from __future__ import annotations

import pathlib
import re
from typing import Any, Dict, Sequence

import pytest

import queuecompat
from queuecompat.migrate.rewrite import as_dataset
from queuecompat.migrate.rewrite.refusals import refused
from tests.forking import Server

__all__ = ["ROOT", "of_form", "output", "without_graphs"]

ROOT = str(pathlib.Path(queuecompat.__file__).parents[1])

# A module of its own, so that other statements can be put in at these places.
FORM = """\
import tensorflow as tf
def inputs():
    return tf.train.batch([tf.train.range_input_producer(9, shuffle=False).dequeue()], 3)
{top}
batch = inputs()
{middle}
sess = tf.Session()
sess.run(tf.global_variables_initializer())
coord = tf.train.Coordinator()
threads = tf.train.start_queue_runners(sess, coord)
for step in range(2):
    {loop}
coord.request_stop()
coord.join(threads)
{end}
"""


def of_form(**parts: str) -> str:
    places: Dict[str, str] = {"top": "", "middle": "", "loop": "value = sess.run(batch)", "end": "", **parts}
    return FORM.format(**places)


def without_graphs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Looks at the statement-by-statement form alone, and not at that whose model stays a graph."""

    def wrapped(source: object, statements: Sequence[Any]) -> None:
        raise refused("never-run", statements[0])

    monkeypatch.setattr(as_dataset, "wrapped", wrapped)
    monkeypatch.setattr(as_dataset, "_OF_STATEMENTS", set())


def output(server: Server, text: str, folder: pathlib.Path) -> str:
    """What the program *text* prints, run in *folder*; numbers in lists as under ``run``, without NumPy's types."""
    (folder / "program.py").write_text(text)
    ran = server.run(["program.py"], str(folder), deadline=250)
    assert ran.exit_code == 0, ran.err[-3000:]
    return re.sub(r"np\.(?:float|int)\d+\(([^()]*)\)", r"\1", ran.out)
