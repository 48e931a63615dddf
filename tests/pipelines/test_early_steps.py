"""Steps in threads of the program's that come before ``start_queue_runners``: they wait for it, as in TF1."""

from __future__ import annotations

import contextlib
import pathlib
import textwrap
import threading
from typing import Any, Callable, Iterator, List

import pytest

import queuecompat.v1 as tf
from queuecompat._session.starting import early_steps
from queuecompat._session.steps import open_sessions
from tests.forking import Server

DEADLINE_SECONDS = 60


def numbers(name: str = "numbers") -> Any:
    return tf.train.batch(
        [tf.train.range_input_producer(40, shuffle=False, name=f"{name}_ids").dequeue()], 4, name=name
    )


class Workers:
    """Threads that do *work*; ``join`` raises what it raised."""

    def __init__(self, work: Callable[[], Any], count: int = 1) -> None:
        self.results: List[Any] = []
        self._errors: List[BaseException] = []
        self._work = work
        self._threads = [threading.Thread(target=self._do) for _ in range(count)]
        for thread in self._threads:
            thread.start()

    def _do(self) -> None:
        try:
            self.results.append(self._work())
        except BaseException as error:
            self._errors.append(error)

    def join(self) -> List[Any]:
        for thread in self._threads:
            thread.join(DEADLINE_SECONDS)
            assert not thread.is_alive()
        for error in self._errors:
            raise error
        return self.results


def wait_until_early(session: Any, count: int = 1) -> None:
    """Returns when so many steps of *session* wait."""
    state = open_sessions.state_of(session)
    waited = threading.Event()
    for _ in range(DEADLINE_SECONDS * 100):
        if state._early_steps == count:
            return
        waited.wait(0.01)
    raise AssertionError("no step waits")


@contextlib.contextmanager
def started(session: Any) -> Iterator[None]:
    coordinator = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(session, coordinator)
    try:
        yield
    finally:
        coordinator.request_stop()
        coordinator.join(threads)


def test_threads_that_are_started_before_the_runners_get_their_batches() -> None:
    """They met QC301, and a coordinator that they told of it stopped the training."""
    batch = numbers()
    with tf.Session() as session:
        workers = Workers(lambda: [session.run(batch).tolist() for _ in range(2)], 3)
        wait_until_early(session, 3)
        with started(session):
            batches = [one for result in workers.join() for one in result]
        assert sorted(number for one in batches for number in one) == list(range(24))


def test_a_step_waits_for_its_own_pipeline() -> None:
    first, second = numbers("first"), numbers("second")
    runners = tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)
    with tf.Session() as session:
        worker = Workers(lambda: session.run(second).tolist())
        wait_until_early(session)
        for runner in runners[:2]:
            runner.create_threads(session, daemon=True, start=True)
        assert session.run(first).tolist() == [0, 1, 2, 3]
        assert not worker.results
        for runner in runners[2:]:
            runner.create_threads(session, daemon=True, start=True)
        assert worker.join() == [[0, 1, 2, 3]]


@pytest.mark.parametrize("kind", ["batches of batches", "lines"])
def test_a_step_waits_for_all_of_its_pipeline(kind: str, tmp_path: pathlib.Path) -> None:
    if kind == "lines":
        (tmp_path / "lines").write_text("0\n1\n2\n3\n")
        files = tf.train.string_input_producer([str(tmp_path / "lines")])
        _, line = tf.TextLineReader().read(files)
        batch = tf.train.batch([tf.string_to_number(line, tf.int32)], 4)
    else:
        batch = tf.train.batch([numbers()], 2)[0]
    with tf.Session() as session:
        worker = Workers(lambda: session.run(batch).tolist())
        wait_until_early(session)
        for runner in reversed(tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)):
            assert not worker.results
            runner.create_threads(session, daemon=True, start=True)
            session.run(tf.constant(0))
        assert worker.join() == [[0, 1, 2, 3]]


def test_a_step_that_make_callable_has_prepared_waits_as_well() -> None:
    batch = numbers()
    fed = tf.placeholder_with_default(batch, [4])
    with tf.Session() as session:
        step, doubled = session.make_callable(batch), session.make_callable(fed * 2, [fed], accept_options=True)
        assert Workers(lambda: doubled([1, 2, 3, 4]).tolist()).join() == [[2, 4, 6, 8]]
        worker = Workers(lambda: step().tolist())
        wait_until_early(session)
        with started(session):
            assert worker.join() == [[0, 1, 2, 3]]


def test_a_start_by_the_name_of_an_op_is_noticed() -> None:
    batch = numbers()
    enqueues = [runner.enqueue_ops[0].name for runner in tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)]
    with tf.Session() as session:
        worker = Workers(lambda: session.run(batch).tolist())
        wait_until_early(session)
        for enqueue in enqueues:
            session.run(enqueue)
        assert worker.join() == [[0, 1, 2, 3]]


def test_what_is_fed_is_not_waited_for() -> None:
    batch = numbers()
    doubled = batch * 2
    with tf.Session() as session:
        assert Workers(lambda: session.run(doubled, {batch: [1, 2, 3, 4]}).tolist()).join() == [[2, 4, 6, 8]]
        assert Workers(lambda: session.run(batch, {"numbers:0": [1, 2, 3, 4]}).tolist()).join() == [[1, 2, 3, 4]]
        assert Workers(lambda: session.run({"x": doubled}, feed_dict={doubled: [0] * 4})).join()[0]["x"].sum() == 0


def test_what_is_drawn_in_a_branch_is_waited_for() -> None:
    queue = tf.train.range_input_producer(40, shuffle=False)
    is_taken = tf.placeholder(tf.bool, [])
    number = tf.cond(is_taken, queue.dequeue, lambda: tf.constant(-1))
    with tf.Session() as session:
        worker = Workers(lambda: session.run(number, {is_taken: True}))
        wait_until_early(session)
        with started(session):
            assert worker.join() == [0]


def test_closing_the_session_ends_the_wait() -> None:
    batch = numbers()
    session = tf.Session()
    worker = Workers(lambda: session.run(batch))
    wait_until_early(session)
    session.close()
    with pytest.raises(tf.errors.CancelledError, match="'numbers'"):
        worker.join()


def test_a_step_that_has_to_be_over_after_some_time_does_not_wait() -> None:
    batch = numbers()
    with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError, match="QC301"):
        Workers(lambda: session.run(batch, options=tf.RunOptions(timeout_in_ms=60_000))).join()
    with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError, match="QC301"):
        step = session.make_callable(batch, accept_options=True)
        Workers(lambda: step(options=tf.RunOptions(timeout_in_ms=60_000))).join()


def test_a_thread_that_waits_long_says_for_what(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    told = threading.Event()
    report = early_steps._report
    monkeypatch.setattr(early_steps, "PATIENCE", 0)
    monkeypatch.setattr(early_steps, "INTERVAL", 0.01)
    monkeypatch.setattr(early_steps, "_report", lambda *args: (report(*args), told.set()))
    batch = numbers()
    with tf.Session() as session:
        worker = Workers(lambda: session.run(batch).tolist())
        assert told.wait(DEADLINE_SECONDS)
        with started(session):
            assert worker.join() == [[0, 1, 2, 3]]
    words = capfd.readouterr().err
    assert words.count("QC315") == 2  # and where it says how to explain it
    assert "the start of 'numbers'" in words
    assert "test_early_steps.py" in words


def test_a_program_whose_last_thread_waits_ends(server: Server, tmp_path: pathlib.Path) -> None:
    code = """
        import threading
        import queuecompat.v1 as tf

        batch = tf.train.batch([tf.train.range_input_producer(5).dequeue()], 2)
        session = tf.Session()
        threading.Thread(target=lambda: session.run(batch)).start()
        """
    done = server.run(["-c", textwrap.dedent(code)], str(tmp_path))
    assert "QC301" in done.err, done.err[-3000:]


JOINS = {
    "thread": "worker.start(); worker.join()",
    "coordinator": "worker.start(); tf.train.Coordinator().join([worker])",
    "pool": "done = pool.submit(session.run, batch); pool.shutdown(); done.result()",
}


@pytest.mark.parametrize("how", JOINS)
def test_a_program_that_forgets_the_start_and_waits_for_its_threads_ends(
    how: str, server: Server, tmp_path: pathlib.Path
) -> None:
    """TF1 waited forever."""
    code = f"""
        import concurrent.futures, threading
        import queuecompat.v1 as tf
        from queuecompat._session.starting import early_steps

        early_steps.PATIENCE, early_steps.INTERVAL = 0.2, 0.05
        batch = tf.train.batch([tf.train.range_input_producer(5).dequeue()], 2)
        session = tf.Session()
        worker, pool = threading.Thread(target=session.run, args=[batch]), concurrent.futures.ThreadPoolExecutor(1)
        {JOINS[how]}
        """
    done = server.run(["-c", textwrap.dedent(code)], str(tmp_path))
    assert "QC301" in done.err, done.err[-3000:]
