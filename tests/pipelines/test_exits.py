"""The process ends when the program does, whatever its open sessions wait for."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys
import textwrap
from typing import Any

import pytest

from tests.forking import Ran, Server

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(pathlib.Path(__file__).parents[2]), "TF_CPP_MIN_LOG_LEVEL": "3"}
pytestmark = pytest.mark.skipif(not os.path.exists("/proc/self/wchan"), reason="needs Linux: /proc/*/wchan")

# The second file is a named pipe without a writer: opening it blocks forever, as a hung file system does. A thread of
# TensorFlow's opens it while the program has the batch of the first file.
BEGINNING = """
    import atexit, glob, os, pathlib, sys, threading, time
    import queuecompat.v1 as tf
    from queuecompat._session.steps import sessions

    sessions.PATIENCE = 0.5

    def wait_for_pipe(count=1):
        deadline = time.monotonic() + 60
        while sum("partner" in pathlib.Path(one).read_text() for one in glob.glob("/proc/self/task/*/wchan")) < count:
            assert time.monotonic() < deadline, "nothing waits in the pipe"
            time.sleep(0.01)

    pathlib.Path("lines").write_text("a\\nb\\n")
    os.mkfifo("pipe")

    def lines():
        files = tf.train.string_input_producer(["lines", "pipe"], num_epochs=1, shuffle=False)
        return tf.TextLineReader().read(files)[1]

    def contents():
        files = tf.train.string_input_producer(["lines", "pipe"], num_epochs=1, shuffle=False)
        return tf.stack([tf.read_file(files.dequeue())] * 2)

    def started(values, many=False):
        batch = tf.train.batch([values], 2, enqueue_many=many)
        session = tf.Session()
        session.run(tf.local_variables_initializer())
        tf.train.start_queue_runners(session)
        return session, batch
"""
WAITING = {
    "records": "session, batch = started(lines())\nprint(session.run(batch))\nwait_for_pipe()",
    "whole files": "session, batch = started(contents(), many=True)\nprint(session.run(batch))\nwait_for_pipe()",
    "a step as well": """
        session, batch = started(lines())
        print(session.run(batch))
        threading.Thread(target=session.run, args=[batch], daemon=True).start()
        wait_for_pipe()
        """,
    "a closed session": """
        session, batch = started(lines())
        print(session.run(batch))
        wait_for_pipe()
        session.close()
        """,
    # Whether TensorFlow waits is a race: four of six closings waited.
    "Python functions": """
        import queue

        for _ in range(6):
            with tf.Graph().as_default():
                numbers = queue.Queue()
                session, batch = started(tf.reshape(tf.py_func(numbers.get, [], tf.int64), []))
                for number in range(6):
                    numbers.put(number)
                with session:
                    print(session.run(batch))
        """,
    "two sessions": """
        session, batch = started(lines())
        other, other_batch = started(lines())
        print(session.run(batch), other.run(other_batch))
        wait_for_pipe(2)
        """,
}


def ran(code: str, server: Server, scratch: pathlib.Path, end: str = "", **arguments: Any) -> Ran:
    """How a program ended that consists of the common beginning, *code* and *end*."""
    program = textwrap.dedent(BEGINNING) + textwrap.dedent(code) + end
    return server.run(["-c", program], str(scratch), **arguments)


@pytest.mark.parametrize("waiting", WAITING)
def test_a_read_that_never_returns_does_not_keep_the_process(
    waiting: str, server: Server, tmp_path: pathlib.Path
) -> None:
    """Python waited forever for TensorFlow's deletion of the session, or in ``close``."""
    done = ran(WAITING[waiting], server, tmp_path, end="\nprint('ended', flush=True)\n")
    assert done.exit_code == 0, done.err[-3000:]
    assert done.out.splitlines()[-1] == "ended"


def test_the_programs_own_exit_handlers_may_run_sessions(server: Server, tmp_path: pathlib.Path) -> None:
    code = """
        session, batch = started(lines())
        number = tf.get_variable("number", initializer=3)
        session.run(tf.global_variables_initializer())
        atexit.register(lambda: print("at the exit", session.run(number)))
        print(session.run(batch))
        wait_for_pipe()
        """
    done = ran(code, server, tmp_path)
    assert done.exit_code == 0, done.err[-3000:]
    assert done.out.splitlines()[-1] == "at the exit 3"


def test_an_exit_handler_from_before_the_import_of_tensorflow_may_run_sessions(tmp_path: pathlib.Path) -> None:
    """Its sessions were closed, and the threads that it waits for were held."""
    program = """
        import atexit, threading

        def stop():
            coord.request_stop()
            coord.join(threads)
            print("at the exit", session.run(number))

        atexit.register(stop)
        import tensorflow as tf

        number = tf.constant(3)
        batch = tf.train.batch([tf.train.range_input_producer(10).dequeue()], 2)
        session, coord = tf.Session(), tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coord)

        def repeat():
            while not coord.should_stop():
                session.run(number)

        threads.append(threading.Thread(target=repeat, daemon=True))
        threads[-1].start()
        session.run(batch)
        """
    (tmp_path / "program.py").write_text(textwrap.dedent(program), encoding="utf-8")
    command = [sys.executable, "-m", "queuecompat", "run", "program.py"]
    done = subprocess.run(
        command, cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout) == (0, "at the exit 3\n"), done.stderr[-3000:]


def test_sessions_that_can_be_closed_are_closed_before_python_ends(server: Server, tmp_path: pathlib.Path) -> None:
    """So that no thread of TensorFlow's calls a Python function afterwards."""
    code = """
        from queuecompat._session.steps import sessions

        session, batch = started(tf.train.range_input_producer(10).dequeue())
        print(session.run(batch))
        plain = sessions._plain_close

        def told(one):
            plain(one)
            print("closed", one is session, "by", threading.current_thread().name, flush=True)

        sessions._plain_close = told
        """
    done = ran(code, server, tmp_path)
    assert done.exit_code == 0, done.err[-3000:]
    assert done.out.splitlines()[-1] == "closed True by queuecompat-stall-watch"


def test_threads_that_wait_in_a_step_at_the_end_report_no_error(server: Server, tmp_path: pathlib.Path) -> None:
    """Each of them used to print that its enqueue operation was cancelled."""
    code = """
        sessions.PATIENCE = 60.0
        fed, drawn, whole = (tf.FIFOQueue(1, tf.float32, [[]]) for _ in range(3))
        value = tf.placeholder(tf.float32, [])
        tf.train.add_queue_runner(tf.train.QueueRunner(drawn, [drawn.enqueue([tf.random_normal([])])] * 2))
        line = tf.TextLineReader().read(tf.train.string_input_producer(["lines"]))[1]
        records = [whole.enqueue([tf.cast(tf.size(line), tf.float32)])]
        tf.train.add_queue_runner(tf.train.QueueRunner(whole, records))
        session, batch = started(tf.train.range_input_producer(10).dequeue())
        enqueue, made = fed.enqueue([value]), session.make_callable(fed.enqueue([1.0]))

        def feed(step):
            while True:
                try:
                    step()
                except RuntimeError as problem:
                    print("closed", problem)

        for step in (lambda: session.run(enqueue, {value: 1.0}), made):
            threading.Thread(target=feed, args=[step], daemon=True).start()
        session.run([drawn.dequeue(), whole.dequeue(), fed.dequeue(), batch])
        print("ended")
        """
    done = ran(code, server, tmp_path)
    assert (done.exit_code, done.out, done.err) == (0, "ended\n", "")


@pytest.mark.parametrize("end", ["", "session.close()"], ids=["open", "closed"])
def test_python_ends_after_the_errors_of_steps_have_been_formatted(
    end: str, server: Server, tmp_path: pathlib.Path
) -> None:
    """The process crashed if Python ended a thread inside the C++ code that lists the lines at which an op was made."""
    code = """
        from tensorflow.python.client import session as steps

        sessions.PATIENCE = 60.0
        name = next(one for one in ("interpolate_graph", "interpolate") if hasattr(steps.error_interpolation, one))
        plain = getattr(steps.error_interpolation, name)

        def slow(*args):
            time.sleep(0.2)
            print("formatted", flush=True)
            return plain(*args)

        setattr(steps.error_interpolation, name, slow)
        queue = tf.FIFOQueue(1, tf.float32, [[]])
        session, batch = started(tf.train.range_input_producer(10).dequeue())
        taken = queue.dequeue()
        thread = threading.Thread(target=session.run, args=[taken], daemon=True)
        thread.start()
        session.run(batch)
        while sys._current_frames()[thread.ident].f_code.co_name != "_call_tf_sessionrun":
            time.sleep(0.01)
        """
    done = ran(code, server, tmp_path, end=end)
    assert (done.exit_code, done.out, done.err) == (0, "formatted\n", "")


def test_threads_may_run_steps_of_any_session_until_the_end(server: Server, tmp_path: pathlib.Path) -> None:
    """Without a pipeline nothing ended their steps: Python ended the threads inside TensorFlow's code, and crashed."""
    code = """
        class Late:
            def __del__(self):
                time.sleep(0.2)  # Python ends threads meanwhile

        late, is_going = Late(), threading.Event()
        sessions.PATIENCE = 60.0
        value = tf.placeholder(tf.float32, [])
        session, total = tf.Session(), value + value

        def repeat():
            while True:
                session.run(total, {value: 1.0})
                is_going.set()

        for _ in range(4):
            threading.Thread(target=repeat, daemon=True).start()
        is_going.wait()
        print("ended")
        """
    done = ran(code, server, tmp_path)
    assert (done.exit_code, done.out, done.err) == (0, "ended\n", "")


@pytest.mark.parametrize("starts_threads", [True, False])
def test_a_step_that_never_ends_does_not_keep_the_process(
    starts_threads: bool, server: Server, tmp_path: pathlib.Path
) -> None:
    """Since Python 3.12 it starts no thread at its end, and closing the session would wait for the step."""
    code = f"""
        import _thread

        def refuse(*_):
            raise RuntimeError("can't create new thread at interpreter shutdown")

        if not {starts_threads}:
            atexit.register(setattr, _thread, "start_new_thread", refuse)
        is_inside = threading.Event()

        def block():
            is_inside.set()
            threading.Event().wait()
            return 1.0

        session = tf.Session()
        value = tf.numpy_function(block, [], tf.float32)
        threading.Thread(target=session.run, args=[value], daemon=True).start()
        is_inside.wait()
        print("ended")
        """
    done = ran(code, server, tmp_path, deadline=60)
    assert (done.exit_code, done.out, done.err) == (0, "ended\n", "")


def test_a_python_function_of_a_step_may_run_steps_at_the_end(server: Server, tmp_path: pathlib.Path) -> None:
    """Its thread must not be kept: the step that called the function would never end."""
    code = """
        sessions.PATIENCE = 1000.0
        inner, two = tf.Session(), tf.constant(2.0)
        is_inside, may_go = threading.Event(), threading.Event()

        def run_inner():
            is_inside.set()
            may_go.wait()
            return inner.run(two)

        session, batch = started(tf.train.range_input_producer(10).dequeue())
        session.run(batch)
        value = tf.numpy_function(run_inner, [], tf.float32)
        threading.Thread(target=session.run, args=[value], daemon=True).start()
        is_inside.wait()

        def let_go():
            while session in sessions.open_sessions.all_open():
                time.sleep(0.01)
            may_go.set()

        threading.Thread(target=let_go, daemon=True).start()
        print("ended")
        """
    done = ran(code, server, tmp_path, deadline=60)
    assert (done.exit_code, done.out, done.err) == (0, "ended\n", "")


def test_a_second_interrupt_does_not_shorten_the_end(server: Server, tmp_path: pathlib.Path) -> None:
    """The process crashed, because Python ended while a thread was inside a step."""
    code = """
        import signal

        sessions.PATIENCE = 60.0
        is_inside = threading.Event()

        def slow():
            is_inside.set()
            while session in sessions.open_sessions.all_open():
                time.sleep(0.01)
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.2)
            print("returned", flush=True)
            return 1.0

        session, batch = started(tf.train.range_input_producer(10).dequeue())
        session.run(batch)
        value = tf.numpy_function(slow, [], tf.float32)
        threading.Thread(target=session.run, args=[value], daemon=True).start()
        is_inside.wait()
        """
    done = ran(code, server, tmp_path)
    assert (done.exit_code, done.out, done.err) == (0, "returned\n", "")


def test_a_step_that_waits_for_a_file_is_reported_with_the_files(server: Server, tmp_path: pathlib.Path) -> None:
    code = """
        from queuecompat._native import waiting as calls
        from queuecompat._session.errors import stalls

        calls.PATIENCE, calls.INTERVAL = 0.2, 0.05
        session, batch = started(lines())
        print(session.run(batch))
        wait_for_pipe()
        threading.Thread(target=session.run, args=[batch], daemon=True).start()
        while not stalls.WATCH._reported:
            time.sleep(0.01)
        """
    done = ran(code, server, tmp_path, warns=True)
    assert done.exit_code == 0, done.err[-3000:]
    (line,) = [line for line in done.err.splitlines() if line.startswith("QC306")]
    assert "'batch' has produced nothing" in line and "2 examples so far" in line
    assert "the next record of a file of 'input_producer', which is slow to open or to read" in line


def test_a_session_that_outlives_the_modules_causes_no_error(tmp_path: pathlib.Path) -> None:
    """A program without a function may keep it until Python takes modules apart: there were two tracebacks, on 3.13."""
    program = tmp_path / "program.py"
    program.write_text(
        "import queuecompat\n"
        "import queuecompat.v1 as tf\n"
        "batch = tf.train.batch([tf.train.range_input_producer(10).dequeue()], 4)\n"
        "with tf.Session() as session:\n"
        "    tf.train.start_queue_runners(session)\n"
        "    print(session.run(batch))\n"
    )
    # Python itself, as a fork takes its modules apart in another way.
    ran = subprocess.run([sys.executable, str(program)], cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True)
    assert ran.returncode == 0 and "Exception ignored" not in ran.stderr, ran.stderr
