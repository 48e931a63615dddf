"""QueueRunner, start_queue_runners, Coordinator and LooperThread: threads, endings, errors.

Nothing here depends on which thread is faster: joins and events force every order that matters.
"""

from __future__ import annotations

import sys
import threading
from typing import Any, Callable, Dict, List

import numpy as np

from .harness import JOIN_GRACE_SECONDS, Result, error_at_call, gold, kind_of, word, words
from .queues import Transcript, wait_until

__all__: list[str] = []

NAN = float("nan")


def _outcome(call: Callable[[], Any]) -> np.ndarray:
    """``done``, or the type of the error that *call* raises."""
    try:
        call()
    except Exception as error:
        return word("!" + kind_of(error))
    return word("done")


def _number(value: Any) -> np.ndarray:
    return np.array(value)


def _source(script: Transcript, numbers: Any, is_closed: bool = True) -> Any:
    """A queue with *numbers* in it."""
    queue = script.tf.FIFOQueue(100, [script.tf.int32], [[]])
    script.session.run(queue.enqueue_many([np.array(numbers, np.int32)]))
    if is_closed:
        script.session.run(queue.close())
    return queue


def _target(tf: Any, capacity: int = 100, **arguments: Any) -> Any:
    return tf.FIFOQueue(capacity, [tf.int32], [[]], **arguments)


def _drained(script: Transcript, queue: Any) -> np.ndarray:
    """What is taken from *queue* until it ends, sorted."""
    one, taken = queue.dequeue(), []
    try:
        while True:
            taken.append(script.session.run(one))
    except script.tf.errors.OutOfRangeError:
        return np.array(sorted(taken), np.int32)


def _stop(coordinator: Any, threads: List[threading.Thread]) -> np.ndarray:
    """How stopping and joining ends; no thread is left behind."""
    coordinator.request_stop()
    outcome = _outcome(lambda: coordinator.join(threads, stop_grace_period_secs=JOIN_GRACE_SECONDS))
    assert not any(thread.is_alive() for thread in threads)
    return outcome


# -- queue runners: threads ------------------------------------------------------------------


@gold
def a_runner_has_a_thread_for_each_op_and_one_for_the_coordinator(tf: Any) -> Result:
    with Transcript(tf) as script:
        with tf.name_scope("scope"):
            queue = _target(tf, name="letters")
            enqueues = [queue.enqueue(1), queue.enqueue(2, name="two")]
        enqueues.append(enqueues[0])
        for key, with_coordinator, arguments in [
            ("alone", False, {}),
            ("with_coordinator", True, {}),
            ("daemons", True, {"daemon": True}),
        ]:
            runner = tf.train.QueueRunner(queue, enqueues)
            coordinator = tf.train.Coordinator() if with_coordinator else None
            threads = runner.create_threads(script.session, coord=coordinator, **arguments)
            script.result[key + ".names"] = words([thread.name for thread in threads])
            script.result[key + ".daemons"] = _number([thread.daemon for thread in threads])
            script.result[key + ".alive"] = _number([thread.is_alive() for thread in threads])
            again = runner.create_threads(script.session, coord=coordinator, **arguments)
            script.result[key + ".again"] = _number(len(again))
    return script.result


@gold
def threads_that_a_daemon_thread_makes_are_daemons(tf: Any) -> Result:
    """As all threads of Python: they do not keep the process from ending."""
    result: Result = {}

    def make() -> None:
        with Transcript(tf) as script:
            tf.train.batch([tf.train.range_input_producer(3).dequeue()], 2)
            threads = tf.train.start_queue_runners(script.session, daemon=False, start=False)
            result["daemons"] = _number([thread.daemon for thread in threads])

    maker = threading.Thread(target=make, daemon=True)
    maker.start()
    maker.join(JOIN_GRACE_SECONDS)
    return result


@gold
def a_runner_knows_its_queue_and_its_ops(tf: Any) -> Result:
    result: Result = {}
    with tf.Graph().as_default():
        queue = _target(tf)
        enqueue = queue.enqueue(1)
        plain = tf.train.QueueRunner(queue, [enqueue] * 2)
        types = (tf.errors.OutOfRangeError, tf.errors.CancelledError)
        full = tf.train.QueueRunner(
            queue,
            [enqueue],
            close_op=tf.no_op(name="on_close"),
            cancel_op=tf.no_op(name="on_cancel"),
            queue_closed_exception_types=types,
        )
        for key, runner in {"plain": plain, "full": full}.items():
            result[key + ".name"] = word(runner.name)
            result[key + ".is_its_queue"] = _number(runner.queue is queue)
            result[key + ".enqueues"] = words([op.name for op in runner.enqueue_ops])
            result[key + ".close"] = words([runner.close_op.name, runner.close_op.type])
            result[key + ".cancel"] = words([runner.cancel_op.name, runner.cancel_op.type])
            result[key + ".types"] = words([kind.__name__ for kind in runner.queue_closed_exception_types])
            result[key + ".exceptions"] = _number(len(runner.exceptions_raised))
        result["cancels"] = _number(plain.cancel_op.get_attr("cancel_pending_enqueues"))
        result["close_cancels"] = _number(plain.close_op.get_attr("cancel_pending_enqueues"))
        result["is_a_runner"] = _number(isinstance(plain, tf.train.QueueRunner))
    return result


# -- queue runners: endings ------------------------------------------------------------------


@gold
def the_end_of_the_data_closes_the_queue_and_not_the_coordinator(tf: Any) -> Result:
    with Transcript(tf) as script:
        for threads_count in (1, 3):
            key = "{}_threads".format(threads_count)
            queue = _target(tf, capacity=2)
            enqueue = queue.enqueue(_source(script, range(7)).dequeue())
            runner = tf.train.QueueRunner(queue, [enqueue] * threads_count)
            coordinator = tf.train.Coordinator()
            threads = runner.create_threads(script.session, coord=coordinator, start=True)
            script.result[key + ".values"] = _drained(script, queue)
            script.result[key + ".should_stop"] = _number(coordinator.should_stop())
            script.run(key + ".is_closed", queue.is_closed())
            wait_until(lambda threads=threads: sum(thread.is_alive() for thread in threads) == 1)
            script.result[key + ".left"] = words([t.name.split("-")[-1] for t in threads if t.is_alive()])
            script.result[key + ".stopped"] = _stop(coordinator, threads)
            script.result[key + ".exceptions"] = _number(len(runner.exceptions_raised))
    return script.result


@gold
def the_last_thread_to_end_closes_the_queue(tf: Any) -> Result:
    with Transcript(tf) as script:
        queue = _target(tf)
        short, long = _source(script, [1, 2]), _source(script, [3, 4], is_closed=False)
        runner = tf.train.QueueRunner(queue, [queue.enqueue(short.dequeue()), queue.enqueue(long.dequeue())])
        first, second = runner.create_threads(script.session, start=True)
        first.join()
        script.run("closed_after_one", queue.is_closed())
        script.session.run(long.enqueue(5))
        script.session.run(long.close())
        second.join()
        script.run("closed_after_both", queue.is_closed())
        script.result["values"] = _drained(script, queue)
    return script.result


@gold
def an_error_stops_the_coordinator_and_cancels_the_queue(tf: Any) -> Result:
    with Transcript(tf) as script:
        queue, full = tf.FIFOQueue(9, [tf.float32], [[]]), _target(tf, capacity=1)
        bad = queue.enqueue(tf.check_numerics(tf.placeholder_with_default(NAN, []), "bad"))
        coordinator = tf.train.Coordinator()
        threads = []
        # The other runner's thread is blocked for good: only the stop frees it.
        blocked = tf.train.QueueRunner(full, [full.enqueue(1)])
        threads += blocked.create_threads(script.session, coord=coordinator, start=True)
        wait_until(lambda: script.session.run(full.size()) == 1)
        runner = tf.train.QueueRunner(queue, [bad])
        threads += runner.create_threads(script.session, coord=coordinator, start=True)
        script.run("dequeue", queue.dequeue())
        script.result["should_stop"] = _number(coordinator.should_stop())
        script.result["joined"] = _outcome(lambda: coordinator.join(threads, JOIN_GRACE_SECONDS))
        script.run("is_closed", queue.is_closed())
        script.run("other_is_closed", full.is_closed())
        script.result["exceptions"] = _number(len(runner.exceptions_raised))
    return script.result


@gold
def an_error_without_a_coordinator_is_kept_by_the_runner(tf: Any) -> Result:
    with Transcript(tf) as script:
        queue = tf.FIFOQueue(9, [tf.float32], [[]])
        bad = queue.enqueue(tf.check_numerics(tf.placeholder_with_default(NAN, []), "bad"))
        runner = tf.train.QueueRunner(queue, [bad, bad])
        for thread in runner.create_threads(script.session, start=True):
            thread.join()
        script.result["exceptions"] = words([kind_of(error) for error in runner.exceptions_raised])
        script.run("is_closed", queue.is_closed())
        runner.create_threads(script.session)
        script.result["exceptions_after_the_next_start"] = _number(len(runner.exceptions_raised))
    return script.result


@gold
def other_errors_may_mean_the_end_of_the_data_too(tf: Any) -> Result:
    with Transcript(tf) as script:
        elsewhere = _target(tf)
        script.session.run(elsewhere.close())
        for key, types in [
            ("default", None),
            ("cancelled_too", (tf.errors.OutOfRangeError, tf.errors.CancelledError)),
            ("cancelled_alone", (tf.errors.CancelledError,)),
        ]:
            queue = _target(tf)
            with tf.control_dependencies([elsewhere.enqueue(1)]):
                enqueue = queue.enqueue(1)
            coordinator = tf.train.Coordinator()
            runner = tf.train.QueueRunner(queue, [enqueue], queue_closed_exception_types=types)
            threads = runner.create_threads(script.session, coord=coordinator, start=True)
            threads[0].join()
            script.result[key + ".should_stop"] = _number(coordinator.should_stop())
            script.result[key + ".stopped"] = _stop(coordinator, threads)
            script.run(key + ".is_closed", queue.is_closed())
    return script.result


@gold
def a_second_start_gives_no_threads_while_the_first_run(tf: Any) -> Result:
    with Transcript(tf) as script:
        queue = _target(tf, capacity=1)
        runner = tf.train.QueueRunner(queue, [queue.enqueue(1)] * 2)
        coordinator = tf.train.Coordinator()
        threads = runner.create_threads(script.session, coord=coordinator, start=True)
        script.result["first"] = _number(len(threads))
        again = runner.create_threads(script.session, coord=coordinator, start=True)
        script.result["second"] = _number(len(again))
        with tf.Session() as other:
            elsewhere = runner.create_threads(other, coord=coordinator, start=True)
            script.result["in_another_session"] = _number(len(elsewhere))
            script.result["stopped"] = _stop(coordinator, threads + elsewhere)
        # What was closed stays closed: the new threads meet that at once.
        coordinator = tf.train.Coordinator()
        threads = runner.create_threads(script.session, coord=coordinator, start=True)
        script.result["after_the_end"] = _number(len(threads))
        coordinator.wait_for_stop(JOIN_GRACE_SECONDS)
        script.result["stopped_after_the_end"] = _stop(coordinator, threads)
    return script.result


@gold
def the_programs_own_ops_close_and_cancel(tf: Any) -> Result:
    with Transcript(tf) as script:
        closes, cancels = tf.Variable(0), tf.Variable(0)
        script.session.run(tf.global_variables_initializer())
        queue = _target(tf)
        runner = tf.train.QueueRunner(
            queue,
            [queue.enqueue(_source(script, [1, 2, 3]).dequeue())] * 2,
            close_op=tf.assign_add(closes, 1).op,
            cancel_op=tf.assign_add(cancels, 1).op,
        )
        coordinator = tf.train.Coordinator()
        threads = runner.create_threads(script.session, coord=coordinator, start=True)
        for thread in threads[:2]:
            thread.join()
        script.run("closes", closes)
        script.run("cancels", cancels)
        script.run("is_closed", queue.is_closed())
        script.result["stopped"] = _stop(coordinator, threads)
        script.run("closes_at_the_end", closes)
        script.run("cancels_at_the_end", cancels)
        script.run("is_closed_at_the_end", queue.is_closed())
        failing = tf.train.QueueRunner(
            queue,
            [queue.enqueue(_source(script, [1]).dequeue())],
            close_op=tf.Assert(False, ["close"]),
            cancel_op=tf.Assert(False, ["cancel"]),
        )
        coordinator = tf.train.Coordinator()
        threads = failing.create_threads(script.session, coord=coordinator, start=True)
        threads[0].join()
        script.result["failing_ops"] = _stop(coordinator, threads)
    return script.result


@gold
def a_stop_frees_threads_that_wait_in_an_enqueue_or_a_dequeue(tf: Any) -> Result:
    with Transcript(tf) as script:
        first, second = _target(tf, capacity=1), _target(tf, capacity=1)
        coordinator = tf.train.Coordinator()
        runners = [
            tf.train.QueueRunner(first, [first.enqueue(1)]),
            tf.train.QueueRunner(second, [second.enqueue(first.dequeue())]),
        ]
        empty = _target(tf)
        runners.append(tf.train.QueueRunner(empty, [empty.enqueue(empty.dequeue())]))
        threads = [
            thread
            for runner in runners
            for thread in runner.create_threads(script.session, coord=coordinator, start=True)
        ]
        wait_until(lambda: script.session.run([first.size(), second.size()]) == [1, 1])
        script.result["threads"] = _number(len(threads))
        script.result["stopped"] = _stop(coordinator, threads)
    return script.result


# -- queue runners: protos -------------------------------------------------------------------


def _fields(proto: Any) -> Result:
    return {
        "queue": word(proto.queue_name),
        "enqueues": words(list(proto.enqueue_op_name)),
        "close": word(proto.close_op_name),
        "cancel": word(proto.cancel_op_name),
        "types": np.array(list(proto.queue_closed_exception_types), np.int64),
    }


@gold
def a_runner_goes_to_a_proto_and_back(tf: Any) -> Result:
    with Transcript(tf) as script:
        with tf.name_scope("scope"):
            queue = _target(tf)
            runner = tf.train.QueueRunner(
                queue,
                [queue.enqueue(_source(script, [4, 5]).dequeue())],
                queue_closed_exception_types=(tf.errors.OutOfRangeError, tf.errors.CancelledError),
            )
        proto = runner.to_proto()
        for key, value in _fields(proto).items():
            script.result["proto." + key] = value
        for key, value in _fields(runner.to_proto(export_scope="scope")).items():
            script.result["scoped." + key] = value
        script.result["elsewhere"] = _number(runner.to_proto(export_scope="elsewhere") is None)
        again = tf.train.QueueRunner.from_proto(proto)
        scoped = tf.train.QueueRunner.from_proto(runner.to_proto(export_scope="scope"), import_scope="scope")
        for key, restored in {"again": again, "imported": scoped}.items():
            script.result[key + ".name"] = word(restored.name)
            script.result[key + ".enqueues"] = words([op.name for op in restored.enqueue_ops])
            script.result[key + ".types"] = words([kind.__name__ for kind in restored.queue_closed_exception_types])
            script.result[key + ".is_a_runner"] = _number(isinstance(restored, tf.train.QueueRunner))
        (thread,) = again.create_threads(script.session, start=True)
        thread.join()
        script.result["thread"] = word(thread.name)
        script.result["values"] = _drained(script, queue)
    return script.result


@gold
def runners_travel_in_a_meta_graph(tf: Any) -> Result:
    result: Result = {}
    with tf.Graph().as_default():
        numbers = tf.FIFOQueue(9, [tf.int32], [[]], name="numbers")
        queue = _target(tf, name="batches")
        tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(numbers.dequeue() * 10)]))
        tf.add_to_collection("fill", numbers.enqueue_many([[1, 2, 3]]))
        tf.add_to_collection("end", numbers.close())
        tf.add_to_collection("one", queue.dequeue())
        meta_graph = tf.train.export_meta_graph()
    with Transcript(tf) as script:
        tf.train.import_meta_graph(meta_graph)
        script.run("fill", tf.get_collection("fill")[0])
        script.run("end", tf.get_collection("end")[0])
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(script.session, coord=coordinator)
        result["threads"] = words(sorted(thread.name for thread in threads))
        for step in range(4):
            script.run("step_{}".format(step), tf.get_collection("one")[0])
        result["stopped"] = _stop(coordinator, threads)
    result.update(script.result)
    return result


# -- start_queue_runners ---------------------------------------------------------------------


@gold
def starting_starts_every_runner_of_a_collection(tf: Any) -> Result:
    with Transcript(tf) as script:
        script.result["nothing"] = _number(len(tf.train.start_queue_runners(script.session)))
        queues = [_target(tf, capacity=1, name=name) for name in ("a", "b", "c")]
        for queue, arguments in zip(queues, [{}, {}, {"collection": "mine"}]):
            tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(1)]), **arguments)
        script.result["registered"] = _number(len(tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)))
        script.result["registered_as_mine"] = _number(len(tf.get_collection("mine")))
        coordinator = tf.train.Coordinator()
        with script.session.as_default():
            threads = tf.train.start_queue_runners(coord=coordinator)
        again = tf.train.start_queue_runners(script.session, coordinator)
        mine = tf.train.start_queue_runners(script.session, coordinator, daemon=False, start=False, collection="mine")
        for key, started in {"threads": threads, "again": again, "mine": mine}.items():
            script.result[key + ".names"] = words([thread.name for thread in started] or [""])
            script.result[key + ".daemons"] = _number([thread.daemon for thread in started])
        script.result["mine.alive"] = _number([thread.is_alive() for thread in mine])
        for thread in mine:
            thread.start()
        for name, queue in zip("abc", queues):
            script.run("one_of_" + name, queue.dequeue())
        script.result["stopped"] = _stop(coordinator, threads + mine)
    return script.result


@gold
def starting_refuses_what_tf1_refuses(tf: Any) -> Result:
    with tf.Graph().as_default():
        queue = _target(tf)
        tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(1)]))
        rows = {
            "no_session": lambda: tf.train.start_queue_runners(),
            "a_text": lambda: tf.train.start_queue_runners("x"),
            "a_number": lambda: tf.train.start_queue_runners(3),
            "a_graph": lambda: tf.train.start_queue_runners(tf.get_default_graph()),
        }
        result = {key: _outcome(call) for key, call in rows.items()}
        tf.train.create_global_step()
        with tf.train.SingularMonitoredSession() as session:
            # It has started them by itself.
            result["monitored"] = _number(len(tf.train.start_queue_runners(session)))
    return result


RUNNER_ROWS: Dict[str, Callable[[Any, Any], Any]] = {
    "nothing": lambda tf, queue: tf.train.QueueRunner(),
    "no_queue": lambda tf, queue: tf.train.QueueRunner(enqueue_ops=[queue.enqueue(1)]),
    "no_ops": lambda tf, queue: tf.train.QueueRunner(queue),
    "empty_ops": lambda tf, queue: tf.train.QueueRunner(queue, []),
    "a_proto_beside_a_queue": lambda tf, queue: tf.train.QueueRunner(
        queue, queue_runner_def=tf.train.QueueRunner(queue, [queue.enqueue(1)]).to_proto()
    ),
    "types_empty": lambda tf, queue: tf.train.QueueRunner(queue, [queue.enqueue(1)], queue_closed_exception_types=()),
    "types_a_list": lambda tf, queue: tf.train.QueueRunner(
        queue, [queue.enqueue(1)], queue_closed_exception_types=[tf.errors.OutOfRangeError]
    ),
    "types_a_class": lambda tf, queue: tf.train.QueueRunner(
        queue, [queue.enqueue(1)], queue_closed_exception_types=tf.errors.OutOfRangeError
    ),
    "types_of_python": lambda tf, queue: tf.train.QueueRunner(
        queue, [queue.enqueue(1)], queue_closed_exception_types=(ValueError,)
    ),
    "two_types_of_python": lambda tf, queue: tf.train.QueueRunner(
        queue, [queue.enqueue(1)], queue_closed_exception_types=(ValueError, KeyError)
    ),
    "types_of_numbers": lambda tf, queue: tf.train.QueueRunner(
        queue, [queue.enqueue(1)], queue_closed_exception_types=(3,)
    ),
    "a_function": lambda tf, queue: tf.train.QueueRunner(queue, [lambda: None]),
    "a_function_to_close": lambda tf, queue: tf.train.QueueRunner(queue, [queue.enqueue(1)], close_op=lambda: None),
    "a_number_for_a_proto": lambda tf, queue: tf.train.QueueRunner(queue_runner_def=3),
    "a_proto_of_no_op": lambda tf, queue: tf.train.QueueRunner.from_proto(
        tf.train.QueueRunner(queue, [queue.enqueue(1)]).to_proto(), import_scope="nowhere"
    ),
    "created_without_a_session": lambda tf, queue: tf.train.QueueRunner(queue, [queue.enqueue(1)]).create_threads(None),
    "functions_created": lambda tf, queue: tf.train.QueueRunner(queue, [lambda: None]).create_threads(tf.Session()),
}


@gold
def queue_runners_refuse_what_tf1_refuses(tf: Any) -> Result:
    return {name: error_at_call(tf, lambda call=call: call(tf, _target(tf))) for name, call in RUNNER_ROWS.items()}


# -- coordinator -----------------------------------------------------------------------------


def _report(coordinator: Any, error: Exception) -> None:
    """Reports *error* as TF1 programs do: from the handler that caught it."""
    try:
        raise error
    except Exception as caught:
        coordinator.request_stop(caught)


def _report_info(coordinator: Any, error: Exception) -> None:
    try:
        raise error
    except Exception:
        coordinator.request_stop(sys.exc_info())


@gold
def a_coordinator_raises_what_was_reported(tf: Any) -> Result:
    result: Result = {}
    end = tf.errors.OutOfRangeError(None, None, "end")
    rows: Dict[str, Callable[[Any], Any]] = {
        "nothing": lambda coordinator: coordinator.request_stop(),
        "an_error": lambda coordinator: _report(coordinator, KeyError("a")),
        "exc_info": lambda coordinator: _report_info(coordinator, KeyError("a")),
        "the_end": lambda coordinator: _report(coordinator, end),
        "the_end_as_exc_info": lambda coordinator: _report_info(coordinator, end),
        "the_first_of_two": lambda coordinator: [_report(coordinator, KeyError()), _report(coordinator, OSError())],
        "after_a_plain_stop": lambda coordinator: [coordinator.request_stop(), _report(coordinator, KeyError())],
        "after_the_end": lambda coordinator: [_report(coordinator, end), _report(coordinator, KeyError())],
        "outside_of_a_handler": lambda coordinator: coordinator.request_stop(ValueError()),
        "an_empty_exc_info": lambda coordinator: coordinator.request_stop((None, None, None)),
    }
    for key, report in rows.items():
        coordinator = tf.train.Coordinator()
        result[key + ".before"] = _number(coordinator.should_stop())
        result[key + ".reported"] = _outcome(lambda report=report, c=coordinator: report(c))
        result[key + ".should_stop"] = _number(coordinator.should_stop())
        result[key + ".requested"] = _outcome(coordinator.raise_requested_exception)
        result[key + ".joined"] = _outcome(coordinator.join)
        result[key + ".is_joined"] = _number(coordinator.joined)
    return result


@gold
def a_coordinator_raises_the_very_error(tf: Any) -> Result:
    result: Result = {}
    for key, report in {"an_error": _report, "exc_info": _report_info}.items():
        coordinator, error = tf.train.Coordinator(), KeyError("a")
        report(coordinator, error)
        try:
            coordinator.join()
        except KeyError as caught:
            result[key] = _number(caught is error)
    return result


@gold
def some_errors_are_a_clean_stop(tf: Any) -> Result:
    result: Result = {}
    end = tf.errors.OutOfRangeError(None, None, "end")
    for key, types in {
        "default": None,
        "none": [],
        "value_error": [ValueError],
        "both": (ValueError, tf.errors.OutOfRangeError),
    }.items():
        for name, error in {"end": end, "value_error": ValueError(), "key_error": KeyError()}.items():
            coordinator = tf.train.Coordinator(clean_stop_exception_types=types)
            _report(coordinator, error)
            result["{}.{}".format(key, name)] = _outcome(coordinator.join)
    return result


@gold
def a_block_that_fails_stops_the_coordinator(tf: Any) -> Result:
    result: Result = {}
    for key, error in {"error": KeyError(), "end": tf.errors.OutOfRangeError(None, None, "end"), "none": None}.items():
        coordinator = tf.train.Coordinator()

        def block(coordinator: Any = coordinator, error: Any = error) -> None:
            with coordinator.stop_on_exception():
                if error is not None:
                    raise error

        result[key + ".block"] = _outcome(block)
        result[key + ".should_stop"] = _number(coordinator.should_stop())
        coordinator.request_stop()
        result[key + ".joined"] = _outcome(coordinator.join)
    return result


@gold
def waiting_for_a_stop(tf: Any) -> Result:
    coordinator = tf.train.Coordinator()
    result = {"before": _number(coordinator.wait_for_stop(timeout=0.01))}
    waited: List[bool] = []
    thread = threading.Thread(target=lambda: waited.append(coordinator.wait_for_stop()))
    thread.start()
    coordinator.request_stop()
    thread.join()
    result["woken"] = _number(waited)
    result["after"] = _number(coordinator.wait_for_stop(timeout=0.01))
    return result


@gold
def a_stopped_coordinator_may_be_cleared(tf: Any) -> Result:
    coordinator = tf.train.Coordinator()
    _report(coordinator, KeyError())
    result = {"joined": _outcome(coordinator.join)}
    result["an_error_after_the_join"] = _outcome(lambda: _report(coordinator, OSError()))
    result["exc_info_after_the_join"] = _outcome(lambda: _report_info(coordinator, OSError()))
    result["a_stop_after_the_join"] = _outcome(coordinator.request_stop)
    result["the_end_after_the_join"] = _outcome(
        lambda: _report(coordinator, tf.errors.OutOfRangeError(None, None, "end"))
    )
    coordinator.clear_stop()
    result["should_stop"] = _number(coordinator.should_stop())
    result["is_joined"] = _number(coordinator.joined)
    result["requested"] = _outcome(coordinator.raise_requested_exception)
    _report(coordinator, OSError())
    result["joined_again"] = _outcome(coordinator.join)
    return result


@gold
def joining_waits_for_threads_given_and_registered(tf: Any) -> Result:
    result: Result = {}
    for key, with_given, with_registered in [
        ("given", True, False),
        ("registered", False, True),
        ("both", True, True),
        ("none", False, False),
    ]:
        coordinator, finished = tf.train.Coordinator(), []

        def work(coordinator: Any = coordinator, finished: List[int] = finished) -> None:
            coordinator.wait_for_stop()
            finished.append(1)

        threads = [threading.Thread(target=work) for _ in range(2)]
        for thread in threads:
            thread.start()
        if with_registered:
            coordinator.register_thread(threads[0])
        coordinator.request_stop()
        if not with_given and not with_registered:
            result[key + ".joined"] = _outcome(coordinator.join)
        else:
            given = threads[0 if not with_registered else 1 :] if with_given else None
            result[key + ".joined"] = _outcome(lambda c=coordinator, given=given: c.join(given))
            waited_for = threads if with_given else threads[:1]
            result[key + ".alive"] = _number([thread.is_alive() for thread in waited_for])
        for thread in threads:
            thread.join()
        result[key + ".finished"] = _number(len(finished))
    return result


@gold
def joining_gives_up_after_its_grace_period(tf: Any) -> Result:
    result: Result = {}
    for key, arguments, error in [
        ("default", {}, None),
        ("live_threads_ignored", {"ignore_live_threads": True}, None),
        ("an_error_comes_first", {}, KeyError()),
    ]:
        coordinator, release = tf.train.Coordinator(), threading.Event()
        thread = threading.Thread(target=release.wait, name="straggler")
        thread.start()
        if error is None:
            coordinator.request_stop()
        else:
            _report(coordinator, error)
        result[key] = _outcome(
            lambda c=coordinator, t=thread, a=arguments: c.join([t], stop_grace_period_secs=0.1, **a)
        )
        result[key + ".alive"] = _number(thread.is_alive())
        release.set()
        thread.join()
    return result


# -- looper threads --------------------------------------------------------------------------


@gold
def a_looper_thread_calls_until_it_is_told_to_stop(tf: Any) -> Result:
    result: Result = {}
    for key, interval in {"back_to_back": None, "by_the_clock": 0.001}.items():
        for with_loop in (False, True):
            coordinator, calls = tf.train.Coordinator(), []

            def target(first: Any, coordinator: Any = coordinator, calls: List[Any] = calls, last: Any = 0) -> None:
                calls.append(first + last)
                if len(calls) == 3:
                    coordinator.request_stop()

            name = "{}.{}".format(key, "loop" if with_loop else "thread")
            arguments = {"target": target, "args": (1,), "kwargs": {"last": 2}}
            if with_loop:
                looper = tf.train.LooperThread.loop(coordinator, interval, **arguments)
            else:
                looper = tf.train.LooperThread(coordinator, interval, **arguments)
                result[name + ".daemon"] = _number(looper.daemon)
                looper.start()
            # It has registered itself.
            coordinator.join(stop_grace_period_secs=JOIN_GRACE_SECONDS)
            result[name + ".calls"] = _number(calls)
            result[name + ".alive"] = _number(looper.is_alive())
            result[name + ".is_a_thread"] = _number(isinstance(looper, threading.Thread))
    return result


def _looper(tf: Any, coordinator: Any, log: List[str], fails_at: str) -> Any:
    class Looper(tf.train.LooperThread):
        def start_loop(self) -> None:
            self._log("start")

        def run_loop(self) -> None:
            self._log("run")
            if log.count("run") == 2:
                coordinator.request_stop()

        def stop_loop(self) -> None:
            self._log("stop")

        def _log(self, name: str) -> None:
            log.append(name)
            if name == fails_at:
                raise KeyError(name)

    return Looper(coordinator, None)


@gold
def a_looper_thread_starts_loops_and_stops(tf: Any) -> Result:
    result: Result = {}
    for fails_at in ("", "start", "run", "stop"):
        coordinator, log = tf.train.Coordinator(), []
        _looper(tf, coordinator, log, fails_at).start()
        result[fails_at + ".joined"] = _outcome(lambda c=coordinator: c.join(stop_grace_period_secs=20))
        result[fails_at + ".log"] = words(log)
    return result


@gold
def looper_threads_refuse_what_tf1_refuses(tf: Any) -> Result:
    coordinator = tf.train.Coordinator()
    return {
        "a_text_for_a_coordinator": _outcome(lambda: tf.train.LooperThread("x", 1)),
        "none_for_a_coordinator": _outcome(lambda: tf.train.LooperThread(None, 1)),
        "no_interval": _outcome(lambda: tf.train.LooperThread(coordinator)),
        "args_without_target": _outcome(lambda: tf.train.LooperThread(coordinator, 1, args=(1,))),
        "kwargs_without_target": _outcome(lambda: tf.train.LooperThread(coordinator, 1, kwargs={"a": 1})),
        "empty_args_without_target": _outcome(lambda: tf.train.LooperThread(coordinator, 1, args=(), kwargs={})),
    }
