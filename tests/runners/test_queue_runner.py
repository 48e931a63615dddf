"""``QueueRunner``: threads, endings and errors, the same for ops in a graph and functions in eager mode."""

from __future__ import annotations

import gc
from typing import Any, Tuple

import pytest
import tensorflow as tf

from queuecompat import queues, train
from tests.queues.modes import LONG, wait_until
from tests.runners.running import World


def target(capacity: int = 100) -> Any:
    return queues.FIFOQueue(capacity, [tf.int32], [[]], name="target")


def copying(world: World, source: Any, queue: Any) -> Any:
    return world.repeated(lambda: queue.enqueue(source.dequeue()))


# -- threads ---------------------------------------------------------------------------------


def test_a_runner_is_one_of_tensorflows() -> None:
    assert issubclass(train.QueueRunner, tf.compat.v1.train.QueueRunner)


def test_there_is_a_thread_for_each_enqueue_and_one_for_the_coordinator(world: World) -> None:
    queue = target()
    runner = train.QueueRunner(queue, [world.repeated(lambda: queue.enqueue(1))] * 2)
    name = "<lambda>" if tf.executing_eagerly() else "target_enqueue"
    expected = [f"QueueRunnerThread-{queue.name}-{name}"] * 2
    assert runner.name == queue.name
    alone = runner.create_threads(world.session)
    assert [thread.name for thread in alone] == expected
    assert [(thread.daemon, thread.is_alive()) for thread in alone] == [(False, False)] * 2
    runner = train.QueueRunner(queue, runner.enqueue_ops)
    together = runner.create_threads(world.session, world.coord, daemon=True)
    assert [thread.name for thread in together] == [*expected, f"QueueRunnerThread-{queue.name}-close_on_stop"]
    assert all(thread.daemon for thread in together)


def test_a_second_start_returns_no_threads_while_the_first_ones_run(world: World) -> None:
    queue = target(capacity=1)
    runner = train.QueueRunner(queue, [world.repeated(lambda: queue.enqueue(1))])
    assert len(world.start(runner)) == 2
    assert world.start(runner) == []
    world.stop()


def test_a_start_after_the_end_meets_the_closed_queue(world: World) -> None:
    queue = target()
    source = world.source(1, is_closed=False)
    runner = train.QueueRunner(queue, [copying(world, source, queue)])
    world.mode.run(source.close)
    world.start(runner)[0].join()
    world.stop()
    world.coord = train.Coordinator()
    assert len(world.start(runner)) == 2
    world.threads[-2].join()
    world.stop()


def test_a_second_start_outlives_what_the_first_one_knew_the_session_by() -> None:
    with tf.compat.v1.Session() as session:
        number = train.range_input_producer(4, num_epochs=1, shuffle=False).dequeue()
        queue = queues.FIFOQueue(100, [tf.int32], [[]])
        runner = train.QueueRunner(queue, [queue.enqueue(train.batch([number], 1)[0])])
        tf.compat.v1.train.add_queue_runner(runner)
        session.run(tf.compat.v1.local_variables_initializer())
        first = runner.create_threads(session)
        known = list(runner._runs_per_session)  # as a traceback of the first threads may have it
        train.start_queue_runners(session)
        first[0].start()
        first[0].join(LONG)
        coord = train.Coordinator()
        threads = runner.create_threads(session, coord)
        del known
        gc.collect()
        for thread in threads:
            thread.start()
        for thread in threads[:-1]:
            thread.join(LONG)
        assert not coord.should_stop()
        coord.request_stop()
        coord.join(threads)


# -- endings ---------------------------------------------------------------------------------


@pytest.mark.parametrize("threads", [1, 3])
def test_the_end_of_the_data_closes_the_queue_and_does_not_stop_the_coordinator(world: World, threads: int) -> None:
    queue = target(capacity=2)
    runner = train.QueueRunner(queue, [copying(world, world.source(*range(9)), queue)] * threads)
    world.start(runner)
    assert world.drained(queue) == list(range(9))
    assert not world.coord.should_stop()
    wait_until(lambda: sum(thread.is_alive() for thread in world.threads) == 1)
    world.stop()
    assert runner.exceptions_raised == []


def test_the_last_thread_to_end_closes_the_queue(world: World) -> None:
    queue = target()
    short, long = world.source(1, 2), world.source(3, is_closed=False)
    runner = train.QueueRunner(queue, [copying(world, short, queue), copying(world, long, queue)])
    first, second = world.start(runner, coord=False)
    first.join()
    assert not world.mode.run(queue.is_closed)
    world.mode.run(lambda: long.enqueue(4))
    world.mode.run(long.close)
    second.join()
    assert world.mode.run(queue.is_closed)
    assert world.drained(queue) == [1, 2, 3, 4]


def test_errors_that_mean_the_end_are_named_by_the_program(world: World) -> None:
    queue, closed = target(), world.source(1)
    types = (tf.errors.OutOfRangeError, tf.errors.CancelledError)
    runner = train.QueueRunner(queue, [world.repeated(lambda: closed.enqueue(1))], queue_closed_exception_types=types)
    assert runner.queue_closed_exception_types == types
    world.start(runner)[0].join()
    assert world.mode.run(queue.is_closed)
    assert not world.coord.should_stop()
    world.stop()


# -- errors ----------------------------------------------------------------------------------


def impossible(world: World) -> Tuple[Any, Any]:
    """A queue, and an enqueue that fails with CancelledError: it goes to another queue, a closed one."""
    queue, elsewhere = target(), world.source(1)
    return queue, world.repeated(lambda: elsewhere.enqueue(1))


def test_an_error_stops_the_coordinator_frees_the_reader_and_is_raised_by_join(world: World) -> None:
    queue, bad = impossible(world)
    runner = train.QueueRunner(queue, [bad])
    world.start(runner)
    with pytest.raises(tf.errors.OutOfRangeError):
        world.mode.run(queue.dequeue)
    assert world.coord.should_stop()
    with pytest.raises(tf.errors.CancelledError):
        world.stop()
    assert runner.exceptions_raised == []


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_an_error_without_a_coordinator_is_kept_by_the_runner(world: World) -> None:
    queue, bad = impossible(world)
    runner = train.QueueRunner(queue, [bad, bad])
    for thread in world.start(runner, coord=False):
        thread.join()
    assert [type(error) for error in runner.exceptions_raised] == [tf.errors.CancelledError] * 2
    assert not world.mode.run(queue.is_closed)


# -- stopping --------------------------------------------------------------------------------


def test_a_stop_frees_a_thread_that_waits_for_room(world: World) -> None:
    queue = target(capacity=2)
    world.start(train.QueueRunner(queue, [world.repeated(lambda: queue.enqueue_many([[1, 2, 3]]))]))
    wait_until(lambda: world.mode.run(queue.size) == 2)
    world.stop()


def test_a_stop_frees_a_thread_that_waits_for_an_element(world: World) -> None:
    queue = target()
    world.mode.run(lambda: queue.enqueue(1))
    world.start(train.QueueRunner(queue, [world.repeated(lambda: queue.dequeue_many(2))]))
    wait_until(lambda: world.mode.run(queue.size) == 0)
    world.stop()


def test_a_stop_before_the_threads_have_begun_ends_them_all(world: World) -> None:
    queue = target(capacity=1)
    world.coord.request_stop()
    world.start(train.QueueRunner(queue, [world.repeated(lambda: queue.enqueue(1))] * 4))
    world.stop()


def test_a_chain_of_queues_stops_as_a_whole(world: World) -> None:
    first, second = target(capacity=1), target(capacity=1)
    world.start(train.QueueRunner(first, [world.repeated(lambda: first.enqueue(1))]))
    world.start(train.QueueRunner(second, [copying(world, first, second)]))
    wait_until(lambda: world.mode.run(second.size) == 1)
    world.stop()


def test_the_programs_own_ops_close_and_cancel(world: World) -> None:
    closes, cancels = target(), target()
    queue = target()
    runner = train.QueueRunner(
        queue,
        [copying(world, world.source(1, 2), queue)] * 2,
        close_op=world.repeated(lambda: closes.enqueue(1)),
        cancel_op=world.repeated(lambda: cancels.enqueue(1)),
    )
    for thread in world.start(runner)[:2]:
        thread.join()
    assert (world.mode.run(closes.size), world.mode.run(cancels.size)) == (1, 0)
    assert not world.mode.run(queue.is_closed)
    world.stop()
    assert (world.mode.run(closes.size), world.mode.run(cancels.size)) == (1, 1)


def test_what_fails_while_closing_is_passed_over(world: World) -> None:
    queue, bad = impossible(world)
    runner = train.QueueRunner(queue, [copying(world, world.source(1), queue)], close_op=bad, cancel_op=bad)
    world.start(runner)[0].join()
    world.stop()


# -- refusals --------------------------------------------------------------------------------


def test_a_runner_needs_a_queue_and_something_to_repeat(world: World) -> None:
    queue = target()
    for arguments in [(), (None, [world.repeated(lambda: queue.enqueue(1))]), (queue,), (queue, [])]:
        with pytest.raises(ValueError, match="Must provide queue and enqueue_ops"):
            train.QueueRunner(*arguments)


@pytest.mark.parametrize("types", [(), [tf.errors.OutOfRangeError], tf.errors.OutOfRangeError, (ValueError,)])
def test_only_a_tuple_of_tensorflows_errors_can_mean_the_end(world: World, types: Any) -> None:
    queue = target()
    with pytest.raises(TypeError):
        train.QueueRunner(queue, [world.repeated(lambda: queue.enqueue(1))], queue_closed_exception_types=types)


# -- start_queue_runners ---------------------------------------------------------------------


def test_starting_starts_every_runner_of_a_collection(world: World) -> None:
    ours, theirs = target(capacity=1), target(capacity=1)
    train.add_queue_runner(train.QueueRunner(ours, [world.repeated(lambda: ours.enqueue(1))]))
    train.add_queue_runner(train.QueueRunner(theirs, [world.repeated(lambda: theirs.enqueue(2))]), "mine")
    threads = train.start_queue_runners(world.session, world.coord)
    world.threads += threads
    assert [(len(threads), thread.daemon, thread.is_alive()) for thread in threads] == [(2, True, True)] * 2
    assert train.start_queue_runners(world.session, world.coord) == []
    assert world.mode.run(ours.dequeue) == 1
    assert world.mode.run(theirs.size) == 0
    mine = train.start_queue_runners(world.session, world.coord, daemon=False, start=False, collection="mine")
    assert [(len(mine), thread.daemon, thread.is_alive()) for thread in mine] == [(2, False, False)] * 2
    for thread in mine:
        thread.start()
    world.threads += mine
    assert world.mode.run(theirs.dequeue) == 2
    world.stop()
