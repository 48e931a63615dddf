"""``run --cache``: what is made of files is kept in a folder, and serves the next run of an unchanged program."""

from __future__ import annotations

import os
import pathlib
import textwrap
from typing import Sequence

from tests.forking import Ran, Server
from tests.pipelines.bad_data import write_examples

PROGRAM = """
    import sys
    import tensorflow as tf

    queue = tf.train.string_input_producer(sys.argv[1:], num_epochs=2, shuffle=False)
    _, record = tf.TFRecordReader().read(queue)
    batch = tf.train.batch([tf.parse_single_example(record, {"x": tf.FixedLenFeature([], tf.int64)})["x"]], 3)
    with tf.train.MonitoredSession() as sess:
        while not sess.should_stop():
            print(sess.run(batch).tolist())
"""
OUTPUT = ["[0, 1, 2]", "[0, 1, 2]"]


def run(server: Server, folder: pathlib.Path, *arguments: str, options: Sequence[str]) -> Ran:
    (folder / "script.py").write_text(textwrap.dedent(PROGRAM), encoding="utf-8")
    return server.run([*options, "script.py", *arguments], str(folder), launcher=["run"], warns=True)


def test_the_second_run_reads_what_the_first_has_kept(tmp_path: pathlib.Path, server: Server) -> None:
    path, folder = write_examples(tmp_path / "a", range(3)), str(tmp_path / "cache")
    before = os.stat(path)
    assert (
        run(server, tmp_path, path, options=["--cache", folder, "--cache-bytes", "9999"]).out.split("\n")[:2] == OUTPUT
    )
    write_examples(tmp_path / "a", range(3, 6))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))  # it looks as it did: the cache has to answer
    ran = run(server, tmp_path, path, options=["--cache", folder])
    assert ran.out.split("\n")[:2] == OUTPUT, ran.err[-3000:]


def test_a_budget_without_a_cache_is_refused(tmp_path: pathlib.Path, server: Server) -> None:
    ran = run(server, tmp_path, options=["--cache-bytes", "1"])
    assert ran.exit_code == 2
    assert "--cache-bytes needs --cache, and a positive number" in ran.err
