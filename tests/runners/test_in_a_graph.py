"""What only the runners of a graph have: protos, sessions, compiled pipelines beside them."""

from __future__ import annotations

from typing import Any, List

import pytest
import tensorflow as tf

from queuecompat import queues, train
from queuecompat.errors import QueueCompatTypeError
from tests.queues.modes import in_a_graph
from tests.runners.running import World

pytestmark = in_a_graph


def filling(queue: Any) -> train.QueueRunner:
    return train.QueueRunner(queue, [queue.enqueue(1)])


def test_a_proto_restores_the_same_runner(world: World) -> None:
    queue = queues.FIFOQueue(2, [tf.int32], [[]])
    proto = filling(queue).to_proto()
    runner = train.QueueRunner.from_proto(proto)
    assert isinstance(runner, train.QueueRunner)
    assert runner.to_proto() == proto
    world.start(runner)
    assert world.mode.run(queue.dequeue) == 1
    world.stop()


def test_a_runner_is_below_a_scope_or_has_no_proto_there() -> None:
    with tf.name_scope("scope"):
        runner = filling(queues.FIFOQueue(2, [tf.int32], [[]]))
    assert runner.to_proto("elsewhere") is None
    assert runner.to_proto("scope").queue_name == "fifo_queue"


def test_the_graphs_collection_is_tensorflows(graph: tf.Graph) -> None:
    runner = filling(queues.FIFOQueue(2, [tf.int32], [[]]))
    train.add_queue_runner(runner)
    train.add_queue_runner(runner, collection="mine")
    assert graph.get_collection(tf.compat.v1.GraphKeys.QUEUE_RUNNERS) == [runner]
    assert graph.get_collection("mine") == [runner]


def test_a_runner_of_a_compiled_queue_and_one_of_tensorflows_are_queue_runners(graph: tf.Graph) -> None:
    """Programs ask ``isinstance(qr, tf.train.QueueRunner)`` of what is in the collection; of ours it was False."""

    class Mine(train.QueueRunner):
        pass

    train.batch(train.slice_input_producer([[1, 2]]), 2)
    queue = queues.FIFOQueue(2, [tf.int32], [[]])
    runners = graph.get_collection(tf.compat.v1.GraphKeys.QUEUE_RUNNERS)
    runners.append(tf.compat.v1.train.QueueRunner(queue, [queue.enqueue(1)]))
    assert len(runners) > 1 and all(isinstance(one, train.QueueRunner) for one in runners)
    assert all(issubclass(type(one), train.QueueRunner) for one in runners)
    assert not any(isinstance(one, Mine) for one in runners) and isinstance(Mine(queue, [queue.enqueue(1)]), Mine)
    assert not isinstance(queue, train.QueueRunner)


@pytest.mark.parametrize(
    "arguments",
    [{"enqueue_ops": [lambda: None]}, {"close_op": lambda: None}, {"cancel_op": lambda: None}],
)
def test_a_function_in_a_graph_is_refused_at_once(arguments: Any) -> None:
    """TF1 said nothing until ``create_threads``, and then that a function has no name."""
    queue = queues.FIFOQueue(2, [tf.int32], [[]])
    with pytest.raises(QueueCompatTypeError, match="QC104") as refusal:
        train.QueueRunner(queue, **{"enqueue_ops": [queue.enqueue(1)], **arguments})
    (argument,) = arguments
    assert argument in str(refusal.value)


def test_starting_a_graphs_runners_without_a_session_is_an_error() -> None:
    with pytest.raises(ValueError, match="No default session"):
        train.start_queue_runners()
    with pytest.raises(TypeError):
        train.start_queue_runners("x")


def test_a_compiled_pipeline_feeds_a_queue_of_the_programs_own(world: World) -> None:
    number = train.range_input_producer(6, num_epochs=1, shuffle=False).dequeue()
    doubled = train.batch([number * 2], 2)
    queue = queues.FIFOQueue(2, [tf.int32], [[]])
    train.add_queue_runner(train.QueueRunner(queue, [queue.enqueue_many([doubled])]))
    world.session.run(tf.compat.v1.local_variables_initializer())
    world.threads += train.start_queue_runners(world.session, world.coord)
    assert world.drained(queue) == [0, 2, 4, 6, 8, 10]
    world.stop()


@pytest.mark.parametrize("fails_in", ["the pipeline", "the runner's own op"])
def test_what_a_runner_takes_for_the_end_is_an_error_of_the_pipeline_before_it(world: World, fails_in: str) -> None:
    """The coordinator was not told of the pipeline's error: its data seemed to have ended."""
    number = train.range_input_producer(10, num_epochs=1, shuffle=False).dequeue()
    batches = {
        "the pipeline": lambda: train.batch([60 // (number - 5)], 1),
        "the runner's own op": lambda: 60 // (train.batch([number], 1) - 5),
    }
    batch = batches[fails_in]()
    queue = queues.FIFOQueue(10, [tf.int32], [[]])
    ends = (tf.errors.OutOfRangeError, tf.errors.InvalidArgumentError)
    train.add_queue_runner(train.QueueRunner(queue, [queue.enqueue_many([batch])], queue_closed_exception_types=ends))
    world.session.run(tf.compat.v1.local_variables_initializer())
    world.threads += train.start_queue_runners(world.session, world.coord)
    assert world.drained(queue) == sorted(60 // (number - 5) for number in range(5))
    if fails_in == "the pipeline":
        with pytest.raises(tf.errors.InvalidArgumentError):
            world.stop()
    else:
        world.stop()


@pytest.mark.parametrize("threads", ["of one op", "of two ops"])
def test_an_error_is_reported_to_its_pipeline_whichever_thread_finds_the_end(world: World, threads: str) -> None:
    """It was not if another op drew from the pipeline, too, or had found the end while the error was explained."""
    number = train.range_input_producer(6, num_epochs=1, shuffle=False).dequeue()
    batch = train.batch([60 // (number - 5)], 1)
    queue = queues.FIFOQueue(10, [tf.int32], [[]])
    plain = queue.enqueue_many([batch])
    ops = [plain, plain] if threads == "of one op" else [plain, queue.enqueue_many([batch * 2])]
    ends = (tf.errors.OutOfRangeError, tf.errors.CancelledError, tf.errors.InvalidArgumentError)
    train.add_queue_runner(train.QueueRunner(queue, ops, queue_closed_exception_types=ends))
    world.session.run(tf.compat.v1.local_variables_initializer())
    world.threads += train.start_queue_runners(world.session, world.coord)
    assert len(world.drained(queue)) == 5
    with pytest.raises(tf.errors.InvalidArgumentError):
        world.stop()


def test_a_close_op_with_control_inputs_runs_them(world: World) -> None:
    """Only the queue was closed."""
    closes = tf.compat.v1.get_variable("closes", [], tf.int32, tf.compat.v1.zeros_initializer(), use_resource=True)
    queue = queues.FIFOQueue(10, [tf.int32], [[]])
    with tf.control_dependencies([closes.assign_add(1)]):
        close = queue.close()
    number = train.range_input_producer(3, num_epochs=1, shuffle=False).dequeue()
    train.add_queue_runner(train.QueueRunner(queue, [queue.enqueue(number)], close_op=close))
    world.session.run([closes.initializer, tf.compat.v1.local_variables_initializer()])
    world.threads += train.start_queue_runners(world.session, world.coord)
    assert world.drained(queue) == [0, 1, 2]
    assert world.session.run(closes) == 1
    world.stop()


class _RunsItself(train.QueueRunner):
    """A runner whose threads do what they like, with all that a session has."""

    fed: Any = None

    def _run(self, sess: Any, enqueue_op: Any, coord: Any = None) -> None:
        try:
            for number in range(3):
                assert sess.run([self.fed], feed_dict={self.fed: number}) == [number]
                sess.run(enqueue_op)
        except Exception as problem:
            coord.request_stop(problem)
            sess.run(self.cancel_op)


def test_a_derived_class_that_runs_its_ops_itself_has_the_session_and_its_own_ops(graph: tf.Graph) -> None:
    """It failed with AttributeError: 'list' object has no attribute 'name'; and its op put in a block of elements."""
    number = train.range_input_producer(100, shuffle=False).dequeue()
    queue = queues.FIFOQueue(100, [tf.int32], [[]])
    runner = _RunsItself(queue, [queue.enqueue(number * 2)])
    runner.fed = tf.compat.v1.placeholder(tf.int32, [])
    train.add_queue_runner(runner)
    taken, left = queue.dequeue(), queue.size()
    with tf.compat.v1.Session() as session:
        coord = train.Coordinator()
        threads = train.start_queue_runners(session, coord)
        assert [session.run(taken) for _ in range(3)] == [0, 2, 4]
        assert session.run(left) == 0
        coord.request_stop()
        coord.join(threads, stop_grace_period_secs=10)


class _StandIn:
    """What tensor2tensor and others put into the collection in place of a runner."""

    def create_threads(self, sess: Any, coord: Any = None, daemon: bool = False, start: bool = False) -> List[Any]:
        return []


@pytest.mark.parametrize("starts", ["function", "session"])
def test_an_object_that_has_only_create_threads_is_a_runner(graph: tf.Graph, starts: str) -> None:
    """The start failed with AttributeError: no attribute 'enqueue_ops'."""
    batch = train.batch([train.range_input_producer(6, shuffle=False).dequeue()], 3)
    tf.compat.v1.add_to_collection(tf.compat.v1.GraphKeys.QUEUE_RUNNERS, _StandIn())
    if starts == "session":
        with tf.compat.v1.train.MonitoredTrainingSession() as session:
            assert session.run(batch).tolist() == [0, 1, 2]
    else:
        with tf.compat.v1.Session() as session:
            threads = train.start_queue_runners(session)
            assert session.run(batch).tolist() == [0, 1, 2] and len(threads) == 2
