"""``run --compare``: two runs of one program, what is measured of them, and that neither can hang."""

from __future__ import annotations

import dataclasses
import os
import pathlib
import re
import subprocess
import sys
import textwrap
from typing import List

import pytest

from queuecompat.running import comparing
from queuecompat.running.comparing import Side, compared
from queuecompat.running.step_log import Log, Step
from tests.forking import Ran, Server
from tests.running.test_like_python import ROOT

# Runs steps until something ends it, and says how it ended.
LOOP = """
    import tensorflow as tf

    number = tf.train.range_input_producer(100).dequeue()
    batch = tf.train.batch([number], 5)
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess, coord)
        done = 0
        try:
            while not coord.should_stop():
                sess.run(tf.constant(1) if done == 1 else [])  # takes nothing from a pipeline: no step
                sess.run([batch, batch.op.name + ":0"])
                done += 1
        finally:
            coord.request_stop()
            coord.join(threads)
            print("ended after", done)
"""

MONITORED = """
    import tensorflow as tf

    class Hook(tf.train.SessionRunHook):
        def before_run(self, context):
            return tf.train.SessionRunArgs({"step": tf.train.get_global_step()})

    class Other(Hook):
        pass

    names = tf.train.range_input_producer(100)
    own = tf.FIFOQueue(50, [tf.int32], [[]])
    tf.train.add_queue_runner(tf.train.QueueRunner(own, [own.enqueue(names.dequeue())]))
    train = tf.group(own.dequeue(), tf.assign_add(tf.train.get_or_create_global_step(), 1))
    with tf.train.MonitoredTrainingSession(hooks=[Hook(), Other()]) as sess:
        while not sess.should_stop():
            sess.run(train)
"""


def recorded(server: Server, tmp_path: pathlib.Path, program: str, steps: int, *options: str) -> tuple:
    """How *program* ended that was to end after some steps, and what it wrote of them."""
    (tmp_path / "script.py").write_text(textwrap.dedent(program), encoding="utf-8")
    file = tmp_path / "steps"
    file.touch()
    launcher = ["run", *options, f"--record-steps={steps}:{file}"]
    ran: Ran = server.run(["script.py"], str(tmp_path), launcher=launcher)
    return ran, Log.of(file.read_text())


@pytest.mark.parametrize("options", [[], ["--own-queues"]], ids=["compiled", "own queues"])
def test_a_program_ends_after_the_steps_as_by_sys_exit(
    tmp_path: pathlib.Path, server: Server, options: List[str]
) -> None:
    ran, log = recorded(server, tmp_path, LOOP, 4, *options)
    assert (ran.exit_code, ran.out) == (0, "ended after 3\n"), ran.err
    assert len(log.steps) == 4
    assert (log.compiled, log.native) == ((0, 2) if options else (1, 0))
    # Only TensorFlow's own queues say what they are asked for.
    assert [step.examples for step in log.steps] == [5 if options else 0] * 4
    times = [log.begin, *(step.seconds for step in log.steps)]
    assert times == sorted(times)


@pytest.mark.parametrize("options", [[], ["--own-queues"]], ids=["compiled", "own queues"])
def test_a_monitored_session_with_hooks_and_a_queue_of_its_own_ends_after_the_steps(
    tmp_path: pathlib.Path, server: Server, options: List[str]
) -> None:
    # Two hooks, whose keys have no order, used to end in a TypeError where the queue's runner had been compiled.
    ran, log = recorded(server, tmp_path, MONITORED, 5, *options)
    assert ran.exit_code == 0, ran.err
    assert (len(log.steps), log.compiled > 0) == (5, not options)


def test_a_program_that_ends_sooner_has_written_what_it_did(tmp_path: pathlib.Path, server: Server) -> None:
    ran, log = recorded(server, tmp_path, LOOP.replace("(100)", "(10, num_epochs=1)"), 100)
    assert ran.exit_code == 1 and "OutOfRangeError" in ran.err
    assert (len(log.steps), log.compiled) == (2, 1)


def test_a_program_that_does_not_end_after_the_steps_is_ended(tmp_path: pathlib.Path) -> None:
    program = LOOP.replace("done += 1", "done += 1\n        except SystemExit:\n            threading.Event().wait()")
    program = program.replace("import tensorflow as tf", "import threading\n    import tensorflow as tf")
    (tmp_path / "script.py").write_text(textwrap.dedent(program), encoding="utf-8")
    (tmp_path / "steps").touch()
    code = (
        "from queuecompat.running import recording; recording.GRACE = 0.1; from queuecompat.cli import main; "
        f"main(['run', '--record-steps=3:{tmp_path / 'steps'}', 'script.py'])"
    )
    environment = {**os.environ, "PYTHONPATH": ROOT, "TF_CPP_MIN_LOG_LEVEL": "3"}
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=environment, timeout=60, check=False)
    assert done.returncode == 0
    assert len(Log.of((tmp_path / "steps").read_text()).steps) == 3


def test_both_runs_are_compared(tmp_path: pathlib.Path) -> None:
    (tmp_path / "script.py").write_text(textwrap.dedent(LOOP), encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": ROOT, "TF_CPP_MIN_LOG_LEVEL": "3"}
    done = subprocess.run(
        [sys.executable, "-m", "queuecompat", "run", "--compare", "30", "script.py"],
        cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert not done.stdout  # what the program prints
    assert "compiled pipelines against TensorFlow's own queues, 30 steps\n" in done.stderr
    assert re.search(r"examples a second +[\d,.]+ +[\d,.]+\n", done.stderr), done.stderr


def child(tmp_path: pathlib.Path, code: str, patience: float = 20.0) -> Side:
    """What ``comparing.run`` finds of a process that runs *code*, in which ``say`` writes a line."""
    path = tmp_path / "steps"
    prelude = f"say = lambda *words: print(*words, file=open({str(path)!r}, 'a'))\n"
    return comparing.run([sys.executable, "-c", prelude + textwrap.dedent(code)], str(path), patience)


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="this system has no groups of processes")
def test_a_run_without_a_step_for_long_is_ended_with_all_that_it_started(tmp_path: pathlib.Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    code = f"""
        import subprocess, sys, threading
        say("begin", 0, 0)
        waits = "import threading; threading.Event().wait()"
        subprocess.Popen([sys.executable, "-c", waits], stdout=open({str(pipe)!r}, "w"))
        exec(waits)
    """
    side = child(tmp_path, code, patience=0.5)
    assert side.exit_code is None
    os.set_blocking(read, True)
    assert os.read(read, 1) == b""  # comes when every process that could write has ended
    os.close(read)
    text, is_complete = compared(side, side, 10)
    assert not is_complete and "no step ended within" in text


def test_a_run_that_goes_on_with_steps_is_not_ended(tmp_path: pathlib.Path) -> None:
    # Each step comes after a patience that is over but for it.
    code = """
        import time
        say("begin", 0, 0)
        for number in range(4):
            time.sleep(0.2)
            say("step", number + 1, 0, 5)
    """
    side = child(tmp_path, code, patience=0.9)
    assert (side.exit_code, len(side.log.steps)) == (0, 4)


def test_a_run_cannot_wait_for_its_user(tmp_path: pathlib.Path) -> None:
    assert "EOFError" in child(tmp_path, "input()").printed


def test_a_run_that_fails_shows_what_it_printed_last(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTHONUNBUFFERED", raising=False)  # with it, any order of writing would pass
    side = child(tmp_path, "print('early\\n' * 50)\nraise ValueError('the reason')")
    text, is_complete = compared(side, side, 10)
    assert not is_complete
    assert "the program failed after 0 steps (exit code 1)" in text and "  | ValueError: the reason" in text
    assert text.count("early") < 50


def side(first: float, interval: float, steps: int, *, cpu: float = 0.0, examples: int = 32, native: int = 0) -> Side:
    """A run whose steps end after *interval* seconds each."""
    times = (first + number * interval for number in range(steps))
    made = tuple(Step(100 + when, when * cpu, examples) for when in times)
    return Side(Log(100.0, made, 1, native), 0)


def test_rates_are_of_the_time_after_the_first_step() -> None:
    text, is_complete = compared(side(5, 0.1, 11, cpu=2, examples=0), side(1, 0.4, 11, cpu=1), 11)
    assert is_complete
    rows = [line.split("  ")[-2:] for line in text.splitlines()]
    assert re.search(r"first step after, seconds +5 +1\n", text), text
    assert re.search(r"steps a second +10 +2\.5\n", text), rows
    assert re.search(r"examples a second +320 +80\n", text), rows
    assert re.search(r"processor time an example, ms +6\.25 +12\.5\n", text), rows
    assert text.endswith("after the first step, compiled pipelines are 4.0 times as fast")


def test_only_the_steps_that_both_came_to_are_compared() -> None:
    text, _ = compared(side(1, 0.5, 20), side(1, 1.0, 7), 20)
    assert "7 steps (of 20: the program ended)" in text
    assert "2.0 times" in text


def test_a_process_that_fails_after_its_last_step_has_been_compared() -> None:
    """TensorFlow's own queues may abort a process while Python ends in it."""
    aborted = dataclasses.replace(side(1, 1.0, 7), exit_code=-6)
    text, is_complete = compared(side(1, 0.5, 7), aborted, 7)
    assert is_complete and "2.0 times" in text
    text, is_complete = compared(side(1, 0.5, 8), aborted, 8)
    assert not is_complete and "failed after 7 steps (exit code -6)" in text


def test_a_time_that_is_too_short_has_no_ratio() -> None:
    text, is_complete = compared(side(1, 0.01, 20), side(1, 0.05, 20), 20)
    assert is_complete and "too short to compare" in text and "times as fast" not in text


def test_equal_times_are_the_models() -> None:
    assert "both are equally fast" in compared(side(1, 0.5, 20), side(1, 0.51, 20), 20)[0]


def test_examples_that_are_not_known_are_steps() -> None:
    text, _ = compared(side(1, 0.5, 5, examples=0), side(1, 0.5, 5, examples=0), 5)
    assert "examples a second" not in text and "processor time a step, ms" in text


def test_pipelines_that_were_not_compiled_are_listed() -> None:
    assert "1 of 2 pipelines could not be compiled" in compared(side(1, 1, 5, native=1), side(1, 1, 5), 5)[0]


def test_a_program_without_a_step_cannot_be_compared() -> None:
    nothing = Side(Log(100.0, ()), 0)
    text, is_complete = compared(nothing, nothing, 5)
    assert not is_complete and text.count("ran no step that reads from an input pipeline") == 2


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--compare=1"], "at least 2"),
        (["--compare", "--report"], "--compare cannot be used with --report"),
        (["--compare", "--shuffle", "global"], "--compare cannot be used with --shuffle"),
        (["--compare", "--on-error", "skip"], "--compare cannot be used with --on-error skip"),
        (["--compare", "--strict"], "--compare cannot be used with --strict"),
    ],
)
def test_what_only_one_of_the_two_can_do_is_refused(
    capsys: pytest.CaptureFixture[str], options: List[str], says: str
) -> None:
    from queuecompat import cli

    with pytest.raises(SystemExit) as ended:
        cli.main(["run", *options, "script.py"])
    assert ended.value.code == 2
    assert says in capsys.readouterr().err


def test_a_log_that_is_cut_off_has_its_whole_lines() -> None:
    assert Log.of("begin 1.0 0.5\nstep 2.0 0.7 32\nstep 3.0 0.").steps == (Step(2.0, 0.7, 32),)


def test_processes_that_the_program_starts_compile_nothing_either(tmp_path: pathlib.Path, server: Server) -> None:
    program = """
        import multiprocessing
        import tensorflow as tf

        def pipelines(queue):
            import queuecompat
            with tf.Graph().as_default() as graph:
                tf.train.batch([tf.train.range_input_producer(10).dequeue()], 5)
                queue.put(queuecompat.explain(graph).native[0][1].code)

        if __name__ == "__main__":
            context = multiprocessing.get_context("spawn")
            queue = context.Queue()
            process = context.Process(target=pipelines, args=(queue,))
            process.start()
            print(queue.get())
            process.join()
    """
    ran, _ = recorded(server, tmp_path, program, 4, "--own-queues")
    assert ran.out == "QC540\n", ran.err
