"""Nothing hangs: at every point of a pipeline's life, stopping it takes less than a second.

A run that hangs all the same is ended by the test's deadline, which prints every thread's stack.
"""

from __future__ import annotations

import signal
import threading
import time
from typing import Any, Callable, Dict, List

import numpy as np
import pytest

import queuecompat.v1 as tf
from queuecompat._session.steps import open_sessions
from queuecompat.errors import NativePipelineWarning

SECOND = 1.0

pytestmark = pytest.mark.timeout(60)


def numbers(num_epochs: Any = None) -> Any:
    return tf.train.range_input_producer(40, num_epochs=num_epochs).dequeue()


def slow(x: Any) -> Any:
    """A slice that Python takes part in, so that a stop may find it at work."""
    return tf.reshape(tf.py_func(lambda n: np.int32(n), [x], tf.int32), [])


def native(num_epochs: Any) -> Any:
    with pytest.warns(NativePipelineWarning, match="QC204"):
        queue = tf.train.range_input_producer(40, num_epochs=num_epochs, shared_name="native")
    return tf.train.batch([queue.dequeue()], 4)


PIPELINES: Dict[str, Callable[[Any], Any]] = {
    "batch": lambda n: tf.train.batch([numbers(n)], 4),
    "shuffle_batch": lambda n: tf.train.shuffle_batch([numbers(n)], 4, 30, 5),
    "batch_join": lambda n: tf.train.batch_join([[numbers(n)], [slow(numbers(n))]], 4),
    "maybe_batch": lambda n: tf.train.maybe_batch([numbers(n)], numbers(n) % 2 < 1, 4),
    "python": lambda n: tf.train.batch([slow(numbers(n))], 4, num_threads=3),
    "two batchers": lambda n: tf.train.batch([tf.train.batch([numbers(n)], 2)], 2),
    "native": native,
    "a queue of TensorFlow's own": lambda n: tf.train.batch([numbers(n)], 4, shared_name="shared"),
}
# What is left in their queues is delivered after a stop, as in TensorFlow 1.
WITH_QUEUES = ("native", "a queue of TensorFlow's own")


class Program:
    """A started session, and the end of it with the time that it took."""

    def __init__(self) -> None:
        self.session = tf.Session()
        self.session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        self.coord = tf.train.Coordinator()
        self.threads: List[threading.Thread] = []

    def start(self) -> None:
        self.threads = tf.train.start_queue_runners(self.session, self.coord)

    def stop(self) -> float:
        began = time.monotonic()
        self.coord.request_stop()
        self.coord.join(self.threads, stop_grace_period_secs=20)
        self.session.close()
        return time.monotonic() - began


def built(program: Program, batch: Any) -> None:
    """No point of a run: nothing was started."""


def begun(program: Program, batch: Any) -> None:
    program.start()


def running(program: Program, batch: Any) -> None:
    program.start()
    for _ in range(3):
        program.session.run(batch)


def ended(program: Program, batch: Any) -> None:
    program.start()
    with pytest.raises(tf.errors.OutOfRangeError):
        while True:
            program.session.run(batch)


@pytest.mark.parametrize("point", [built, begun, running])
@pytest.mark.parametrize("kind", PIPELINES)
def test_an_endless_pipeline_stops(kind: str, point: Callable[..., None]) -> None:
    batch = PIPELINES[kind](None)
    program = Program()
    point(program, batch)
    assert program.stop() < SECOND


@pytest.mark.parametrize("kind", PIPELINES)
def test_a_pipeline_that_has_ended_stops(kind: str) -> None:
    batch = PIPELINES[kind](1)
    program = Program()
    ended(program, batch)
    assert program.stop() < SECOND


@pytest.mark.parametrize("kind", ["batch", "shuffle_batch", "batch_join"])
def test_closing_the_session_frees_a_run_that_waits_for_a_source_that_stands_still(kind: str) -> None:
    still = tf.FIFOQueue(4, [tf.int32], [[]])
    x = still.dequeue()
    batch = {
        "batch": lambda: tf.train.batch([x], 2),
        "shuffle_batch": lambda: tf.train.shuffle_batch([x], 2, 10, 2),
        "batch_join": lambda: tf.train.batch_join([[x], [x + 1]], 2),
    }[kind]()
    size, enqueue = still.size(), still.enqueue(1)
    program = Program()
    program.start()
    errors: List[BaseException] = []

    def run() -> None:
        try:
            program.session.run(batch)
        except tf.errors.OpError as error:
            errors.append(error)

    waiting = threading.Thread(target=run)
    program.session.run(enqueue)
    waiting.start()
    while program.session.run(size):
        pass  # the run has taken the one element that there is, and waits for the second
    began = time.monotonic()
    program.session.close()
    waiting.join(20)
    assert time.monotonic() - began < SECOND
    assert isinstance(errors[0], (tf.errors.CancelledError, tf.errors.OutOfRangeError, tf.errors.AbortedError))


def test_closing_a_queue_of_the_program_ends_the_pipeline_after_it(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "queuecompat")  # what tf.app.run shows
    queue = tf.FIFOQueue(10, [tf.int32], [[]])
    batch = tf.train.batch([queue.dequeue()], 2, allow_smaller_final_batch=True)
    enqueue, close = queue.enqueue_many([[1, 2, 3]]), queue.close(cancel_pending_enqueues=True)
    program = Program()
    program.start()
    program.session.run(enqueue)
    assert program.session.run(batch).tolist() == [1, 2]
    program.session.run(close)
    assert program.session.run(batch).tolist() == [3]
    with pytest.raises(tf.errors.OutOfRangeError):
        program.session.run(batch)
    assert program.stop() < SECOND
    assert caplog.records == []


def test_a_stop_amid_elements_that_arrive_is_the_end_of_the_data() -> None:
    """A draw that has its element when the gate is shut used to fail as one that was cancelled."""
    for _ in range(5):  # the race comes out either way
        with tf.Graph().as_default(), tf.Session() as session:
            queue = tf.train.string_input_producer(list("abcdef"))
            with pytest.warns(NativePipelineWarning, match="QC206"):
                queue.close()
            batch = tf.train.batch([queue.dequeue()], 2, capacity=4)
            coord = tf.train.Coordinator()
            threads = tf.train.start_queue_runners(session, coord)
            session.run(batch)
            coord.request_stop()
            with pytest.raises(tf.errors.OutOfRangeError, match="is closed and has insufficient elements"):
                while True:
                    session.run(batch)
            coord.join(threads)


def test_a_second_stop_changes_nothing() -> None:
    batch = PIPELINES["batch"](None)
    program = Program()
    running(program, batch)
    assert program.stop() < SECOND
    assert program.stop() < SECOND


class Consumer:
    """A thread that runs *fetches* until an error, and what it got."""

    def __init__(self, session: Any, fetches: Any) -> None:
        self.given: List[Any] = []
        self.error: Any = None
        self._session, self._fetches = session, fetches
        self._thread = threading.Thread(target=self._consume)
        self._thread.start()

    def _consume(self) -> None:
        try:
            while True:
                self.given.append(self._session.run(self._fetches).tolist())
        except tf.errors.OpError as error:
            self.error = error

    def join(self) -> None:
        self._thread.join(20)
        assert not self._thread.is_alive()


def waits_in(program: Program) -> None:
    """Returns when a step is running in the program's session."""
    while not open_sessions.state_of(program.session)._running:
        pass


@pytest.mark.parametrize("makes", ["batch", "shuffle_batch", "batch_join", "padded"])
def test_a_stop_wakes_a_step_that_waits_for_the_programs_own_queue_and_delivers_what_is_left(makes: str) -> None:
    queue = tf.FIFOQueue(10, [tf.int32], [[]])
    x = queue.dequeue()
    batch = {
        "batch": lambda: tf.train.batch([x], 4, allow_smaller_final_batch=True),
        "shuffle_batch": lambda: tf.train.shuffle_batch([x], 4, 20, 10, allow_smaller_final_batch=True),
        "batch_join": lambda: tf.train.batch_join([[x], [queue.dequeue()]], 4, allow_smaller_final_batch=True),
        "padded": lambda: tf.train.batch([tf.fill([2], x)], 4, dynamic_pad=True, allow_smaller_final_batch=True),
    }[makes]()
    enqueue, size = queue.enqueue_many([[1, 2]]), queue.size()
    program = Program()
    program.start()
    program.session.run(enqueue)
    consumer = Consumer(program.session, batch)
    while program.session.run(size):
        pass  # until the pipeline has both elements, and waits for two more
    began = time.monotonic()
    program.coord.request_stop()
    consumer.join()
    assert time.monotonic() - began < SECOND
    assert isinstance(consumer.error, tf.errors.OutOfRangeError)
    assert sorted(np.ravel([row for rows in consumer.given for row in rows])) in ([1, 2], [1, 1, 2, 2])
    assert program.stop() < SECOND


def test_a_stop_ends_a_pipeline_that_waits_for_a_python_function_when_that_returns() -> None:
    """TensorFlow cannot cancel a Python function; the batch that it belongs to is not waited for."""
    entered, let_go = threading.Event(), threading.Event()
    calls: List[int] = []

    def function() -> Any:
        calls.append(0)
        entered.set()
        let_go.wait(60)
        return np.int64(1)

    batch = tf.train.batch([tf.py_func(function, [], tf.int64)], 1000, shapes=[[]])
    program = Program()
    program.start()
    consumer = Consumer(program.session, batch)
    entered.wait(20)
    program.coord.request_stop()
    program.coord.join(program.threads, stop_grace_period_secs=20)
    let_go.set()
    consumer.join()
    assert isinstance(consumer.error, tf.errors.OutOfRangeError)
    assert len(calls) < 1000
    assert program.stop() < SECOND


@pytest.mark.parametrize("kind", [kind for kind in PIPELINES if kind not in WITH_QUEUES])
def test_nothing_is_delivered_after_the_threads_were_joined(kind: str) -> None:
    batch = PIPELINES[kind](None)
    program = Program()
    running(program, batch)
    program.coord.request_stop()
    program.coord.join(program.threads, stop_grace_period_secs=20)
    for _ in range(2):
        with pytest.raises(tf.errors.OutOfRangeError, match="is closed and has insufficient elements"):
            program.session.run(batch)
    program.session.close()


def test_a_signal_handler_may_stop_a_pipeline() -> None:
    batch = PIPELINES["batch"](None)
    program = Program()
    program.start()
    before = signal.signal(signal.SIGALRM, lambda *_: program.coord.request_stop())
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.01)
        with pytest.raises(tf.errors.OutOfRangeError):
            while True:
                program.session.run(batch)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert program.stop() < SECOND


def test_a_pipeline_with_a_coordinator_of_its_own_goes_on_when_another_stops() -> None:
    stopped, going_on = PIPELINES["batch"](None), PIPELINES["shuffle_batch"](None)
    first, second = tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)[:2], tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)[2:]
    with tf.Session() as session:
        coordinators = [tf.train.Coordinator(), tf.train.Coordinator()]
        threads: List[threading.Thread] = []
        for coordinator, runners in zip(coordinators, (first, second)):
            for runner in runners:
                threads += runner.create_threads(session, coordinator, daemon=True, start=True)
        session.run([stopped, going_on])
        coordinators[0].request_stop()
        coordinators[0].join()
        with pytest.raises(tf.errors.OutOfRangeError):
            session.run(stopped)
        for _ in range(30):
            session.run(going_on)
        coordinators[1].request_stop()
        coordinators[1].join(threads)
