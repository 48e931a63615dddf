"""``Coordinator`` and ``LooperThread``: TensorFlow's own, and as ``queuecompat.train`` has them."""

from __future__ import annotations

import sys
import threading
from typing import Any, List

import pytest
import tensorflow as tf

from queuecompat import queues, train
from tests.queues.modes import LONG, Background, Mode

Coordinator, LooperThread = train.Coordinator, train.LooperThread


def report(coord: Any, error: Exception, as_exc_info: bool = False) -> None:
    try:
        raise error
    except Exception as caught:
        coord.request_stop(sys.exc_info() if as_exc_info else caught)


def test_they_are_tensorflows_own() -> None:
    assert Coordinator is tf.train.Coordinator
    assert LooperThread is tf.compat.v1.train.LooperThread


@pytest.mark.parametrize("as_exc_info", [False, True])
def test_join_raises_the_very_error_that_was_reported_first(as_exc_info: bool) -> None:
    coord, error = Coordinator(), KeyError("first")
    report(coord, error, as_exc_info)
    report(coord, OSError("second"))
    assert coord.should_stop()
    with pytest.raises(KeyError) as asked:
        coord.raise_requested_exception()
    with pytest.raises(KeyError) as joined:
        coord.join()
    assert asked.value is joined.value is error
    assert coord.joined


def test_the_end_of_the_data_is_no_error_unless_the_program_says_so() -> None:
    end = tf.errors.OutOfRangeError(None, None, "end")
    coord = Coordinator()
    report(coord, end)
    coord.join()
    coord = Coordinator(clean_stop_exception_types=[])
    report(coord, end)
    with pytest.raises(tf.errors.OutOfRangeError):
        coord.join()
    coord = Coordinator(clean_stop_exception_types=[KeyError])
    report(coord, KeyError())
    coord.join()


def test_an_error_that_was_never_raised_is_a_type_error_and_stops_nothing() -> None:
    coord = Coordinator()
    with pytest.raises(TypeError):
        coord.request_stop(ValueError("made by hand"))
    assert not coord.should_stop()


def test_a_report_after_the_join_is_raised_at_once() -> None:
    coord = Coordinator()
    coord.request_stop()
    coord.join()
    with pytest.raises(KeyError):
        report(coord, KeyError())
    coord.clear_stop()
    assert not coord.should_stop()
    report(coord, OSError())
    with pytest.raises(OSError):
        coord.join()


def test_a_block_that_fails_stops_the_coordinator() -> None:
    coord = Coordinator()
    with coord.stop_on_exception():
        raise KeyError
    assert coord.should_stop()
    with pytest.raises(KeyError):
        coord.join()


def test_join_waits_for_threads_given_and_registered() -> None:
    coord, finished = Coordinator(), []

    def work() -> None:
        coord.wait_for_stop()
        finished.append(1)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    coord.register_thread(threads[0])
    coord.request_stop()
    coord.join(threads[1:])
    assert len(finished) == 3


def test_join_names_the_threads_that_are_left_after_the_grace_period() -> None:
    coord, release = Coordinator(), threading.Event()
    with Background(release.wait) as straggler:
        straggler.thread.name = "straggler"
        coord.request_stop()
        with pytest.raises(RuntimeError, match="straggler"):
            coord.join([straggler.thread], stop_grace_period_secs=0.05)
        coord.join([straggler.thread], stop_grace_period_secs=0.05, ignore_live_threads=True)
        release.set()


def test_waiting_for_a_stop_ends_with_its_time() -> None:
    coord = Coordinator()
    assert not coord.wait_for_stop(timeout=0.01)
    coord.request_stop()
    assert coord.wait_for_stop(timeout=LONG)


@pytest.mark.parametrize("interval", [None, 0.001])
def test_a_looper_calls_until_it_is_told_to_stop(interval: Any) -> None:
    coord, calls = Coordinator(), []

    def target(first: int, last: int) -> None:
        calls.append(first + last)
        if len(calls) == 3:
            coord.request_stop()

    looper = LooperThread.loop(coord, interval, target, args=(1,), kwargs={"last": 2})
    # It has registered itself.
    coord.join(stop_grace_period_secs=LONG)
    assert calls == [3, 3, 3]
    assert looper.daemon
    assert not looper.is_alive()


def test_a_looper_that_fails_stops_the_others() -> None:
    coord, log = Coordinator(), []

    class Looper(LooperThread):
        def start_loop(self) -> None:
            log.append("start")

        def run_loop(self) -> None:
            log.append("run")
            raise KeyError

        def stop_loop(self) -> None:
            log.append("stop")

    Looper(coord, None).start()
    assert coord.wait_for_stop(LONG)
    with pytest.raises(KeyError):
        coord.join(stop_grace_period_secs=LONG)
    assert log == ["start", "run"]


@pytest.mark.parametrize("arguments", [("x", 1), (None, 1)])
def test_a_looper_needs_a_coordinator(arguments: Any) -> None:
    with pytest.raises(ValueError, match="must be a Coordinator"):
        LooperThread(*arguments)


@pytest.mark.parametrize("arguments", [{"args": (1,)}, {"kwargs": {"a": 1}}])
def test_a_looper_without_a_target_takes_no_arguments_for_it(arguments: Any) -> None:
    with pytest.raises(ValueError, match="target"):
        LooperThread(Coordinator(), 1, **arguments)


def test_a_looper_fills_a_queue_until_the_stop(mode: Mode) -> None:
    coord, queue = Coordinator(), queues.FIFOQueue(2, [tf.int32], [[]])
    enqueue, one = mode.op(lambda: queue.enqueue(7)), mode.op(queue.dequeue)
    cancel = mode.op(lambda: queue.close(cancel_pending_enqueues=True))
    LooperThread.loop(coord, None, enqueue)
    taken: List[int] = [int(one()) for _ in range(10)]
    coord.request_stop()
    cancel()
    coord.join(stop_grace_period_secs=LONG)
    assert taken == [7] * 10
