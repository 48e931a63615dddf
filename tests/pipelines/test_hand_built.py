"""Queues that the program builds by hand: TensorFlow's own, which compiled pipelines fill in blocks."""

from __future__ import annotations

import pathlib
import re
from contextlib import suppress
from typing import Any, Callable, List, Optional

import numpy as np
import pytest
from tensorflow.python.debug.wrappers import dumping_wrapper

import queuecompat
import queuecompat.v1 as tf
from queuecompat.errors import NativePipelineWarning, QueueCompatRuntimeError
from tests.pipelines.running import drain, started

ROWS = 200


def numbers(num_epochs: Optional[int] = 1) -> Any:
    return tf.train.range_input_producer(ROWS, num_epochs=num_epochs, shuffle=False).dequeue()


def filled(queue: Any, values: Any, threads: int = 1) -> Any:
    """*queue*, filled by a runner of its own."""
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(values)] * threads))
    return queue


def lines(folder: pathlib.Path) -> Any:
    """The numbers of a file, read with TensorFlow's own producer and reader."""
    file = folder / "numbers"
    file.write_text("".join(f"{number}\n" for number in range(ROWS)))
    own = tf.train.string_input_producer.__globals__["tf"].compat.v1
    names = own.FIFOQueue(4, [tf.string], [[]])
    filled(names, tf.constant(str(file)))
    return tf.string_to_number(own.TextLineReader().read(names)[1], tf.int32)


def flat(batches: List[Any]) -> List[int]:
    return [int(number) for batch in batches for number in np.ravel(batch)]


def reasons() -> List[str]:
    return [reason.text.partition("\n")[0] for _, reason in queuecompat.explain().native]


QUEUES = {
    "FIFOQueue": lambda: tf.FIFOQueue(32, [tf.int32], [[]]),
    "PaddingFIFOQueue": lambda: tf.PaddingFIFOQueue(32, [tf.int32], [[]]),
    "RandomShuffleQueue": lambda: tf.RandomShuffleQueue(32, 4, [tf.int32], [[]]),
    "without a shape": lambda: tf.FIFOQueue(32, [tf.int32]),
}


@pytest.mark.parametrize("kind", QUEUES)
@pytest.mark.parametrize("threads", [1, 3])
def test_every_element_comes_out_once_of_a_queue_that_a_runner_fills(kind: str, threads: int) -> None:
    queue = filled(QUEUES[kind](), numbers() * 2, threads)
    assert [name for name, _ in queuecompat.explain().compiled] == [queue.name]
    given = flat(drain(queue.dequeue()))
    assert (sorted(given) if threads > 1 or "Random" in kind else given) == list(range(0, 2 * ROWS, 2))


def test_explain_says_that_the_pipeline_fills_a_queue_of_tensorflows_own() -> None:
    queue = filled(tf.FIFOQueue(400, [tf.int32], [[]], name="mine"), numbers() * 2)
    text = str(queuecompat.explain())
    assert "pipeline 'mine': compiled to one tf.data iterator, which fills TensorFlow's own queue in blocks" in text
    assert "batch     of 64" in text and "test_hand_built.py" in text
    assert len(drain(queue.dequeue_many(50))) == 4


def test_the_size_the_end_and_the_runner_are_those_of_the_queue_itself() -> None:
    queue = tf.FIFOQueue(40, [tf.int32], [[]])
    enqueue = queue.enqueue(numbers())
    runner = tf.train.QueueRunner(queue, [enqueue] * 2)
    size, closed, one = queue.size(), queue.is_closed(), queue.dequeue()
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        coord = tf.train.Coordinator()
        others = tf.train.start_queue_runners(sess, coord)
        threads = runner.create_threads(sess, coord, start=True)
        assert runner.create_threads(sess, coord, start=True) == []
        assert [thread.name.rpartition("-")[2] for thread in threads] == [enqueue.name] * 2 + ["close_on_stop"]
        seen = [sess.run(one) for _ in range(ROWS - 1)]
        threads[0].join(), threads[1].join()
        assert (sess.run(size), sess.run(closed)) == (1, True)
        seen.append(sess.run(one))
        with pytest.raises(tf.errors.OutOfRangeError):
            sess.run(one)
        coord.request_stop()
        coord.join([*others, *threads])
    assert sorted(seen) == list(range(ROWS)) and runner.exceptions_raised == []


def test_what_the_program_itself_puts_in_comes_out_too() -> None:
    queue = filled(tf.FIFOQueue(8, [tf.int32], [[]]), numbers())
    put_in, one = queue.enqueue(1000), queue.dequeue()
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        sess.run(put_in)
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess, coord)
        assert [int(sess.run(one)) for _ in range(ROWS + 1)] == [1000, *range(ROWS)]
        coord.request_stop()
        coord.join(threads)


def test_a_group_of_the_runners_op_shares_the_elements_with_what_was_compiled() -> None:
    queue = tf.FIFOQueue(300, [tf.int32], [[]])
    enqueue = queue.enqueue(numbers())
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [enqueue]))
    one, more = queue.dequeue(), tf.group(enqueue)
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess, coord, start=False)
        own = [thread for thread in threads if "-input_producer-" not in thread.name]
        for thread in threads:
            if thread not in own:
                thread.start()
        for _ in range(5):
            sess.run([{"ops": [more]}])
        for thread in own:
            thread.start()
        seen = [sess.run(one) for _ in range(ROWS)]
        coord.request_stop()
        coord.join(threads)
    assert seen == list(range(ROWS))


@pytest.mark.parametrize(
    "fetches", [lambda op: op, lambda op: {"a": [op]}, lambda op: op.name], ids=["op", "in", "name"]
)
def test_an_own_run_of_the_runners_op_after_the_start_is_refused(fetches: Callable[[Any], Any]) -> None:
    queue = tf.FIFOQueue(30, [tf.int32], [[]])
    enqueue = queue.enqueue(numbers(None))
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [enqueue]))
    with started() as sess, pytest.raises(QueueCompatRuntimeError, match="QC214"):
        sess.run(fetches(enqueue))


def test_a_reader_of_tensorflows_own_on_a_queue_of_names_is_compiled(tmp_path: pathlib.Path) -> None:
    queue = filled(tf.RandomShuffleQueue(200, 20, [tf.int32], [[]]), lines(tmp_path))
    plan = str(queuecompat.explain())
    assert "read      TextLine" in plan and "QC" not in plan
    seen = flat(drain(queue.dequeue_many(ROWS), 3))
    assert set(seen) == set(range(ROWS)) and len(seen) == 3 * ROWS


def test_an_error_of_the_ops_reaches_the_coordinator_and_names_op_and_pipeline() -> None:
    """What ``join`` raised once had only the words of tf.data about some ``MapDataset:13``."""
    checked = tf.check_numerics(tf.to_float(numbers()) / tf.to_float(3 - numbers()), "not a number")
    element = filled(tf.FIFOQueue(8, [tf.float32], [[]]), checked).dequeue()
    named = r"\Anot a number[^\n]*\n  op: +'CheckNumerics', made at .*test_hand_built.py:\d+\n  pipeline:  'fifo_queue'"
    given: List[float] = []
    with (
        pytest.raises(tf.errors.InvalidArgumentError, match=named),
        started() as sess,
        suppress(tf.errors.OutOfRangeError),
    ):
        while True:
            given.append(sess.run(element))
    assert given == [0.0, 0.5]  # blocks of two: 2.0 is lost with the error's block


def test_a_stop_ends_a_runner_that_waits_for_room() -> None:
    queue = filled(tf.FIFOQueue(2, [tf.int32], [[]]), numbers(None))
    with started() as sess:
        assert sess.run(queue.dequeue()) == 0


def test_each_session_of_a_graph_begins_with_the_first_element() -> None:
    one = filled(tf.FIFOQueue(8, [tf.int32], [[]]), numbers()).dequeue()
    for _ in range(2):
        assert flat(drain(one, 3)) == [0, 1, 2]


@pytest.mark.parametrize(
    "build",
    [
        lambda: tf.train.batch([numbers()], 4),
        lambda: filled(tf.FIFOQueue(8, [tf.int32], [[]]), numbers()).dequeue_many(4),
    ],
)
def test_runners_are_started_in_the_session_that_tensorflows_debugger_wraps(
    build: Callable[[], Any], tmp_path: pathlib.Path
) -> None:
    # It has run() and no more of a session: the start of what was compiled was an AttributeError.
    batch = build() + 0
    with tf.Session() as session:
        session.run(tf.local_variables_initializer())
        debugged = dumping_wrapper.DumpingDebugWrapperSession(session, str(tmp_path / "dumps"))
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(debugged, coordinator)
        assert [debugged.run(batch).tolist() for _ in range(2)] == [[0, 1, 2, 3], [4, 5, 6, 7]]
        coordinator.request_stop()
        coordinator.join(threads)
    assert not reasons()


def test_a_finalized_graph_has_its_queues_filled_by_compiled_pipelines() -> None:
    queue = filled(tf.FIFOQueue(8, [tf.int32], [[]]), numbers())
    one = queue.dequeue()
    with tf.train.MonitoredTrainingSession() as sess:
        assert [int(sess.run(one)) for _ in range(3)] == [0, 1, 2]
    assert [name for name, _ in queuecompat.explain().compiled] == [queue.name]


def fed() -> Any:
    waiting = tf.FIFOQueue(8, [tf.int32], [[]], name="waiting")
    waiting.enqueue(tf.placeholder(tf.int32, []))
    return waiting


def watched() -> Any:
    waiting = filled(tf.FIFOQueue(8, [tf.int32], [[]], name="waiting"), tf.constant(3))
    waiting.size()
    return waiting


def shared() -> Any:
    return filled(tf.FIFOQueue(8, [tf.int32], [[]], shared_name="everybodys", name="waiting"), tf.constant(3))


def called() -> Any:
    return tf.ensure_shape(tf.py_func(lambda: np.int32(3), [], tf.int32), [])


def counted() -> Any:
    return tf.assign_add(tf.Variable(0, use_resource=True), 1)


LEFT_ALONE = {
    "puts elements into 'waiting'": lambda: fed().dequeue(),
    "looks at the size of 'waiting'": lambda: watched().dequeue(),
    "can use the queue 'waiting'": lambda: shared().dequeue(),
    "call Python": called,
    "have side effects": counted,
}


@pytest.mark.parametrize("why", LEFT_ALONE)
def test_a_runner_is_left_alone_where_the_program_could_tell_the_difference(why: str) -> None:
    make: Callable[[], Any] = LEFT_ALONE[why]
    filled(tf.FIFOQueue(8, [tf.int32], [[]], name="mine"), make())
    [reason] = [reason for name, reason in queuecompat.explain().native if name == "mine"]
    assert reason.code == "QC213" and why in reason.text
    assert "test_hand_built.py" in reason.text


def test_a_summary_of_how_full_a_queue_is_keeps_nothing_from_being_compiled() -> None:
    first = filled(tf.FIFOQueue(8, [tf.int32], [[]]), tf.constant(3))
    tf.summary.scalar("fraction", tf.cast(first.size(), tf.float32) * (1 / 8))
    filled(tf.FIFOQueue(8, [tf.int32], [[]]), first.dequeue())
    assert reasons() == []


def test_a_runner_whose_op_has_to_be_fed_is_native_with_a_warning() -> None:
    queue = tf.FIFOQueue(8, [tf.int32], [[]])
    filled(queue, numbers() * tf.placeholder(tf.int32, []))
    with pytest.warns(NativePipelineWarning, match="QC201"):
        queuecompat.explain()


def test_an_exported_graph_has_the_programs_own_ops() -> None:
    queue = filled(tf.FIFOQueue(8, [tf.int32], [[]]), numbers())
    proto = tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)[-1].to_proto()
    queuecompat.explain()
    assert tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)[-1].to_proto() == proto
    assert proto.enqueue_op_name == [f"{queue.name}_enqueue"]


def test_several_runners_fill_one_queue() -> None:
    """Single elements come from those that may end: what is in hand when the first of them closes the queue is lost."""
    queue = tf.FIFOQueue(64, [tf.int32], [[]])
    for first, num_epochs in ((0, 1), (1000, None), (2000, None)):
        filled(queue, numbers(num_epochs) + first)
    assert re.findall(r"output +(\S+)", str(queuecompat.explain())) == ["int32[]", "int32[?]", "int32[?]"]
    given: List[int] = []
    block = started()
    with pytest.raises(tf.errors.CancelledError, match="is closed"), block as session:  # as from 1.15.5's runners
        element = queue.dequeue()
        with suppress(tf.errors.OutOfRangeError):
            while True:
                given.append(session.run(element))
        assert block.coord.wait_for_stop(30)  # the other runners have seen by now that it is closed
    parts = [[n - first for n in given if first <= n < first + ROWS] for first in (0, 1000, 2000)]
    assert parts[0] == list(range(ROWS))
    assert all(n == place % ROWS for part in parts for place, n in enumerate(part))


def test_all_elements_before_an_error_that_ends_the_data_come_out() -> None:
    """Those of the error's block were once lost, and nothing said so."""
    queue, x = tf.FIFOQueue(32, [tf.int32], [[]]), numbers()
    with tf.control_dependencies([tf.assert_less(x, 101)]):
        enqueue = queue.enqueue(tf.identity(x))
    ends = (tf.errors.OutOfRangeError, tf.errors.InvalidArgumentError)
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [enqueue], queue_closed_exception_types=ends))
    assert [name for name, _ in queuecompat.explain().compiled] == [queue.name]
    assert flat(drain(queue.dequeue())) == list(range(101))


def test_a_runner_that_stays_native_starts_what_its_threads_take_from() -> None:
    """They met QC301 in a pipeline that was to start later, and stopped the coordinator; in TF1 they wait for it."""
    number = tf.train.batch([numbers()], 1)[0]
    queue = tf.PriorityQueue(8, [tf.int32], [[]])
    runner = tf.train.QueueRunner(queue, [queue.enqueue([tf.cast(number, tf.int64), number])])
    size, value = queue.size(), queue.dequeue()[1]
    coord = tf.train.Coordinator()
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        threads = runner.create_threads(sess, coord, start=True)
        while sess.run(size) < 8:
            assert not coord.should_stop()
        threads += tf.train.start_queue_runners(sess, coord)
        assert sorted(sess.run(value) for _ in range(ROWS)) == list(range(ROWS))
        coord.request_stop()
        coord.join(threads)
