"""A program that prints the batches of its TFRecord files, under ``queuecompat run`` with some options."""

from __future__ import annotations

import pathlib
import textwrap
from typing import Sequence

from tests.forking import Ran, Server

__all__ = ["run"]

PROGRAM = """
    import sys
    import tensorflow as tf

    queue = tf.train.string_input_producer(sys.argv[1:], num_epochs={epochs}, shuffle=False)
    _, record = tf.TFRecordReader().read(queue)
    batch = tf.train.batch([tf.parse_single_example(record, {{"x": tf.FixedLenFeature([], tf.int64)}})["x"]], 3)
    with tf.train.MonitoredSession() as sess:
        while not sess.should_stop():
            print(sess.run(batch).tolist())
"""


def run(server: Server, folder: pathlib.Path, *files: str, options: Sequence[str], epochs: int = 1) -> Ran:
    """Runs the program on *files*: their examples in order, three a batch."""
    (folder / "script.py").write_text(textwrap.dedent(PROGRAM).format(epochs=epochs), encoding="utf-8")
    return server.run([*options, "script.py", *files], str(folder), launcher=["run"], warns=True)
