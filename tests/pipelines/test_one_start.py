"""One step of a session starts all pipelines that one call starts; what fails in it is started alone."""

from __future__ import annotations

import pathlib
import threading
from typing import Any, Callable, Dict, FrozenSet, Iterator, List, Tuple

import numpy as np
import pytest
import tensorflow as tf2

import queuecompat
import queuecompat.v1 as tf
from queuecompat._session.starting.activity import Activity
from queuecompat._session.steps import sessions
from tests.natively import natively

# How many pipelines; each has two runners.
MANY = 8
DEADLINE_SECONDS = 60


def pipelines(count: int = MANY) -> List[Any]:
    """Batches of two: 0 and 1, 10 and 11, 20 and 21 ... at first."""
    batches = []
    for number in range(count):
        one = tf.train.range_input_producer(6, shuffle=False, name=f"numbers_{number}").dequeue()
        batches.append(tf.train.batch([one + 10 * number], 2, name=f"pipeline_{number}"))
    return batches


def firsts(count: int = MANY, step: int = 0) -> List[List[int]]:
    return [[10 * number + 2 * step, 10 * number + 2 * step + 1] for number in range(count)]


def drawn(session: Any, batches: List[Any]) -> List[List[int]]:
    return [batch.tolist() for batch in session.run(batches)]


def runners() -> List[Any]:
    return tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> List[Any]:
    """What this package itself has run."""
    seen: List[Any] = []
    plain = sessions._plain_run if sessions._attendant is not None else tf.Session.run

    def counted(session: Any, fetches: Any, *args: Any, **kwargs: Any) -> Any:
        seen.append(fetches)
        return plain(session, fetches, *args, **kwargs)

    monkeypatch.setattr(sessions, "_plain_run", counted)
    return seen


def known_by(fetches: Any, feeds: Any) -> Tuple[FrozenSet[str], FrozenSet[str]]:
    """What TensorFlow knows a step by: it prepares one that it has not run before."""
    names = frozenset(one.name for one in tf2.nest.flatten(fetches))
    return names, frozenset(tensor.name for tensor in feeds or {})


@pytest.fixture
def kinds(monkeypatch: pytest.MonkeyPatch) -> List[Any]:
    """What this package itself has run, as TensorFlow knows it."""
    seen: List[Any] = []
    plain = sessions._plain_run if sessions._attendant is not None else tf.Session.run

    def counted(session: Any, fetches: Any, feed_dict: Any = None, **others: Any) -> Any:
        seen.append(known_by(fetches, feed_dict))
        return plain(session, fetches, feed_dict, **others)

    monkeypatch.setattr(sessions, "run_unattended", counted)
    return seen


@pytest.fixture
def coordinators() -> Iterator[Callable[[], Any]]:
    """Makes coordinators; at the end all are stopped."""
    made: List[Any] = []

    def make() -> Any:
        made.append(tf.train.Coordinator())
        return made[-1]

    yield make
    for one in made:
        one.request_stop()


def in_the_start_of(scope: str, op: Any, first: Any = None) -> None:
    """From now on a start of the pipeline *scope* waits for *op*, and *first* for what comes first in it."""
    queuecompat.explain()  # lowers it
    (begins,) = (
        one
        for one in tf.get_default_graph().get_operations()
        if one.name.startswith(f"{scope}/queuecompat") and one.name.endswith("/make_iterator")
    )
    if first is not None:
        first._add_control_input(begins.control_inputs[0])
    begins._add_control_input(op)


class Held:
    """A start that is held up, once it has come to the iterator of *scope*."""

    def __init__(self, scope: str) -> None:
        here, go = (tf2.queue.FIFOQueue(1, [tf.int32], [[]], name=name) for name in ("here", "go"))
        self._arrived, self._let_go = here.dequeue(), go.enqueue(0)
        arrives = here.enqueue(0)
        with tf.control_dependencies([arrives]):
            in_the_start_of(scope, go.dequeue().op, first=arrives)

    def wait(self, session: Any) -> None:
        session.run(self._arrived)

    def let_go(self, session: Any) -> None:
        session.run(self._let_go)


def in_background(work: Callable[[], None]) -> threading.Thread:
    thread = threading.Thread(target=work)
    thread.start()
    return thread


def by_function(batches: List[Any]) -> List[List[int]]:
    with tf.Session() as session:
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coordinator)
        values = drawn(session, batches)
        coordinator.request_stop()
        coordinator.join(threads)
    return values


def by_supervisor(batches: List[Any]) -> List[List[int]]:
    tf.train.get_or_create_global_step()
    supervisor = tf.train.Supervisor(logdir=None, summary_op=None)
    with supervisor.managed_session() as session:
        return drawn(session, batches)


def by_monitored_session(batches: List[Any]) -> List[List[int]]:
    tf.train.get_or_create_global_step()
    with tf.train.MonitoredTrainingSession() as session:
        return drawn(session, batches)


WAYS = {"function": by_function, "supervisor": by_supervisor, "monitored": by_monitored_session}


@pytest.mark.parametrize("way", WAYS)
def test_one_step_starts_eight_pipelines(way: str, steps: List[Any]) -> None:
    """Each of their sixteen runners used to run a step of its own."""
    batches = pipelines()
    assert WAYS[way](batches) == firsts()
    assert len(runners()) == 2 * MANY
    starts = [one for one in steps if "start" in str(one)]
    assert len({str(one) for one in starts}) == 1
    assert len(starts) == 3, "one that starts, one that stops, one that closes"


@pytest.mark.parametrize("way", WAYS)
def test_what_ends_pipelines_is_in_the_step_that_starts_them(way: str, kinds: List[Any]) -> None:
    """Preparing two steps at the end took as long as preparing the one that starts."""
    assert WAYS[way](pipelines()) == firsts()
    assert len(kinds) == 3
    assert len(set(kinds)) == 1


def test_pipelines_end_in_one_step_though_the_stop_has_not_reached_all_of_them(
    kinds: List[Any], coordinators: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The closing thread of the first used to end the others in steps of their own, if it ran before they knew."""
    plain = Activity._stop

    def stop_and_wait(self: Activity) -> None:
        plain(self)
        with self._changed:
            assert self._changed.wait_for(lambda: self.state == "stopped", DEADLINE_SECONDS)

    monkeypatch.setattr(Activity, "_stop", stop_and_wait)
    batches = pipelines(3)
    with tf.Session() as session:
        coordinator = coordinators()
        threads = tf.train.start_queue_runners(session, coordinator)
        assert drawn(session, batches) == firsts(3)
        coordinator.request_stop()
        coordinator.join(threads)
    assert len(kinds) == 3
    assert len(set(kinds)) == 1


def test_queues_that_are_watched_are_started_and_ended_in_one_step(
    kinds: List[Any], coordinators: Callable[[], Any]
) -> None:
    batch = pipelines(1)[0]
    are_closed = [runner.queue.is_closed() for runner in runners()]
    with tf.Session() as session:
        coordinator = coordinators()
        threads = tf.train.start_queue_runners(session, coordinator)
        assert session.run(batch).tolist() == [0, 1]
        assert session.run(are_closed) == [False, False]
        coordinator.request_stop()
        coordinator.join(threads)
        assert session.run(are_closed) == [True, True]
    assert len(kinds) == 3
    assert len(set(kinds)) == 1


def test_arrays_are_fed_at_the_start_alone(kinds: List[Any], coordinators: Callable[[], Any]) -> None:
    rows = np.arange(8, dtype=np.float32).reshape(4, 2)
    row, name = tf.train.slice_input_producer([rows, np.array(["a", "b", "c", "d"], object)], shuffle=False)
    batch = tf.train.batch([row, name], 2)
    for _ in range(2):  # a graph may be run in one session after the other
        with tf.Session() as session:
            coordinator = coordinators()
            threads = tf.train.start_queue_runners(session, coordinator)
            values = session.run(batch)
            assert values[0].tolist() == rows[:2].tolist()
            assert values[1].tolist() == [b"a", b"b"]
            coordinator.request_stop()
            coordinator.join(threads)
    assert len(kinds) == 6
    assert len(set(kinds)) == 1


def test_what_is_not_of_a_start_alone_does_not_run_again_at_the_end(
    kinds: List[Any], coordinators: Callable[[], Any]
) -> None:
    calls: List[int] = []
    batches = pipelines(2)
    in_the_start_of("pipeline_1", tf.py_func(lambda: calls.append(1), [], []))
    tf.train.batch([tf.train.range_input_producer(3, shuffle=False).dequeue()], 1)  # the step is made once more
    with tf.Session() as session:
        coordinator = coordinators()
        threads = tf.train.start_queue_runners(session, coordinator)
        assert drawn(session, batches) == firsts(2)
        coordinator.request_stop()
        coordinator.join(threads)
    assert calls == [1]
    assert len(kinds) == len(set(kinds)) == 3


def test_what_fills_a_queue_of_the_programs_own_is_ended_with_it(
    kinds: List[Any], coordinators: Callable[[], Any]
) -> None:
    queue = tf.FIFOQueue(10, [tf.int32], [[]])
    number = tf.train.range_input_producer(3, shuffle=False).dequeue()
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue([number])]))
    batch = tf.train.batch([queue.dequeue()], 2)
    with tf.Session() as session:
        coordinator = coordinators()
        threads = tf.train.start_queue_runners(session, coordinator)
        assert session.run(batch).tolist() == [0, 1]
        coordinator.request_stop()
        coordinator.join(threads)
        assert len(kinds) == 3
        assert len(set(kinds)) == 1


def test_what_had_not_begun_goes_on_where_the_others_are_closed(coordinators: Callable[[], Any]) -> None:
    """TF1's queue was filled from the start on, and what it held could be taken after a stop."""
    batches = pipelines(2)
    with tf.Session() as session:
        coordinator = coordinators()
        threads = tf.train.start_queue_runners(session, coordinator)
        assert session.run(batches[1]).tolist() == [10, 11]
        coordinator.request_stop()
        coordinator.join(threads)
        with pytest.raises(tf.errors.OutOfRangeError):
            session.run(batches[1])
        assert session.run(batches[0]).tolist() == [0, 1]


def test_a_program_may_run_what_starts_by_its_name_and_stop_it(coordinators: Callable[[], Any]) -> None:
    """Ops of a phase run alone, too, where a run is fed nothing."""
    batch = pipelines(1)[0]
    with tf.Session() as session:
        for runner in runners():
            session.run(runner.enqueue_ops[0])
        assert session.run(batch).tolist() == [0, 1]
        coordinator = coordinators()
        threads = tf.train.start_queue_runners(session, coordinator)
        assert session.run(batch).tolist() == [2, 3]
        coordinator.request_stop()
        coordinator.join(threads)
        with pytest.raises(tf.errors.OutOfRangeError):
            session.run(batch)


def test_runners_that_are_started_one_by_one_start_nothing_else(
    steps: List[Any], coordinators: Callable[[], Any]
) -> None:
    batches = pipelines(2)
    with tf.Session() as session:
        coordinator = coordinators()
        for runner in runners()[2:]:
            runner.create_threads(session, coordinator, daemon=True, start=True)
        assert len(steps) == 2
        assert session.run(batches[1]).tolist() == [10, 11]
        with pytest.raises(tf.errors.InvalidArgumentError, match="QC301"):
            session.run(batches[0])
        threads = tf.train.start_queue_runners(session, coordinator)
        assert {thread.name.split("-")[1] for thread in threads} == {runner.queue.name for runner in runners()[:2]}
        assert drawn(session, batches) == [[0, 1], [12, 13]]


def test_another_collection_starts_what_it_has(steps: List[Any], coordinators: Callable[[], Any]) -> None:
    batches = pipelines(2)
    for runner in runners()[2:]:
        tf.train.add_queue_runner(runner, "mine")
    with tf.Session() as session:
        threads = tf.train.start_queue_runners(session, coordinators(), collection="mine")
        assert len(threads) == 4
        assert session.run(batches[1]).tolist() == [10, 11]
        with pytest.raises(tf.errors.InvalidArgumentError, match="QC301"):
            session.run(batches[0])


def test_the_threads_are_those_of_tensorflow_1_and_a_second_call_has_none(
    steps: List[Any], coordinators: Callable[[], Any]
) -> None:
    pipelines(2)
    with tf.Session() as session:
        threads = tf.train.start_queue_runners(session, coordinators())
        assert [thread.name for thread in threads] == [
            f"QueueRunnerThread-{runner.queue.name}-{role}"
            for runner in runners()
            for role in (runner.enqueue_ops[0].name, "close_on_stop")
        ]
        before = len(steps)
        assert tf.train.start_queue_runners(session, coordinators()) == []
        assert len(steps) == before


def test_a_file_that_is_missing_is_named_and_the_other_pipelines_deliver(
    tmp_path: pathlib.Path, steps: List[Any]
) -> None:
    batches = pipelines(2)
    files = tf.train.string_input_producer([str(tmp_path / "absent")])
    missing = tf.train.batch([tf.TextLineReader().read(files)[1]], 2, name="missing")
    with tf.Session() as session:
        tf.train.start_queue_runners(session)
        assert len(steps) == 1
        with pytest.raises(tf.errors.NotFoundError, match=r"absent(.|\n)*pipeline:  'missing'"):
            session.run(missing)
        assert drawn(session, batches) == firsts(2)


def test_a_start_that_fails_is_that_of_its_pipeline_and_can_be_repeated(coordinators: Callable[[], Any]) -> None:
    """It used to be possible once: the graph had counted it, and its draws said that nothing was started."""
    batches = pipelines(3)
    late = tf.get_variable("late", [], use_resource=True)
    in_the_start_of("pipeline_1", late.read_value().op)
    with tf.Session() as session:
        with pytest.raises(tf.errors.FailedPreconditionError, match="late"):
            tf.train.start_queue_runners(session, coordinators())
        assert session.run(batches[0]).tolist() == [0, 1]
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"QC301(.|\n)*pipeline_1"):
            session.run(batches[1])
        session.run(late.initializer)
        threads = tf.train.start_queue_runners(session, coordinators())
        assert {thread.name.split("-")[1] for thread in threads} == {runner.queue.name for runner in runners()[3:]}
        assert drawn(session, batches) == [[2, 3], [10, 11], [20, 21]]


def test_pipelines_are_started_that_the_program_started_by_the_name_of_an_op_before() -> None:
    batches = pipelines(2)
    with tf.Session() as session:
        session.run(runners()[1].enqueue_ops[0].name)
        assert session.run(batches[0]).tolist() == [0, 1]
        tf.train.start_queue_runners(session)
        assert drawn(session, batches) == [[2, 3], [10, 11]]


def test_an_enqueue_op_that_is_run_by_hand_starts_its_pipeline_once() -> None:
    batches = pipelines(2)
    enqueue = runners()[1].enqueue_ops[0]
    with tf.Session() as session:
        session.run(enqueue)
        with pytest.raises(tf.errors.OutOfRangeError):
            session.run(enqueue)
        tf.train.start_queue_runners(session)
        assert drawn(session, batches) == firsts(2)


def test_no_pipeline_delivers_before_all_are_ready(coordinators: Callable[[], Any]) -> None:
    """A draw would take from an iterator upstream that is still empty."""
    batches = pipelines(2)
    held = Held("pipeline_1")
    with tf.Session() as session:
        starting = in_background(lambda: tf.train.start_queue_runners(session, coordinators()))
        held.wait(session)
        with pytest.raises(tf.errors.InvalidArgumentError, match="QC301"):
            session.run(batches[0])
        held.let_go(session)
        starting.join(DEADLINE_SECONDS)
        assert drawn(session, batches) == firsts(2)


def test_two_threads_that_start_at_the_same_time_start_once(
    steps: List[Any], coordinators: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    batches = pipelines(2)
    held = Held("pipeline_1")
    coordinator = coordinators()
    threads: Dict[str, List[threading.Thread]] = {}
    values: List[List[List[int]]] = []

    def start(name: str) -> None:
        threads[name] = tf.train.start_queue_runners(session, coordinator)
        values.append(drawn(session, batches))  # it is ready for either of them

    with tf.Session() as session:
        first = in_background(lambda: start("first"))
        held.wait(session)
        second = in_background(lambda: start("second"))
        held.let_go(session)
        for thread in (first, second):
            thread.join(DEADLINE_SECONDS)
        assert sorted(values) == [firsts(2), firsts(2, step=1)]
        names = [thread.name for one in threads.values() for thread in one]
        assert len(names) == len(set(names)) == 8
        assert len([one for one in steps if "start" in str(one)]) == 1


def test_a_stop_during_the_start_stops_everything(coordinators: Callable[[], Any]) -> None:
    batches = pipelines(2)
    held = Held("pipeline_1")
    coordinator = coordinators()
    threads: List[threading.Thread] = []
    with tf.Session() as session:
        starting = in_background(lambda: threads.extend(tf.train.start_queue_runners(session, coordinator)))
        held.wait(session)
        coordinator.request_stop()
        held.let_go(session)
        starting.join(DEADLINE_SECONDS)
        assert len(threads) == 8
        coordinator.join(threads, stop_grace_period_secs=DEADLINE_SECONDS)
        for batch in batches:
            with pytest.raises(tf.errors.OutOfRangeError):
                while True:
                    session.run(batch)


def test_each_session_has_its_own_start_and_its_own_stop(steps: List[Any], coordinators: Callable[[], Any]) -> None:
    batches = pipelines(2)
    with tf.Session() as one, tf.Session() as other:
        ends, goes_on = coordinators(), coordinators()
        threads = tf.train.start_queue_runners(one, ends)
        tf.train.start_queue_runners(other, goes_on)
        assert len(steps) == 2
        assert drawn(one, batches) == drawn(other, batches) == firsts(2)
        ends.request_stop()
        ends.join(threads)
        with pytest.raises(tf.errors.OutOfRangeError):
            drawn(one, batches)
        assert drawn(other, batches) == firsts(2, step=1)


def test_a_start_after_a_stop_is_refused_in_its_session(steps: List[Any], coordinators: Callable[[], Any]) -> None:
    batches = pipelines(2)
    with tf.Session() as session:
        first, second = coordinators(), coordinators()
        threads = tf.train.start_queue_runners(session, first)
        drawn(session, batches)
        first.request_stop()
        first.join(threads)
        before = len(steps)
        again = tf.train.start_queue_runners(session, second)
        assert len(again) == len(threads)
        with pytest.raises(tf.errors.CancelledError, match="is closed"):
            second.join(again)
        assert len(steps) == before
        with pytest.raises(tf.errors.OutOfRangeError):
            drawn(session, batches)


def test_what_fills_the_programs_own_queues_starts_in_the_same_step(
    steps: List[Any], coordinators: Callable[[], Any]
) -> None:
    queues = []
    for number in range(3):
        queues.append(tf2.queue.FIFOQueue(40, [tf.int32], [[]], name=f"own_{number}"))
        one = tf.train.range_input_producer(6, shuffle=False).dequeue() + 10 * number
        tf.train.add_queue_runner(tf.train.QueueRunner(queues[-1], [queues[-1].enqueue(one)]))
    elements = [queue.dequeue() for queue in queues]
    with tf.Session() as session:
        coordinator = coordinators()
        threads = tf.train.start_queue_runners(session, coordinator)
        assert len(steps) == 1
        assert session.run(elements) == [0, 10, 20]
        coordinator.request_stop()
        coordinator.join(threads)


def test_a_pipeline_that_is_built_after_the_start_is_started_with_the_others_in_the_next_session(
    steps: List[Any], coordinators: Callable[[], Any]
) -> None:
    batches = pipelines(2)
    with tf.Session() as session:
        tf.train.start_queue_runners(session, coordinators())
        batches += [tf.train.batch([tf.train.range_input_producer(4, shuffle=False).dequeue()], 2)]
        tf.train.start_queue_runners(session, coordinators())
        assert drawn(session, batches) == [[0, 1], [10, 11], [0, 1]]
    before = len([one for one in steps if "start" in str(one)])
    with tf.Session() as session:
        tf.train.start_queue_runners(session, coordinators())
        assert drawn(session, batches) == [[0, 1], [10, 11], [0, 1]]
    assert len([one for one in steps if "start" in str(one)]) == before + 1


def test_a_start_changes_no_op_that_a_session_knows(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """TensorFlow warned of one that was marked, as what an op of the start had to wait for."""
    batches = pipelines(2)
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        known = {op.name for op in session.graph.get_operations()}
        changed: List[str] = []
        for name in ("_set_attr", "_add_control_input"):
            plain = getattr(tf2.Operation, name)
            monkeypatch.setattr(
                tf2.Operation,
                name,
                lambda self, *args, plain=plain: (changed.append(self.name), plain(self, *args)),
            )
        with tf.summary.FileWriter(str(tmp_path), session.graph):  # for which previews are made
            pass
        assert changed and known.intersection(changed) == set()
        session.run(tf.constant(0))
        known = {op.name for op in session.graph.get_operations()}
        changed.clear()
        tf.train.start_queue_runners(session)
        assert drawn(session, batches) == firsts(2)
    assert known.intersection(changed) == set()


def test_an_op_that_a_session_knows_starts_what_was_made_later_where_the_graph_is_loaded(
    tmp_path: pathlib.Path,
) -> None:
    """The enqueue op of the queue: a preview was made after the first step, for the file."""
    with tf.Graph().as_default():
        one = tf.train.range_input_producer(6, shuffle=False).dequeue()
        tf.train.batch([one], 2)
        with tf.Session() as session:
            session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
            tf.train.export_meta_graph(str(tmp_path / "graph.meta"))
    with tf2.Graph().as_default(), natively():
        tf2.compat.v1.train.import_meta_graph(str(tmp_path / "graph.meta"))
        with tf2.compat.v1.Session() as session:
            session.run("input_producer/input_producer_EnqueueMany")
            assert [session.run("input_producer_Dequeue:0") for _ in range(2)] == [0, 1]
