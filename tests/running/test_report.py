"""``--report``: every pipeline, compiled or native and why, how much it gave, and who waited."""

from __future__ import annotations

import json
import pathlib
import re
import textwrap

import pytest

from tests.forking import Ran, Server
from tests.running.test_like_python import run

PROGRAM = """
    import time
    import tensorflow as tf

    def train(graph, closes):
        with graph.as_default():
            number = tf.train.range_input_producer(100, shuffle=False, num_epochs=1).dequeue()
            compiled = tf.train.batch([number], 5, name="first")
            other = tf.train.range_input_producer(8).dequeue()
            tf.train.batch([other], 0, name="empty")
            sess = tf.Session()
            sess.run(tf.local_variables_initializer())
            coord = tf.train.Coordinator()
            threads = tf.train.start_queue_runners(sess, coord)
            for _ in range(7):
                sess.run(compiled)
                time.sleep(0.1)  # a step's work; the figures of a run too short are not told
            coord.request_stop()
            coord.join(threads)
            if closes:
                sess.close()
            return sess

    kept = [train(tf.Graph(), closes) for closes in (True, False)]
    LAST
"""

MONITORED = """
    import tensorflow as tf

    number = tf.train.range_input_producer(100).dequeue()
    batch = tf.train.batch([number], 5)
    with tf.train.MonitoredSession() as sess:
        for _ in range(3):
            sess.run(batch)
"""


def under_run(server: Server, tmp_path: pathlib.Path, *options: str) -> Ran:
    return server.run([*options, "script.py"], str(tmp_path), launcher=["run"], warns=True)


def report(server: Server, tmp_path: pathlib.Path, last: str, *options: str) -> tuple:
    (tmp_path / "script.py").write_text(textwrap.dedent(PROGRAM).replace("LAST", last), encoding="utf-8")
    done = under_run(server, tmp_path, *options)
    return done, done.err.partition("queuecompat: report on the input pipelines")[2]


def test_every_pipeline_is_in_the_report_of_closed_and_of_open_sessions(tmp_path: pathlib.Path, server: Server) -> None:
    done, text = report(server, tmp_path, "print('end')", "--report")
    assert done.exit_code == 0, done.err
    assert text.count("'first': compiled to tf.data, made at script.py:8") == 2
    figures = re.findall(r"(\d+) examples in 7 batches, .* the training loop waited ([\d.]+) s of ([\d.]+) s", text)
    assert [examples for examples, _, _ in figures] == ["35", "35"]
    assert all(float(waited) <= float(seconds) for _, waited, seconds in figures)
    assert text.count("'empty': native (on TensorFlow's own queues), made at script.py:10") == 2
    assert text.count("QC207 cannot compile stage 'empty'") == 2


def test_a_program_that_fails_gets_its_report_and_its_own_exit_code(tmp_path: pathlib.Path, server: Server) -> None:
    done, text = report(server, tmp_path, "raise SystemExit(5)", "--report")
    assert done.exit_code == 5
    assert "35 examples" in text


def test_a_session_that_finalizes_its_graph_is_in_the_report(tmp_path: pathlib.Path, server: Server) -> None:
    # It used to say "delivered nothing" of whatever a MonitoredSession or a Supervisor ran.
    (tmp_path / "script.py").write_text(textwrap.dedent(MONITORED), encoding="utf-8")
    done = under_run(server, tmp_path, "--report")
    assert done.exit_code == 0, done.err
    assert "15 examples in 3 batches, " in done.err


def test_a_process_that_the_program_forked_leaves_the_report_to_it(tmp_path: pathlib.Path) -> None:
    # It used to hang: the sessions of a fork have lost their threads. Not in a fork of the server, whose own watch over
    # the time is a thread that a second fork has lost as well.
    last = "import os; os.wait() if os.fork() else None"
    (tmp_path / "script.py").write_text(textwrap.dedent(PROGRAM).replace("LAST", last), encoding="utf-8")
    done = run(["--report", "script.py"], tmp_path, ours=True)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("report on the input pipelines") == 1


@pytest.mark.parametrize("option", ["--report {}", "--report={}"])
def test_a_report_is_written_to_a_file(tmp_path: pathlib.Path, server: Server, option: str) -> None:
    done, text = report(server, tmp_path, "", *option.format("figures.json").split())
    assert done.exit_code == 0 and not text
    assert "queuecompat: the report on the input pipelines is in figures.json\n" in done.err
    pipelines = json.loads((tmp_path / "figures.json").read_text())["pipelines"]
    by_name = {one["name"]: one for one in pipelines}
    assert by_name.keys() == {"first", "input_producer_1_Dequeue", "empty"}
    assert by_name["first"]["delivered"] == 35
    assert {one["code"] for one in pipelines if not one["compiled"]} == {"QC207"}


def test_a_report_is_written_to_a_page(tmp_path: pathlib.Path, server: Server) -> None:
    done, text = report(server, tmp_path, "", "--report", "figures.html")
    assert done.exit_code == 0 and not text
    written = (tmp_path / "figures.html").read_text(encoding="utf-8")
    assert written.startswith("<!doctype html>")
    assert "35 examples in 7 batches" in written and "QC207 cannot compile stage" in written


PREFETCHED = """
    import tensorflow as tf
    from tensorflow.contrib import slim

    number = tf.train.range_input_producer(100).dequeue()
    queue = slim.prefetch_queue.prefetch_queue([tf.train.batch([number], 5)], capacity=2)
    batch = queue.dequeue()
    with tf.train.MonitoredSession() as sess:
        for _ in range(3):
            sess.run(batch)
"""


def test_the_queue_of_slim_is_in_the_report_under_its_own_name(tmp_path: pathlib.Path, server: Server) -> None:
    (tmp_path / "script.py").write_text(textwrap.dedent(PREFETCHED), encoding="utf-8")
    done = under_run(server, tmp_path, "--report")
    assert done.exit_code == 0, done.err
    assert "'prefetch_queue/fifo_queue_Dequeue': compiled to tf.data, made at script.py:7\n    3 batches" in done.err


@pytest.mark.parametrize(
    ("file", "says"), [("report.txt", "ends in .html or .json"), ("no/where.html", "does not exist")]
)
def test_a_report_that_cannot_be_written_is_refused_before_the_program_runs(
    tmp_path: pathlib.Path, server: Server, file: str, says: str
) -> None:
    done, _ = report(server, tmp_path, "", f"--report={file}")
    assert done.exit_code == 2 and says in done.err


def test_a_file_that_is_no_report_is_taken_for_the_program_and_the_message_says_why(
    tmp_path: pathlib.Path, server: Server
) -> None:
    done, _ = report(server, tmp_path, "", "--report", "figures.txt")
    assert done.exit_code == 2
    assert "figures.txt': no such file or directory (the file of --report ends in .html or .json)" in done.err


def test_a_script_after_the_option_is_the_program(tmp_path: pathlib.Path, server: Server) -> None:
    (tmp_path / "script.py").write_text("import sys\nprint(sys.argv[1:])", encoding="utf-8")
    done = server.run(["--report", "script.py", "--report", "a.html"], str(tmp_path), launcher=["run"], warns=True)
    assert done.out == "['--report', 'a.html']\n"


def test_without_the_option_there_is_no_report(tmp_path: pathlib.Path, server: Server) -> None:
    done, text = report(server, tmp_path, "")
    assert done.exit_code == 0
    assert not text


def test_the_report_of_a_program_without_pipelines_says_so(tmp_path: pathlib.Path, server: Server) -> None:
    (tmp_path / "script.py").write_text("import tensorflow as tf", encoding="utf-8")
    assert under_run(server, tmp_path, "--report").err.endswith(
        "no input pipeline was built in a graph since the report began; datasets of as_dataset, and queues that the "
        "program fills itself, are not measured\n"
    )


FEEDING = """
    import tensorflow as tf

    numbers = tf.train.range_input_producer(6, shuffle=False, num_epochs=1)
    own = tf.FIFOQueue(10, [tf.int32], [[]])
    enqueue = own.enqueue(numbers.dequeue(name="fed"))
    tf.train.add_queue_runner(tf.train.QueueRunner(own, [enqueue]))
    drawn = own.dequeue()
    pairs = tf.train.range_input_producer(8, shuffle=False).dequeue_many(2, name="pairs")
    ones = tf.train.range_input_producer(8, shuffle=False).dequeue(name="ones")
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess, coord)
        for _ in range(6):
            sess.run(drawn)
        for _ in range(3):
            sess.run(pairs)
        sess.run(ones)
        coord.request_stop()
        coord.join(threads)
"""


def test_what_feeds_the_programs_own_queue_is_reported_and_batches_are_called_batches(
    tmp_path: pathlib.Path, server: Server
) -> None:
    # The first used to be left out, and three batches to be "3 examples".
    (tmp_path / "script.py").write_text(textwrap.dedent(FEEDING), encoding="utf-8")
    text = under_run(server, tmp_path, "--report").err
    assert re.search(
        r"'fifo_queue': compiled to tf.data, made at script.py:5\n    6 examples.*, delivered to TensorFlow's own",
        text,
    )
    assert "'pairs': compiled to tf.data, made at script.py:9\n    3 batches, " in text
    assert "'ones': compiled to tf.data, made at script.py:10\n    1 example, " in text
