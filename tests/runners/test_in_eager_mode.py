"""Runners of Python functions: what they mean, how long they live, how they end."""

from __future__ import annotations

import functools
import gc
import itertools
import logging
import pathlib
import signal
import threading
import weakref
from typing import Any, List

import pytest
import tensorflow as tf

from queuecompat import queues, train
from queuecompat.errors import QueueCompatRuntimeError, QueueCompatTypeError
from tests.forking import Server
from tests.queues.modes import Background, in_eager_mode, wait_until
from tests.runners.running import World

pytestmark = in_eager_mode


def target(capacity: int = 100) -> Any:
    return queues.FIFOQueue(capacity, [tf.int32], [[]])


def counted(queue: Any, end: int) -> Any:
    """A function that enqueues 0, 1, ... and then says that there is no more."""
    numbers = iter(range(end))
    return lambda: queue.enqueue(next(numbers))


# -- what a function may do ------------------------------------------------------------------


def test_a_function_is_called_again_and_again_in_its_own_thread(world: World) -> None:
    queue, threads = target(capacity=2), set()

    def load() -> None:
        threads.add(threading.current_thread())
        queue.enqueue(1)

    started = world.start(train.QueueRunner(queue, [load]))
    assert [int(queue.dequeue()) for _ in range(5)] == [1] * 5
    assert threads == {started[0]}
    assert started[0].name.endswith("-load")
    world.stop()


@pytest.mark.parametrize("end", [StopIteration, tf.errors.OutOfRangeError(None, None, "end")])
def test_a_function_ends_its_thread_as_python_or_as_tensorflow_does(world: World, end: Any) -> None:
    queue, numbers = target(), iter([1, 2])

    def load() -> None:
        number = next(numbers, None)
        if number is None:
            raise end
        queue.enqueue(number)

    world.start(train.QueueRunner(queue, [load]))
    assert world.drained(queue) == [1, 2]
    assert not world.coord.should_stop()
    world.stop()


def test_any_other_error_of_a_function_is_raised_by_join_as_it_is(world: World) -> None:
    queue, error = target(), ZeroDivisionError("in load")

    def load() -> None:
        raise error

    world.start(train.QueueRunner(queue, [load]))
    with pytest.raises(tf.errors.OutOfRangeError):
        queue.dequeue()
    with pytest.raises(ZeroDivisionError) as raised:
        world.stop()
    assert raised.value is error


def test_anything_that_can_be_called_will_do(world: World) -> None:
    queue = target(capacity=4)

    class Loader:
        def __call__(self) -> None:
            queue.enqueue(2)

    traced = tf.function(lambda: queue.enqueue(3) and None, autograph=False)
    runner = train.QueueRunner(queue, [functools.partial(queue.enqueue, 1), Loader(), traced])
    names = [thread.name.rpartition("-")[2] for thread in world.start(runner)]
    assert names == ["partial", "Loader", traced.__name__, "close_on_stop"]
    seen = set()
    wait_until(lambda: seen.add(int(queue.dequeue())) or seen == {1, 2, 3})
    world.stop()


def test_functions_to_close_and_cancel_are_called_once_each(world: World) -> None:
    queue, log = target(), []
    runner = train.QueueRunner(
        queue, [counted(queue, 1)], close_op=lambda: log.append("close"), cancel_op=lambda: log.append("cancel")
    )
    world.start(runner)[0].join()
    assert log == ["close"]
    world.stop()
    assert log == ["close", "cancel"]


def test_a_cancel_op_frees_a_function_that_waits_for_something_else(world: World) -> None:
    queue, upstream = target(), target()
    waits = threading.Event()

    def copy() -> None:
        waits.set()
        queue.enqueue(upstream.dequeue())

    world.start(train.QueueRunner(queue, [copy], cancel_op=lambda: upstream.close(cancel_pending_enqueues=True)))
    waits.wait()
    world.stop()


# -- the registry ----------------------------------------------------------------------------


def test_a_registered_runner_lives_as_long_as_its_queue(world: World) -> None:
    queue = target(capacity=1)
    train.add_queue_runner(train.QueueRunner(queue, [lambda: queue.enqueue(5)]))
    gc.collect()
    world.threads += train.start_queue_runners(coord=world.coord)
    assert len(world.threads) == 2
    assert int(queue.dequeue()) == 5
    world.stop()


def test_a_queue_that_was_dropped_takes_its_runner_along(caplog: pytest.LogCaptureFixture) -> None:
    calls: List[int] = []

    def program() -> Any:
        queue = target()
        train.add_queue_runner(train.QueueRunner(queue, [lambda: calls.append(1) or queue.enqueue(1)]))
        return weakref.ref(queue)

    queue = program()
    with caplog.at_level(logging.WARNING, "queuecompat"):
        assert train.start_queue_runners() == []
    assert queue() is None
    assert calls == []
    assert "no queue runner" in caplog.text


def test_a_queue_that_was_started_and_stopped_can_go_too(world: World) -> None:
    def program() -> Any:
        queue = target(capacity=1)
        train.add_queue_runner(train.QueueRunner(queue, [lambda: queue.enqueue(1)]))
        world.threads += train.start_queue_runners(coord=world.coord)
        assert int(queue.dequeue()) == 1
        world.stop()
        return weakref.ref(queue)

    queue = program()
    gc.collect()
    assert queue() is None


def test_what_an_earlier_program_closed_is_not_started_again(world: World) -> None:
    """Its thread would enqueue into a closed queue, and the error would stop the new program."""
    old = target(capacity=1)
    train.add_queue_runner(train.QueueRunner(old, [lambda: old.enqueue(1)]))
    world.threads += train.start_queue_runners(coord=world.coord)
    world.stop()
    world.coord = train.Coordinator()
    new = target(capacity=1)
    train.add_queue_runner(train.QueueRunner(new, [lambda: new.enqueue(2)]))
    threads = train.start_queue_runners(coord=world.coord)
    world.threads += threads
    assert len(threads) == 2
    assert int(new.dequeue()) == 2
    world.stop()


def test_a_runner_of_functions_in_a_graphs_collection_is_started_with_the_graph(world: World) -> None:
    queue = target(capacity=1)
    runner = train.QueueRunner(queue, [lambda: queue.enqueue(6)])
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        train.add_queue_runner(runner)
        world.threads += train.start_queue_runners(session, world.coord)
    assert int(queue.dequeue()) == 6
    world.stop()


def test_a_graph_in_an_eager_program_has_its_own_runners(world: World) -> None:
    with tf.Graph().as_default() as graph:
        queue = target(capacity=1)
        runner = train.QueueRunner(queue, [queue.enqueue(7)])
        train.add_queue_runner(runner)
        one = queue.dequeue()
        with tf.compat.v1.Session() as session:
            world.threads += train.start_queue_runners(session, world.coord)
            assert session.run(one) == 7
            world.stop()
        assert train.QueueRunner.from_proto(runner.to_proto()).name == runner.name
        assert graph.get_collection(tf.compat.v1.GraphKeys.QUEUE_RUNNERS) == [runner]
    assert train.start_queue_runners() == []


# -- refusals --------------------------------------------------------------------------------


def test_an_op_is_refused_because_it_has_run_already() -> None:
    queue = target()
    with pytest.raises(QueueCompatTypeError, match="QC103 QueueRunner got None in its enqueue_ops"):
        train.QueueRunner(queue, [queue.enqueue(1)])
    with pytest.raises(QueueCompatTypeError, match="QC103"):
        train.QueueRunner(queue, [lambda: None], close_op=queue.size())


def test_an_op_of_a_graph_is_refused() -> None:
    with tf.Graph().as_default():
        op = target().enqueue(1)
    with pytest.raises(QueueCompatTypeError, match="QC103"):
        train.QueueRunner(target(), [op])


def test_a_runner_of_functions_has_no_proto() -> None:
    runner = train.QueueRunner(target(), [lambda: None])
    with pytest.raises(NotImplementedError, match="QC105"):
        runner.to_proto()


def test_a_proto_needs_a_graph() -> None:
    with tf.Graph().as_default():
        queue = target()
        proto = train.QueueRunner(queue, [queue.enqueue(1)]).to_proto()
    with pytest.raises(QueueCompatRuntimeError, match="QC101"):
        train.QueueRunner.from_proto(proto)


def test_a_graph_can_be_exported_beside_a_runner_of_functions() -> None:
    runner = train.QueueRunner(target(), [lambda: None])
    with tf.Graph().as_default():
        train.add_queue_runner(runner)
        tf.compat.v1.train.export_meta_graph()


# -- whole programs --------------------------------------------------------------------------


def test_a_training_loop_sees_every_element_of_several_threads_once(world: World) -> None:
    queue, numbers, lock = queues.RandomShuffleQueue(8, 2, [tf.int32], [[]]), iter(range(100)), threading.Lock()

    def load() -> None:
        with lock:
            number = next(numbers)
        queue.enqueue(number)

    train.add_queue_runner(train.QueueRunner(queue, [load] * 4))
    world.threads += train.start_queue_runners(coord=world.coord)
    seen: List[int] = []
    try:
        while not world.coord.should_stop():
            seen += queue.dequeue_many(10).numpy().tolist()
    except tf.errors.OutOfRangeError:
        pass
    world.stop()
    assert sorted(seen) == list(range(100))


def test_an_interrupted_loop_stops_its_threads(world: World) -> None:
    queue, numbers = target(capacity=2), itertools.count()
    world.start(train.QueueRunner(queue, [lambda: queue.enqueue(next(numbers))]))
    with pytest.raises(KeyboardInterrupt):
        try:
            while True:
                if int(queue.dequeue()) == 5:
                    signal.raise_signal(signal.SIGINT)
        finally:
            world.stop()


def test_a_runner_may_be_dropped_while_its_thread_waits(world: World) -> None:
    """The thread holds what it needs; the coordinator still ends it."""
    queue = target(capacity=1)
    size = functools.partial(tf.compat.v1.FIFOQueue.size, weakref.proxy(queue))
    world.start(train.QueueRunner(queue, [lambda queue=queue: queue.enqueue_many([[1, 2]])]))
    wait_until(lambda: int(size()) == 1)
    del queue
    gc.collect()
    world.stop()


def test_the_threads_are_in_eager_mode_whatever_graph_the_main_thread_is_in(world: World) -> None:
    queue, modes = target(capacity=1), []
    runner = train.QueueRunner(queue, [lambda: modes.append(tf.executing_eagerly()) or queue.enqueue(1)])
    with tf.Graph().as_default():
        world.start(runner)
    queue.dequeue()
    world.stop()
    assert all(modes)
    assert modes


ENDS_AT_ONCE = """
import tensorflow as tf
from queuecompat import queues, train
queue = queues.FIFOQueue(1, [tf.int32], [[]])
train.add_queue_runner(train.QueueRunner(queue, [lambda: queue.enqueue(1)] * 2))
train.start_queue_runners(coord=train.Coordinator())
print("given", int(queue.dequeue()))
"""


def test_a_program_that_never_stops_its_threads_ends_all_the_same(tmp_path: pathlib.Path, server: Server) -> None:
    done = server.run(["-c", ENDS_AT_ONCE], str(tmp_path))
    assert done.exit_code == 0, done.err
    assert "given 1" in done.out


def test_a_reader_that_waits_is_freed_by_a_stop_from_another_thread(world: World) -> None:
    queue, release = target(), threading.Event()
    world.start(train.QueueRunner(queue, [lambda: release.wait()]))
    with Background(queue.dequeue) as reading:
        world.coord.request_stop()
        assert isinstance(reading.result(), tf.errors.OutOfRangeError)
    release.set()
    world.stop()
