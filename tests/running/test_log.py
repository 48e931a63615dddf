"""What a program's standard error has of TensorFlow's own lines: each once, and nothing of a normal end of data."""

from __future__ import annotations

import pathlib
import textwrap

import pytest

from .test_like_python import run

# Two pipelines, one of which feeds the program's own queue; both end by themselves.
PROGRAM = """
    import logging, sys
    import IMPORT
    tf.logging.set_verbosity(tf.logging.INFO)
    if "early" in sys.argv:
        logging.basicConfig(level=logging.INFO, format="mine: %(message)s")

    def main(_):
        tf.logging.info("begin")
        numbers = train.range_input_producer(8, num_epochs=1)
        batch = train.batch([train.limit_epochs(numbers.dequeue(), 20)], 4)
        train.match_filenames_once("*.absent")
        own = tf.FIFOQueue(10, [tf.int32], [[]])
        fed = train.range_input_producer(10, num_epochs=1).dequeue()
        train.add_queue_runner(train.QueueRunner(own, [own.enqueue(fed)]))
        drawn = own.dequeue()
        tf.train.start_queue_runners  # TensorFlow's own; the sessions of the program call it
        if "late" in sys.argv:
            logging.basicConfig(level=logging.INFO, format="mine: %(message)s")
        with tf.train.MonitoredTrainingSession() as sess:
            while not sess.should_stop():
                sess.run([batch, drawn])
        with tf.Session() as sess:
            sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
            coord = tf.train.Coordinator()
            threads = train.start_queue_runners(sess, coord)
            try:
                while True:
                    sess.run(drawn)
            except tf.errors.OutOfRangeError:
                tf.logging.info("end")
            coord.request_stop()
            coord.join(threads)

    if "app" in sys.argv:
        tf.app.run()
    else:
        main(None)
"""


def standard_error(tmp_path: pathlib.Path, imports: str, *arguments: str, ours: bool = True) -> str:
    (tmp_path / "script.py").write_text(textwrap.dedent(PROGRAM).replace("import IMPORT", imports), encoding="utf-8")
    done = run(["script.py", *arguments], tmp_path, ours=ours, TF_CPP_MIN_LOG_LEVEL="0")
    assert done.returncode == 0, done.stderr
    return done.stderr


def lines(text: str, words: str) -> list:
    # TensorFlow 2.16 itself warns of each end of data.
    return [line for line in text.splitlines() if words in line and "local_rendezvous.cc" not in line]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [((), "INFO:tensorflow:"), (("app",), "INFO:tensorflow:"), (("early",), "mine: "), (("late",), "mine: ")],
)
def test_a_program_that_ends_normally_prints_its_own_lines_once_and_no_advice(
    arguments: tuple, expected: str, tmp_path: pathlib.Path
) -> None:
    # With basicConfig and with tf.app.run each line used to come twice, as under TensorFlow 1.15.
    text = standard_error(tmp_path, "import tensorflow as tf; train = tf.train", *arguments)
    assert lines(text, "end") == [f"{expected}end"]
    assert len(lines(text, "begin")) == 1
    assert not lines(text, "deprecated")
    assert not lines(text, "already closed")
    assert not lines(text, "Queue")


def test_with_the_tf_train_functions_alone_there_is_no_advice_either(tmp_path: pathlib.Path) -> None:
    imports = "tensorflow.compat.v1 as tf; tf.disable_eager_execution(); from queuecompat import train"
    text = standard_error(tmp_path, f"import {imports}", ours=False)
    assert not [line for line in lines(text, "deprecated") if "queue" in line.lower()]
    assert not lines(text, "To construct input pipelines")
    assert not lines(text, "already closed")
