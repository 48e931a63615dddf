"""Programs that end with everything open, or run short of memory: they end by themselves, and say why."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys
import textwrap

from tests.forking import Ran, Server

EVERYTHING_OPEN = """
    import numpy as np
    import queuecompat
    import queuecompat.v1 as tf

    report = queuecompat.report()
    row = tf.train.range_input_producer(1000).dequeue()
    in_python = tf.py_func(np.int64, [row], tf.int64)
    in_python.set_shape([])
    batches = [tf.train.batch([one], 4) for one in (row + 0, in_python)]
    own = tf.FIFOQueue(10, [tf.int32], [[]])
    waits = tf.train.batch([own.dequeue()], 2)
    tf.train.get_or_create_global_step()
    sessions = [tf.Session(), tf.Session()]
    for sess in sessions:
        coordinator = tf.train.Coordinator()
        tf.train.start_queue_runners(sess, coordinator, daemon=True)
        sess.run(batches)
    monitored = tf.train.MonitoredTrainingSession()
    monitored.run(batches)
    loaders = [queuecompat.BackgroundLoader(range(1000), abs, batch_size=4, workers=kind, num_workers=1)
               for kind in ("threads", "processes")]
    loops = [iter(loader) for loader in loaders]
    assert [next(loop).tolist() for loop in loops] == [[0, 1, 2, 3]] * 2
    print("ended", flush=True)
"""


def test_a_program_ends_with_everything_open(server: Server, tmp_path: pathlib.Path) -> None:
    done = server.run(["-c", textwrap.dedent(EVERYTHING_OPEN)], str(tmp_path))
    assert done[:2] == Ran(0, "ended\n", "")[:2], done.err[-2000:]


# As `ulimit -v`, once everything is loaded: TensorFlow alone takes many gigabytes of addresses.
SHORT_OF_MEMORY = """
    import os, pathlib, resource
    import queuecompat.v1 as tf

    with tf.Graph().as_default():
        row = tf.train.range_input_producer(100).dequeue()
        large = tf.fill([40 * 1024 * 1024], tf.cast(row, tf.float32))  # 160 MB
        batch = tf.train.batch([large], 16)
        with tf.Session() as sess:
            coordinator = tf.train.Coordinator()
            threads = tf.train.start_queue_runners(sess, coordinator)
            pages = int(pathlib.Path("/proc/self/statm").read_text().split()[0])
            limit = pages * os.sysconf("SC_PAGE_SIZE") + 800 * 1024 * 1024
            resource.setrlimit(resource.RLIMIT_AS, (limit, resource.getrlimit(resource.RLIMIT_AS)[1]))
            try:
                sess.run(batch)
            except tf.errors.ResourceExhaustedError as error:
                print("no memory", flush=True)
            try:
                coordinator.join(threads, stop_grace_period_secs=20)
            except tf.errors.ResourceExhaustedError:
                print("joined", flush=True)
"""


def test_a_limit_of_memory_is_an_error_of_the_step(tmp_path: pathlib.Path) -> None:
    """With oneDNN, TensorFlow's allocator waits ten seconds before each allocation that fails, and nothing can be freed
    meanwhile: the same program ends after minutes.
    """
    program = [sys.executable, "-c", textwrap.dedent(SHORT_OF_MEMORY)]
    known = {**os.environ, "TF_ENABLE_ONEDNN_OPTS": "0", "PYTHONPATH": str(pathlib.Path(__file__).parents[2])}
    done = subprocess.run(program, cwd=tmp_path, env=known, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout) == (0, "no memory\njoined\n"), done.stderr[-2000:]
