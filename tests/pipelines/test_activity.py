"""What becomes of a runner's pipelines in a session: every row of the table, and the threads that wait for it."""

from __future__ import annotations

import threading
import time
from typing import Any, List

import pytest
import tensorflow as tf

from queuecompat._plan.queue_names import QueueNames
from queuecompat._session.starting import activity as activity_module
from queuecompat._session.starting.activity import STATES, TRANSITIONS, Activity, Ops, Work, refused, threads_of
from queuecompat._session.steps import open_sessions, sessions

EVENTS = sorted({event for _, event in TRANSITIONS})
NAMES = QueueNames.of("batch/fifo_queue", "batch", "FIFOQueue", ["_enqueue", "_enqueue"])
DEADLINE_SECONDS = 20

# How to get into a state from "new".
WAYS = {
    "new": [],
    "running": ["start"],
    "stopping": ["start", "stop"],
    "ended": ["start", "data end"],
    "failed": ["start", "failure"],
    "aborting": ["start", "failure", "stop"],
    "stopped": ["start", "stop", "drained"],
    "closed": ["session closes"],
}


class Attends:
    def before_step(self, session: Any) -> None:
        pass

    def explained(self, session: Any, error: tf.errors.OpError) -> BaseException:
        return error


@pytest.fixture(autouse=True)
def attended() -> None:
    if sessions._attendant is None:
        sessions.attend(Attends())


def in_state(state: str, session: Any, ops: Any = None) -> Activity:
    activity = Activity(session, lambda: ops or Ops([], [], drains=False, cancel=None))
    for event in WAYS[state]:
        assert activity.transition(event)
    assert activity.state == state
    return activity


def test_every_state_can_be_reached() -> None:
    assert set(WAYS) == set(STATES)
    assert {state for state, _ in TRANSITIONS} | set(TRANSITIONS.values()) == set(STATES)


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("state", STATES)
def test_an_event_makes_the_transition_of_the_table_or_none(state: str, event: str) -> None:
    with tf.compat.v1.Session() as session:
        activity = in_state(state, session)
        following = TRANSITIONS.get((state, event))
        assert activity.transition(event) == (following is not None)
        assert activity.state == (following or state)


def test_the_thread_that_closes_waits_for_a_stop_even_after_the_end() -> None:
    with tf.compat.v1.Session() as session:
        activity = in_state("ended", session)
        closing = threading.Thread(target=activity.close_on_stop)
        closing.start()
        assert closing.is_alive()
        activity.transition("stop")
        closing.join(DEADLINE_SECONDS)
        assert not closing.is_alive()


@pytest.mark.parametrize("state", [state for state in STATES if state not in ("new", "running")])
def test_the_threads_that_stand_for_enqueue_ops_end_with_the_pipelines(state: str) -> None:
    with tf.compat.v1.Session() as session:
        activity = in_state("running", session)
        threads = threads_of(Work(lambda: None, activity.wait_for_the_end, activity.close_on_stop), NAMES, True, False)
        for thread in threads:
            thread.start()
        assert all(thread.is_alive() for thread in threads)
        for event in WAYS[state][1:] if state != "closed" else WAYS[state]:
            activity.transition(event)
        for thread in threads:
            thread.join(DEADLINE_SECONDS)
        assert not any(thread.is_alive() for thread in threads)


def test_the_thread_that_closes_runs_the_ops_in_their_order() -> None:
    count = tf.compat.v1.get_variable("count", [], tf.int32, use_resource=True)
    stop = count.assign(count * 10 + 1).op
    close = count.assign(count * 10 + 2).op
    cancel = count.assign(count * 10 + 3).op
    with tf.compat.v1.Session() as session:
        session.run(count.assign(0))
        activity = in_state("running", session, Ops([stop], [close], drains=True, cancel=cancel))
        closing = threading.Thread(target=activity.close_on_stop)
        closing.start()
        activity.transition("stop")
        closing.join(DEADLINE_SECONDS)
        assert activity.state == "stopped"
        assert session.run(count) == 123


def test_a_stop_waits_for_the_steps_that_are_running() -> None:
    """What they take from the pipelines is theirs; then the pipelines are closed."""
    gate = tf.queue.FIFOQueue(1, [tf.int32], [[]])
    wait, let_go = gate.dequeue(), gate.enqueue(1)
    closed = tf.compat.v1.get_variable("closed", [], tf.int32, use_resource=True)
    order: List[str] = []
    with tf.compat.v1.Session() as session:
        session.run(closed.assign(0))
        activity = in_state("running", session, Ops([], [closed.assign(1).op], drains=True, cancel=None))

        def step() -> None:
            session.run(wait)
            order.append("closed before" if session.run(closed) else "still open")

        stepping = threading.Thread(target=step)
        stepping.start()
        while not open_sessions.state_of(session)._running:
            pass  # until the step has begun
        activity.transition("stop")
        closing = threading.Thread(target=activity.close_on_stop)
        closing.start()
        session.run(let_go)
        stepping.join(DEADLINE_SECONDS)
        closing.join(DEADLINE_SECONDS)
        assert order == ["still open"]
        assert session.run(closed) == 1


def test_a_stop_waits_for_no_step_of_a_thread_that_joins(monkeypatch: pytest.MonkeyPatch) -> None:
    """It came 20 ms later than it might, in every program whose one thread stops and joins."""
    monkeypatch.setattr(activity_module, "IDLE", DEADLINE_SECONDS)
    coordinator = tf.train.Coordinator()
    with tf.compat.v1.Session() as session:
        activity = in_state("running", session, Ops([], [tf.no_op()], drains=True, cancel=None))
        session.run(tf.constant(0))
        activity.follow(coordinator)
        closing = threading.Thread(target=activity.close_on_stop)
        closing.start()
        coordinator.request_stop()
        began = time.monotonic()
        coordinator.join([closing])
        assert activity.state == "stopped"
        assert time.monotonic() - began < DEADLINE_SECONDS / 2


def test_a_stop_waits_for_the_next_step_of_a_thread_that_does_not_join(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(activity_module, "IDLE", DEADLINE_SECONDS)
    coordinator = tf.train.Coordinator()
    has_run, may_run = threading.Event(), threading.Event()
    closed = tf.compat.v1.get_variable("closed", [], tf.int32, use_resource=True)
    found: List[int] = []
    with tf.compat.v1.Session() as session:
        session.run(closed.assign(0))
        activity = in_state("running", session, Ops([], [closed.assign(1).op], drains=True, cancel=None))

        def consume() -> None:
            session.run(closed)
            has_run.set()
            may_run.wait(DEADLINE_SECONDS)
            found.append(session.run(closed))

        consuming = threading.Thread(target=consume)
        consuming.start()
        has_run.wait(DEADLINE_SECONDS)
        activity.follow(coordinator)
        coordinator.request_stop()
        closing = threading.Thread(target=activity.close_on_stop)
        closing.start()
        threading.Timer(0.05, may_run.set).start()  # while the join below has begun, and polls
        coordinator.join([closing, consuming])
        assert found == [0]
        assert session.run(closed) == 1


@pytest.mark.parametrize("way", ["stopping", "aborting"])
def test_what_has_failed_is_closed_by_a_stop_even_if_nothing_was_drawn(way: str) -> None:
    """It used to fail again and again; TF1's queue, which its thread could not fill, was closed and empty."""
    closed = tf.compat.v1.get_variable("closed", [], tf.int32, use_resource=True)
    with tf.compat.v1.Session() as session:
        session.run(closed.assign(0))
        ops = Ops([], [closed.assign(1).op], drains=False, cancel=None, has_begun=tf.constant(False))
        in_state(way, session, ops).close_on_stop()
        assert session.run(closed) == (way == "aborting")


def test_a_session_that_is_closed_ends_its_threads() -> None:
    session = tf.compat.v1.Session()
    activity = in_state("running", session)
    threads = threads_of(Work(lambda: None, activity.wait_for_the_end, activity.close_on_stop), NAMES, True, True)
    for thread in threads:
        thread.start()
    session.close()
    for thread in threads:
        thread.join(DEADLINE_SECONDS)
    assert activity.state == "closed"
    assert not any(thread.is_alive() for thread in threads)


def test_the_garbage_collector_may_close_a_session_at_any_time() -> None:
    """It used to deadlock if the same thread was registering another session at that moment."""
    session = tf.compat.v1.Session()
    activity = in_state("running", session)

    def close_in_the_midst() -> None:
        with open_sessions._lock:
            session.close()

    closing = threading.Thread(target=close_in_the_midst, daemon=True)
    closing.start()
    closing.join(DEADLINE_SECONDS)
    assert activity.state == "closed"


def test_a_session_that_is_dropped_ends_its_threads() -> None:
    session = tf.compat.v1.Session()
    activity = in_state("running", session)
    thread = threading.Thread(target=activity.wait_for_the_end)
    thread.start()
    del session
    thread.join(DEADLINE_SECONDS)
    assert activity.state == "closed"


def test_a_coordinator_that_has_stopped_before_stops_at_once() -> None:
    coordinator = tf.compat.v1.train.Coordinator()
    coordinator.request_stop()
    with tf.compat.v1.Session() as session:
        activity = in_state("running", session)
        activity.follow(coordinator)
        assert activity.state == "stopping"


def test_a_closed_queue_refuses_with_the_words_of_tensorflow() -> None:
    coordinator = tf.compat.v1.train.Coordinator()
    refused(NAMES.closed(), coordinator, lambda error: pytest.fail("the coordinator learns of it"))
    with pytest.raises(tf.errors.CancelledError, match="FIFOQueue '_0_batch/fifo_queue' is closed"):
        coordinator.join([])
    recorded: List[BaseException] = []
    with pytest.raises(tf.errors.CancelledError):
        refused(NAMES.closed(), None, recorded.append)
    assert len(recorded) == 1
