"""``run --random by-index`` and ``--checkpoint-input``: what a record draws, and where a restarted program goes on."""

from __future__ import annotations

import pathlib
import textwrap
from typing import List

from tests.forking import Server

DRAWS = """
    import tensorflow as tf

    number = tf.train.range_input_producer(12, num_epochs=1).dequeue()
    numbers, drawn = tf.train.shuffle_batch([number, tf.random_uniform([])], 4, 12, 4, num_threads=THREADS)
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess, coord)
        found = {}
        for _ in range(3):
            found.update(zip(*(one.tolist() for one in sess.run([numbers, drawn]))))
        coord.request_stop()
        coord.join(threads)
    print(sorted(found.items()))
"""

STEPS = """
    import sys
    import tensorflow as tf

    number = tf.train.range_input_producer(100, shuffle=False).dequeue()
    batch = tf.train.batch([number], 4)
    step = tf.assign_add(tf.train.get_or_create_global_step(), 1)
    hooks = [tf.train.StopAtStepHook(num_steps=3)]
    with tf.train.MonitoredTrainingSession(checkpoint_dir="saved", hooks=hooks, save_summaries_steps=None) as sess:
        while not sess.should_stop():
            print(sess.run([batch, step])[0].tolist())
"""


def run(program: str, folder: pathlib.Path, server: Server, *options: str) -> List[str]:
    (folder / "program.py").write_text(textwrap.dedent(program), encoding="utf-8")
    done = server.run(["program.py"], str(folder), launcher=["run", *options])
    assert done.exit_code == 0, done.err
    return done.out.splitlines()


def test_by_index_a_record_draws_the_same_in_each_run_with_any_number_of_threads(
    tmp_path: pathlib.Path, server: Server
) -> None:
    options = ["--random", "by-index", "--random-seed", "7"]
    first = run(DRAWS.replace("THREADS", "1"), tmp_path, server, *options)
    assert run(DRAWS.replace("THREADS", "3"), tmp_path, server, *options) == first
    assert run(DRAWS.replace("THREADS", "1"), tmp_path, server, *options[:-1], "8") != first
    assert run(DRAWS.replace("THREADS", "1"), tmp_path, server) != first


def test_with_the_position_in_checkpoints_a_restarted_program_goes_on(tmp_path: pathlib.Path, server: Server) -> None:
    rows = [str(list(range(begin, begin + 4))) for begin in range(0, 24, 4)]
    assert run(STEPS, tmp_path, server, "--checkpoint-input") == rows[:3]
    assert run(STEPS, tmp_path, server, "--checkpoint-input") == rows[3:]


def test_without_it_a_restarted_program_begins_again(tmp_path: pathlib.Path, server: Server) -> None:
    assert run(STEPS, tmp_path, server) == run(STEPS, tmp_path, server)
