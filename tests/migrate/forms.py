"""A program in parts, so that tests put other statements in, and what a program prints."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys
from typing import Any, Dict, Sequence

import pytest

import queuecompat
from queuecompat.migrate.rewrite import as_dataset
from queuecompat.migrate.rewrite.refusals import refused

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


def output(text: str, folder: pathlib.Path) -> str:
    (folder / "program.py").write_text(text)
    environment = dict(os.environ, PYTHONPATH=ROOT, TF_CPP_MIN_LOG_LEVEL="3")
    command = [sys.executable, "-W", "ignore", "program.py"]
    return subprocess.run(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True, check=True, timeout=250
    ).stdout
