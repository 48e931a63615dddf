"""Starting, ending and stopping, in each of the ways in which TF1 programs do it."""

from __future__ import annotations

import logging
import threading
import weakref
from typing import Any, List

import numpy as np
import pytest
import tensorflow as tf2

import queuecompat
import queuecompat.v1 as tf
from tests.campaign.lifecycles import ENDS, is_gone, lived


def pipeline(epochs: Any = 2) -> tf2.Tensor:
    x = tf.train.range_input_producer(6, num_epochs=epochs, shuffle=False).dequeue()
    return tf.train.shuffle_batch([x], 4, capacity=6, min_after_dequeue=2)


def test_an_explicit_session_and_coordinator() -> None:
    batch = pipeline()
    with tf.Session() as sess:
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess=sess, coord=coord)
        steps = 0
        with pytest.raises(tf.errors.OutOfRangeError):
            while not coord.should_stop():
                sess.run(batch)
                steps += 1
        coord.request_stop()
        coord.join(threads)
    assert steps == 3


def test_the_default_session() -> None:
    batch = pipeline()
    with tf.Session():
        tf.train.start_queue_runners()
        assert batch.eval().shape == (4,)


def test_an_interactive_session() -> None:
    batch = pipeline()
    sess = tf.InteractiveSession()
    tf.train.start_queue_runners()
    assert batch.eval().shape == (4,)
    sess.close()


def test_no_thread_stays_when_the_last_session_is_closed() -> None:
    pipeline()
    before = set(threading.enumerate())
    with tf.Session() as sess:
        threads = tf.train.start_queue_runners(sess=sess, coord=tf.train.Coordinator())
        assert {thread.name for thread in threads} == {
            "QueueRunnerThread-input_producer-input_producer/input_producer_EnqueueMany",
            "QueueRunnerThread-input_producer-close_on_stop",
            "QueueRunnerThread-shuffle_batch/random_shuffle_queue-shuffle_batch/random_shuffle_queue_enqueue",
            "QueueRunnerThread-shuffle_batch/random_shuffle_queue-close_on_stop",
        }
        left = set(threading.enumerate()) - before
    for thread in left:
        thread.join(10)
    assert not any(thread.is_alive() for thread in left)


def _monitored(batch: tf2.Tensor) -> List[int]:
    tf.train.get_or_create_global_step()
    with tf.train.SingularMonitoredSession() as sess:
        delivered: List[int] = sess.run(batch).tolist()
    return delivered


@pytest.mark.parametrize("end", [*ENDS, "monitored"])
def test_a_graph_goes_with_its_last_session(end: str) -> None:
    with tf.Graph().as_default() as graph:
        kept = weakref.ref(graph)
        assert _monitored(pipeline()) if end == "monitored" else lived(pipeline(), end, 1)
    del graph
    assert is_gone(kept)


def test_the_ops_of_compiled_queues_have_their_names_and_other_types() -> None:
    batch = pipeline()
    queues = ["input_producer", "shuffle_batch/random_shuffle_queue"]
    ops = [batch.graph.get_operation_by_name(name) for name in queues]
    assert [(op.type, len(op.outputs)) for op in ops] == [("NoOp", 0), ("NoOp", 0)]
    assert (batch.op.name, batch.op.type) == ("shuffle_batch", "IteratorGetNext")


def test_joining_the_threads_waits_for_the_end_of_the_data() -> None:
    batch = pipeline()
    with tf.Session() as sess:
        threads = tf.train.start_queue_runners(sess=sess)
        with pytest.raises(tf.errors.OutOfRangeError):
            while True:
                assert threads[-1].is_alive()  # the batcher's: 12 elements come, and it holds 6
                sess.run(batch)
        for thread in threads:
            thread.join(10)
        assert not any(thread.is_alive() for thread in threads)


def test_the_threads_of_queues_that_hold_everything_end_before_anything_is_taken() -> None:
    x = tf.train.range_input_producer(6, num_epochs=2).dequeue()
    batch = tf.train.batch([x * 2], 4)
    with tf.Session() as sess:
        for thread in tf.train.start_queue_runners(sess=sess):
            thread.join(10)
            assert not thread.is_alive()
        assert sum(sess.run(batch).size for _ in range(3)) == 12


def test_threads_that_the_program_starts_itself_start_the_pipeline() -> None:
    batch = pipeline()
    with tf.Session() as sess:
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess=sess, coord=coord, start=False)
        for thread in threads:
            thread.start()
        assert sess.run(batch).shape == (4,)  # at once: the start is over when start() returns
        coord.request_stop()
        coord.join(threads)


def test_starting_twice_changes_nothing() -> None:
    x = tf.train.range_input_producer(6, num_epochs=1, shuffle=False).dequeue()
    batch = tf.train.batch([x], 2)
    with tf.Session() as sess:
        tf.train.start_queue_runners(sess=sess)
        assert sess.run(batch).tolist() == [0, 1]
        tf.train.start_queue_runners(sess=sess)
        assert sess.run(batch).tolist() == [2, 3]


def test_a_queue_that_has_ended_stays_ended_in_its_session_and_is_new_in_the_next() -> None:
    batch = pipeline(epochs=1)
    for _ in range(2):
        with tf.Session() as sess:
            tf.train.start_queue_runners(sess=sess)
            sess.run(batch)
            for _ in range(2):
                with pytest.raises(tf.errors.OutOfRangeError):
                    sess.run(batch)
            tf.train.start_queue_runners(sess=sess)
            with pytest.raises(tf.errors.OutOfRangeError):
                sess.run(batch)


def test_monitored_training_session_starts_and_ends_by_itself(tmp_path: Any) -> None:
    batch = pipeline()
    step = tf.assign_add(tf.train.get_or_create_global_step(), 1)
    steps = 0
    with tf.train.MonitoredTrainingSession(checkpoint_dir=str(tmp_path)) as sess:
        while not sess.should_stop():
            with tf2.control_dependencies([]):
                sess.run([batch, step])
            steps += 1
    assert steps == 3


def test_singular_monitored_session_starts_and_ends_by_itself() -> None:
    batch = pipeline()
    tf.train.get_or_create_global_step()
    steps = 0
    with tf.train.SingularMonitoredSession() as sess:
        while not sess.should_stop():
            sess.run(batch)
            steps += 1
    assert steps == 3


def test_an_error_of_the_input_leaves_a_monitored_session(tmp_path: Any) -> None:
    queue = tf.train.string_input_producer([str(tmp_path / "absent")])
    record = tf.TFRecordReader().read(queue)[1]
    batch = tf.train.batch([record], 2)
    tf.train.get_or_create_global_step()
    with pytest.raises(tf.errors.NotFoundError, match="absent"), tf.train.SingularMonitoredSession() as sess:
        sess.run(batch)


def test_supervisor_starts_and_stops(tmp_path: Any) -> None:
    batch = pipeline()
    tf.train.get_or_create_global_step()
    supervisor = tf.train.Supervisor(logdir=str(tmp_path), save_summaries_secs=0, save_model_secs=0)
    steps = 0
    with supervisor.managed_session() as sess:
        with pytest.raises(tf.errors.OutOfRangeError):
            while not supervisor.should_stop():
                sess.run(batch)
                steps += 1
        supervisor.request_stop()
    assert steps == 3


def test_a_supervisor_can_write_summaries_of_a_batch(tmp_path: Any) -> None:
    """Its thread for curves used to find the pipeline not started yet (QC301), and stopped the training."""

    class WithCurvesAtOnce(tf.train.Supervisor):
        def start_standard_services(self, sess: tf.Session) -> Any:
            sess.run(self.summary_op)  # as early as that thread can
            return super().start_standard_services(sess)

    batch = pipeline()
    tf.summary.histogram("batch", batch)
    tf.train.get_or_create_global_step()
    supervisor = WithCurvesAtOnce(logdir=str(tmp_path), save_summaries_secs=0, save_model_secs=0)
    steps = 0
    with supervisor.managed_session() as sess:
        with pytest.raises(tf.errors.OutOfRangeError):
            while not supervisor.should_stop():
                sess.run(batch)
                steps += 1
        supervisor.request_stop()
    assert steps == 2  # and one was the curves'


def test_saving_a_checkpoint_logs_nothing_about_the_runner(tmp_path: Any, caplog: Any) -> None:
    pipeline()
    tf.get_variable("v", initializer=1.0)
    saver = tf.train.Saver()
    logger = tf2.get_logger()
    logger.addHandler(caplog.handler)
    try:
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            saver.save(sess, str(tmp_path / "model"))
    finally:
        logger.removeHandler(caplog.handler)
    assert [r.getMessage() for r in caplog.records if r.levelno >= logging.WARNING] == []


def test_an_imported_meta_graph_starts_without_this_package(tmp_path: Any) -> None:
    x = tf.train.range_input_producer(6, num_epochs=1, shuffle=False).dequeue()
    tf.train.batch([x], 2, name="pairs")
    meta = tf.train.export_meta_graph()
    with tf.Graph().as_default():
        tf.train.import_meta_graph(meta)
        with tf.Session() as sess:
            coord = tf.train.Coordinator()
            threads = tf.train.start_queue_runners(sess=sess, coord=coord)
            for thread in threads:  # TensorFlow's own runner starts it in a thread
                if "close" not in thread.name:
                    thread.join(timeout=20)
            given = [sess.run("pairs:0").tolist() for _ in range(3)]
            with pytest.raises(tf.errors.OutOfRangeError):
                sess.run("pairs:0")
            coord.request_stop()
            coord.join(threads)
    assert given == [[0, 1], [2, 3], [4, 5]]


def test_a_batch_may_be_fed_instead_of_run() -> None:
    batch = pipeline()
    with tf.Session() as sess:
        assert sess.run(batch * 2, {batch: [1, 2, 3, 4]}).tolist() == [2, 4, 6, 8]


def test_each_call_adds_one_runner_as_in_tf1() -> None:
    pipeline()
    assert len(tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)) == 2


def test_the_cancel_op_runs_when_the_coordinator_stops() -> None:
    cancelled = tf.get_variable("cancelled", initializer=0, use_resource=True)
    queue = tf.train.string_input_producer(["a"], cancel_op=tf.assign(cancelled, 1).op)
    name = queue.dequeue()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess=sess, coord=coord)
        assert sess.run([name, cancelled]) == [b"a", 0]
        coord.request_stop()
        coord.join(threads)
        assert sess.run(cancelled) == 1


def test_a_large_array_is_not_in_the_graph_and_its_rows_are_right() -> None:
    images = np.random.RandomState(0).randint(0, 255, [5000, 28, 28]).astype(np.uint8)
    image, number = tf.train.slice_input_producer([images, np.arange(5000)], num_epochs=1)
    batch = tf.train.batch([image, number], 500)
    assert len(tf.get_default_graph().as_graph_def().SerializeToString()) < 1_000_000 < images.nbytes
    with tf.Session() as sess:
        tf.train.start_queue_runners(sess=sess)
        for _ in range(10):
            rows, numbers = sess.run(batch)
            np.testing.assert_array_equal(rows, images[numbers])
        with pytest.raises(tf.errors.OutOfRangeError):
            sess.run(batch)


def test_a_large_array_may_be_produced_itself() -> None:
    values = np.arange(300_000, dtype=np.int64)
    batch = tf.train.input_producer(values, num_epochs=1).dequeue_many(100_000)
    with tf.Session() as sess:
        tf.train.start_queue_runners(sess=sess)
        assert sorted(np.concatenate([sess.run(batch) for _ in range(3)])) == values.tolist()


@pytest.mark.parametrize("rows", [8, 300_000])
def test_an_array_of_the_other_byte_order_has_the_right_numbers(rows: int) -> None:
    """TensorFlow takes the bytes of a constant as they are, also today."""
    values = np.arange(rows).astype(np.dtype(np.int32).newbyteorder())
    options = dict(num_epochs=1, shuffle=False)
    sliced = tf.train.slice_input_producer([values], **options)[0]
    batches = [tf.train.batch([number], 4) for number in (sliced, tf.train.input_producer(values, **options).dequeue())]
    with tf.Session() as sess:
        tf.train.start_queue_runners(sess=sess)
        assert [batch.tolist() for batch in sess.run(batches)] == [[0, 1, 2, 3]] * 2


def test_a_start_before_the_pipeline_is_built_is_said_to_be_too_early() -> None:
    with tf.Session() as sess:
        assert tf.train.start_queue_runners(sess) == []
        batch = tf.train.batch([tf.constant(1)], 2)
        with pytest.raises(tf.errors.InvalidArgumentError, match="a call before the pipeline is built"):
            sess.run(batch)


def test_running_before_the_start_names_the_missing_call() -> None:
    batch = pipeline()
    with tf.Session() as sess, pytest.raises(tf.errors.InvalidArgumentError, match=r"^QC301(.|\n)*start_queue_runners"):
        sess.run(batch)


def test_a_pipeline_in_a_branch_that_is_not_taken_need_not_run() -> None:
    """Whether it had started, and was not stopped, used to be asked in each step, whichever branch that took."""
    first, second = (tf.train.range_input_producer(9, shuffle=False, name=name) for name in ("first", "second"))
    is_first = tf.placeholder(tf.bool, [])
    numbers = tf.cond(is_first, lambda: first.dequeue_many(3), lambda: second.dequeue_many(3) + 100)
    runners = tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)
    with tf.Session() as sess:
        coord, second_coord = tf.train.Coordinator(), tf.train.Coordinator()
        threads = runners[0].create_threads(sess, coord, start=True)
        assert sess.run(numbers, {is_first: True}).tolist() == [0, 1, 2]
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"^QC301(.|\n)*second"):
            sess.run(numbers, {is_first: False})
        second_threads = runners[1].create_threads(sess, second_coord, start=True)
        assert sess.run(numbers, {is_first: False}).tolist() == [100, 101, 102]
        second_coord.request_stop()
        second_coord.join(second_threads)
        assert sess.run(numbers, {is_first: True}).tolist() == [3, 4, 5]
        coord.request_stop()
        coord.join(threads)


def test_explaining_a_graph_without_pipelines_says_so() -> None:
    assert "No queue pipeline" in str(queuecompat.explain())
