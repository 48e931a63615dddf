"""The stall watch says once what a step waits for; it is silent about steps that only take long."""

from __future__ import annotations

import gc
import pathlib
import sys
import textwrap
import threading
import time
from typing import Any, Callable, List

import pytest
import tensorflow as tf

from queuecompat import train
from queuecompat._plan.registry import Pipelines
from queuecompat._session.errors.stalls import StallWatch
from tests.forking import Server

from .gate import Gate
from .running import started


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Watched:
    """A watch on a clock of its own, looking after one session; ``after`` lets time pass and looks."""

    def __init__(self, session: tf.compat.v1.Session) -> None:
        self._clock = Clock()
        self._watch = StallWatch(self._clock)
        self._watch._thread = threading.current_thread()  # it looks when it is told to, and not by itself
        self.throughputs = Pipelines.of(session.graph).backend.throughputs()
        self._watch.watch(session, lambda: self.throughputs)

        self.waiting = self._watch.waiting

    def after(self, seconds: float) -> None:
        self._watch.look()
        self._clock.now += seconds
        self._watch.look()


def until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < deadline, "it never came about"
        time.sleep(0.01)


class in_a_thread:  # noqa: N801 - reads as a statement
    """``with in_a_thread(function):`` runs it beside the block; at the end *release* lets it return."""

    def __init__(self, function: Callable[[], Any], release: Callable[[], Any]) -> None:
        self._thread = threading.Thread(target=function, name="a thread of the test")
        self._release = release

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: Any) -> None:
        self._release()
        self._thread.join(30)
        assert not self._thread.is_alive()


def told(capfd: pytest.CaptureFixture) -> List[str]:
    return [line for line in capfd.readouterr().err.splitlines() if line.startswith("QC30")]


@pytest.fixture
def queue() -> tf.compat.v1.FIFOQueue:
    return tf.compat.v1.FIFOQueue(8, [tf.int32], [[]])


def test_a_queue_that_nothing_fills_is_named_once(queue: Any, capfd: pytest.CaptureFixture) -> None:
    batch = train.batch([queue.dequeue()], 4)
    fill = queue.enqueue_many([[1, 2, 3, 4]])
    with started() as sess:
        watched = Watched(sess)
        with in_a_thread(lambda: sess.run({"double": [batch * 2]}), release=lambda: sess.run(fill)):
            until(lambda: watched.throughputs[0].is_awaited(sess))
            watched.after(9.0)
            assert told(capfd) == []
            watched.after(2.0)
            (line,) = told(capfd)
            watched.after(100.0)
            assert told(capfd) == []
    assert "'batch' has produced nothing for 11 s" in line
    assert "no example so far" in line
    assert "'fifo_queue_Dequeue'" in line


def test_whatever_a_session_may_fetch_is_looked_through(queue: Any, capfd: pytest.CaptureFixture) -> None:
    """Names without an order used to end the watch with a traceback of its own."""
    batch = train.batch([queue.dequeue()], 2)
    fill = queue.enqueue_many([[1, 2]])
    with started() as session:
        watched = Watched(session)
        fetches = {"batch": [batch], 2: (batch.name,)}
        with in_a_thread(lambda: session.run(fetches), release=lambda: session.run(fill)):
            until(lambda: watched.throughputs[0].asked(session) == 1)
            watched.after(11)
            assert len(told(capfd)) == 1


def test_a_session_that_is_closed_under_the_watch_is_left_alone(
    queue: Any, capfd: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def is_closed(*_: Any) -> bool:
        raise RuntimeError("Attempted to use a closed Session.")

    batch = train.batch([queue.dequeue()], 2)
    fill = queue.enqueue_many([[1, 2]])
    with started() as session:
        watched = Watched(session)
        with in_a_thread(lambda: session.run(batch), release=lambda: session.run(fill)):
            until(lambda: watched.throughputs[0].asked(session) == 1)
            monkeypatch.setattr(watched.throughputs[0], "is_awaited", is_closed)
            watched.after(11)
            assert told(capfd) == []


def test_what_came_before_is_counted(queue: Any, capfd: pytest.CaptureFixture) -> None:
    batch = train.batch([queue.dequeue()], 4)
    fill = queue.enqueue_many([[1, 2, 3, 4]])
    with started() as sess:
        watched = Watched(sess)
        sess.run(fill)
        sess.run(batch)
        with in_a_thread(lambda: sess.run(batch), release=lambda: sess.run(fill)):
            until(lambda: watched.throughputs[0].is_awaited(sess))
            watched.after(11.0)
    assert "4 examples so far" in told(capfd)[0]


def test_a_queue_of_tensorflows_own_that_is_no_longer_filled_is_reported_later(
    queue: Any, capfd: pytest.CaptureFixture
) -> None:
    """The step asks that queue, not the pipeline that fills it; and while it computes, the pipeline may be idle."""
    batch = train.batch([queue.dequeue()], tf.compat.v1.placeholder_with_default(4, []))
    fill, close = queue.enqueue_many([[1, 2, 3, 4]]), queue.close()
    with started() as sess:
        watched = Watched(sess)
        sess.run(fill)
        sess.run(batch)
        with in_a_thread(lambda: sess.run(batch), release=lambda: [sess.run(fill), sess.run(close)]):
            until(lambda: watched.throughputs[0].is_awaited(sess) and watched.throughputs[0].examples(sess) == 4)
            until(lambda: bool(dict(watched.waiting())))
            watched.after(11.0)
            watched.after(9.0)
            assert told(capfd) == []
            watched.after(2.0)
            (line,) = told(capfd)
    assert "'batch' has produced nothing for 22 s" in line and "4 examples so far" in line


def test_a_step_that_computes_for_long_has_its_batch_and_is_left_alone(capfd: pytest.CaptureFixture) -> None:
    batch = train.batch([train.range_input_producer(100, shuffle=False).dequeue()], 4)
    has_begun, may_end = threading.Event(), threading.Event()

    def compute(numbers: Any) -> Any:
        has_begun.set()
        may_end.wait(30)
        return numbers

    step = tf.compat.v1.py_func(compute, [batch], tf.int32)
    with started() as sess:
        watched = Watched(sess)
        with in_a_thread(lambda: sess.run(step), release=may_end.set):
            has_begun.wait(30)
            watched.after(100.0)
            assert not watched.throughputs[0].is_awaited(sess)
    assert told(capfd) == []


def test_a_long_step_after_the_end_of_the_data_is_left_alone(queue: Any, capfd: pytest.CaptureFixture) -> None:
    """After the end there has been one question more than there were answers."""
    batch = train.batch([queue.dequeue()], 4)
    close = queue.close()
    may_end = threading.Event()
    elsewhere = tf.compat.v1.py_func(lambda: may_end.wait(30), [], tf.bool)
    with started() as sess:
        watched = Watched(sess)
        sess.run(close)
        with pytest.raises(tf.errors.OutOfRangeError):
            sess.run(batch)
        with in_a_thread(lambda: sess.run(elsewhere), release=may_end.set):
            until(lambda: bool(list(watched._watch.waiting())))
            watched.after(100.0)
    assert told(capfd) == []


def test_python_in_a_slice_that_waits_is_named(capfd: pytest.CaptureFixture) -> None:
    may_go_on = threading.Event()

    def wait(number: Any) -> Any:
        may_go_on.wait(30)
        return number

    number = train.range_input_producer(100, shuffle=False).dequeue()
    slow = tf.compat.v1.py_func(wait, [number], tf.int32)
    slow.set_shape([])
    batch = train.batch([slow], 4)
    with started() as sess:
        watched = Watched(sess)
        with in_a_thread(lambda: sess.run(batch), release=may_go_on.set):
            until(lambda: watched.throughputs[-1].is_awaited(sess))
            watched.after(11.0)
    (line,) = told(capfd)
    assert "It is waiting for your 1 op (PyFunc) before 'batch'" in line


def test_a_shuffle_buffer_that_fills_says_how_far_it_is(capfd: pytest.CaptureFixture) -> None:
    with Gate(7) as gate:
        passed = tf.compat.v1.py_func(gate.passed, [train.range_input_producer(10**6).dequeue()], tf.int32)
        passed.set_shape([])
        batch = train.shuffle_batch([passed], 4, capacity=100_000, min_after_dequeue=50)
        with started() as sess:
            watched = Watched(sess)
            with in_a_thread(lambda: sess.run(batch), release=lambda: gate.let_pass(10**9)):
                until(lambda: gate.is_awaited)
                watched.after(11.0)
    (line,) = told(capfd)
    assert "its shuffle buffer, which is filling: 7 of 54 elements have come in" in line
    assert "a smaller min_after_dequeue, cheaper ops or a larger num_threads would shorten that" in line
    assert "your 1 op (PyFunc) before 'shuffle_batch'" in line


def test_a_shuffle_buffer_without_growth_says_how_far_it_is(capfd: pytest.CaptureFixture) -> None:
    """The program's own queue has fewer elements than the first batch needs, and the pool has no room to grow."""
    queue = tf.compat.v1.FIFOQueue(200, [tf.int32], [[]])
    batch = train.shuffle_batch([queue.dequeue()], 4, capacity=100, min_after_dequeue=99)
    fill, size = queue.enqueue_many([list(range(60))]), queue.size()
    close = queue.close()
    with started() as sess:
        watched = Watched(sess)
        sess.run(fill)
        with in_a_thread(lambda: sess.run(batch), release=lambda: sess.run(close)):
            until(lambda: watched.throughputs[0].is_awaited(sess) and sess.run(size) == 0)
            watched.after(11.0)
    (line,) = told(capfd)
    assert "its shuffle buffer, which is filling: 60 of 100 elements have come in (a smaller capacity," in line
    assert "an element from 'fifo_queue_Dequeue'" in line


def test_a_buffer_that_is_full_is_not_said_to_fill(capfd: pytest.CaptureFixture) -> None:
    with Gate(54) as gate:
        passed = tf.compat.v1.py_func(gate.passed, [train.range_input_producer(10**6).dequeue()], tf.int32)
        passed.set_shape([])
        batch = train.shuffle_batch([passed], 4, capacity=100_000, min_after_dequeue=50)
        with started() as sess:
            watched = Watched(sess)
            sess.run(batch)
            with in_a_thread(lambda: sess.run(batch), release=lambda: gate.let_pass(10**9)):
                until(lambda: gate.is_awaited and watched.throughputs[-1].is_awaited(sess))
                watched.after(11.0)
    (line,) = told(capfd)
    assert "4 examples so far" in line
    assert "shuffle buffer" not in line


def test_a_thread_that_fills_an_abandoned_queue_is_reported(queue: Any, capfd: pytest.CaptureFixture) -> None:
    batch = train.batch([queue.dequeue()], 4, capacity=4)
    fill = queue.enqueue(1)
    cancel = queue.close(cancel_pending_enqueues=True)

    def feed() -> None:
        with pytest.raises(tf.errors.CancelledError):
            while True:
                sess.run(fill)

    with started() as sess:
        watched = Watched(sess)
        sess.run(tf.constant(0))
        with in_a_thread(feed, release=lambda: sess.run(cancel)):
            sess.run(batch)
            until(lambda: _is_blocked(sess, queue))
            watched.after(30.0)
            assert told(capfd) == []
            watched.after(61.0)
            (line,) = told(capfd)
    assert line.startswith("QC307 the thread 'a thread of the test' is waiting")
    assert "'fifo_queue'" in line


def _is_blocked(sess: tf.compat.v1.Session, queue: Any) -> bool:
    """Whether the queue is full and stays so: the pipeline behind it has taken all that it holds."""
    with sess.graph.as_default():
        size = queue.size()
    seen = [sess.run(size) for _ in range(50)]
    return seen == [8] * 50


def test_the_stall_watch_of_a_program_reports_and_ends_with_it(tmp_path: pathlib.Path, server: Server) -> None:
    code = """
        import threading
        import queuecompat.v1 as tf
        from queuecompat._native import waiting as calls
        from queuecompat._session.errors import stalls

        calls.PATIENCE, calls.INTERVAL = 0.2, 0.05
        queue = tf.FIFOQueue(8, [tf.int32], [[]])
        batch = tf.train.batch([queue.dequeue()], 2)
        fill = queue.enqueue_many([[1, 2]])
        sess = tf.Session()
        tf.train.start_queue_runners(sess)
        waiting = threading.Thread(target=sess.run, args=[batch])
        waiting.start()
        while not stalls.WATCH._reported:
            waiting.join(0.05)
        sess.run(fill)
        waiting.join()
        print("done", flush=True)
    """
    done = server.run(["-c", textwrap.dedent(code)], str(tmp_path), warns=True)
    assert done.out == "done\n", done.err
    assert done.exit_code == 0, done.err
    assert done.err.count("QC306 ") == 1


def test_closing_a_session_while_a_pipeline_waits_in_the_programs_queue_is_quiet(
    tmp_path: pathlib.Path, server: Server
) -> None:
    """It used to crash the process: TensorFlow frees the queue in the midst of the wait."""
    code = """
        import queuecompat.v1 as tf

        queue = tf.FIFOQueue(8, [tf.int32], [[]])
        batch = tf.train.batch([queue.dequeue()], 2)
        fill = queue.enqueue_many([[1, 2]])
        size = queue.size()
        for how in ("close", "with", "forgotten"):
            sess = tf.Session()
            tf.train.start_queue_runners(sess)
            sess.run(fill)
            sess.run(batch)
            if how == "close":
                sess.close()
                sess.close()
            elif how == "with":
                with sess:
                    pass
            del sess
            print(how, flush=True)
    """
    done = server.run(["-c", textwrap.dedent(code)], str(tmp_path), warns=True)
    assert done.out.split() == ["close", "with", "forgotten"], done.err
    assert done.exit_code == 0, done.err


@pytest.mark.parametrize("collects", [True, False])
def test_no_garbage_is_collected_while_stacks_are_looked_at(collects: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Python 3.11.7 holds a lock meanwhile that a thread needs to start: the process stood still."""
    seen: List[bool] = []
    stacks = sys._current_frames

    def noted() -> Any:
        seen.append(gc.isenabled())
        return stacks()

    monkeypatch.setattr(sys, "_current_frames", noted)
    before = gc.isenabled()
    (gc.enable if collects else gc.disable)()
    try:
        list(StallWatch(lambda: 0.0).waiting())
        after = gc.isenabled()
    finally:
        (gc.enable if before else gc.disable)()
    assert seen == [False] and after is collects
