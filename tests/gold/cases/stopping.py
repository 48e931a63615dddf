"""Pipelines that are stopped while they run, and what programs see of their threads.

How many batches a consumer still gets after a stop depends on the threads; that the data then end does not.
"""

from __future__ import annotations

import threading
import time
from typing import Any, Callable, Dict, List

import numpy as np

from .harness import JOIN_GRACE_SECONDS, Result, gold, kind_of, word, words

__all__: list[str] = []

PATIENCE_SECONDS = 20
# More than any queue here holds.
MANY_STEPS = 200


def _numbers(tf: Any, limit: int = 1000, **arguments: Any) -> Any:
    return tf.train.range_input_producer(limit, shuffle=False, **arguments).dequeue()


def _pipelines(tf: Any) -> Dict[str, Callable[[], Any]]:
    """One of each kind of queue, with several threads where there may be some."""
    numbers = lambda: _numbers(tf)
    return {
        "batch": lambda: tf.train.batch([numbers()], 4, num_threads=3),
        "enqueue_many": lambda: tf.train.batch([tf.stack([numbers()] * 3)], 4, enqueue_many=True),
        "padded": lambda: tf.train.batch([tf.range(numbers() % 5)], 4, dynamic_pad=True, name="padded"),
        "batch_join": lambda: tf.train.batch_join([[numbers()], [numbers()]], 4),
        "shuffle_batch": lambda: tf.train.shuffle_batch([numbers()], 4, 30, 10),
        "shuffle_batch_join": lambda: tf.train.shuffle_batch_join([[numbers()], [numbers()]], 4, 30, 10),
    }


class _Program:
    """A session in a graph of its own, whose runners are started."""

    def __init__(self, tf: Any, build: Callable[[], Any]) -> None:
        self.tf, self._build = tf, build

    def __enter__(self) -> "_Program":
        tf = self.tf
        self._in_graph = tf.Graph().as_default()
        self._in_graph.__enter__()
        self.tensor = self._build()
        self.session = tf.Session(config=tf.ConfigProto(operation_timeout_in_ms=PATIENCE_SECONDS * 1000))
        self.session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        self.coordinator = tf.train.Coordinator()
        self.threads = tf.train.start_queue_runners(self.session, self.coordinator)
        return self

    def __exit__(self, *error: Any) -> None:
        self.coordinator.request_stop()
        self.session.close()
        self._in_graph.__exit__(*error)

    def run_until_the_end(self, steps: int = MANY_STEPS) -> str:
        """The type of the error that ends the steps; empty if none does."""
        try:
            for _ in range(steps):
                self.session.run(self.tensor)
        except self.tf.errors.OpError as error:
            return kind_of(error)
        return ""

    def join(self) -> str:
        try:
            self.coordinator.join(self.threads, stop_grace_period_secs=JOIN_GRACE_SECONDS)
        except Exception as error:
            return "!" + kind_of(error)
        return "alive" if any(thread.is_alive() for thread in self.threads) else "joined"


@gold
def runners_of_pipelines_are_named_as_they_were(tf: Any) -> Result:
    result: Result = {}
    for key, build in _pipelines(tf).items():
        with tf.Graph().as_default():
            build(), build()
            for number, runner in enumerate(tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)):
                result["{}.{}".format(key, number)] = words(
                    [runner.name, runner.queue.name, runner.close_op.name, runner.cancel_op.name]
                    + [op.name for op in runner.enqueue_ops]
                    + [kind.__name__ for kind in runner.queue_closed_exception_types]
                )
    return result


@gold
def a_started_pipeline_has_a_thread_for_each_enqueue_op(tf: Any) -> Result:
    result: Result = {}
    for key, build in _pipelines(tf).items():
        with _Program(tf, build) as program:
            result[key + ".names"] = words([thread.name for thread in program.threads])
            result[key + ".daemons"] = np.array([thread.daemon for thread in program.threads])
            result[key + ".alive"] = np.array([thread.is_alive() for thread in program.threads])
            result[key + ".again"] = np.array(len(tf.train.start_queue_runners(program.session)))
            program.coordinator.request_stop()
            result[key + ".join"] = word(program.join())
    return result


@gold
def threads_that_were_not_started_are_started_by_the_program(tf: Any) -> Result:
    result: Result = {}
    with tf.Graph().as_default(), tf.Session() as session:
        batch = tf.train.batch([_numbers(tf)], 4, num_threads=2)
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coordinator, daemon=False, start=False)
        result["names"] = words([thread.name for thread in threads])
        result["daemons"] = np.array([thread.daemon for thread in threads])
        result["alive"] = np.array([thread.is_alive() for thread in threads])
        for thread in threads:
            thread.start()
        result["rows"] = np.array(len(session.run(batch)))
        coordinator.request_stop()
        coordinator.join(threads, stop_grace_period_secs=JOIN_GRACE_SECONDS)
        result["alive_after"] = np.array([thread.is_alive() for thread in threads])
    return result


@gold
def a_stop_ends_a_pipeline_for_every_consumer(tf: Any) -> Result:
    """By a call, from a timer, and by an exception; with a consumer in another thread."""
    result: Result = {}
    stops: Dict[str, Callable[[Any], None]] = {
        "call": lambda coordinator: coordinator.request_stop(),
        "timer": lambda coordinator: threading.Timer(0.01, coordinator.request_stop).start(),
        "exception": _stopped_by_an_exception,
    }
    for kind, stop in stops.items():
        for key, build in _pipelines(tf).items():
            with _Program(tf, build) as program:
                program.session.run(program.tensor)
                endings: List[str] = []
                consumer = threading.Thread(target=lambda: endings.append(_consumed(program)))  # noqa: B023
                consumer.start()
                stop(program.coordinator)
                consumer.join(PATIENCE_SECONDS)
                name = "{}.{}".format(kind, key)
                result[name + ".consumer"] = words(endings)
                result[name + ".join"] = word(program.join())
                result[name + ".after"] = word(program.run_until_the_end())
    return result


def _stopped_by_an_exception(coordinator: Any) -> None:
    with coordinator.stop_on_exception():
        raise KeyError("the program's own")


def _consumed(program: _Program) -> str:
    while True:
        ending = program.run_until_the_end()
        if ending:
            return ending


@gold
def a_pipeline_that_is_started_again_after_a_stop_fails(tf: Any) -> Result:
    result: Result = {}
    for key, build in _pipelines(tf).items():
        with _Program(tf, build) as program:
            program.session.run(program.tensor)
            program.coordinator.request_stop()
            result[key + ".first"] = word(program.join())
            program.run_until_the_end()
            program.coordinator = tf.train.Coordinator()
            program.threads = tf.train.start_queue_runners(program.session, program.coordinator)
            result[key + ".threads"] = words([thread.name for thread in program.threads])
            result[key + ".stops"] = np.array(program.coordinator.wait_for_stop(PATIENCE_SECONDS))
            result[key + ".second"] = word(program.join())
            result[key + ".run"] = word(program.run_until_the_end())
    return result


@gold
def an_error_in_a_pipeline_stops_the_coordinator(tf: Any) -> Result:
    """A loop that shrugs errors off ends all the same, and joining says what was wrong."""

    def fails_at(number: int) -> Any:
        x = _numbers(tf)
        with tf.control_dependencies([tf.Assert(tf.less(x, number), ["too much"])]):
            checked = tf.identity(x)
        return tf.train.batch([checked], 2)

    result: Result = {}
    builds: Dict[str, Callable[[], Any]] = {
        "assert": lambda: fails_at(6),
        "missing_file": lambda: tf.train.batch([tf.read_file(tf.train.string_input_producer(["/no"]).dequeue())], 2),
        "end_of_data": lambda: tf.train.batch([_numbers(tf, 6, num_epochs=1)], 2),
    }
    for key, build in builds.items():
        with _Program(tf, build) as program:
            deadline, kinds = time.time() + PATIENCE_SECONDS, []
            while not program.coordinator.should_stop() and time.time() < deadline:
                try:
                    program.session.run(program.tensor)
                except Exception as error:
                    kinds.append(kind_of(error))
                    if kinds[-1] == "OutOfRangeError" and key == "end_of_data":
                        program.coordinator.request_stop()
            result[key + ".stops"] = np.array(program.coordinator.should_stop())
            result[key + ".join"] = word(program.join())
            result[key + ".after"] = word(program.run_until_the_end())
    return result


@gold
def queue_calls_after_the_start_work(tf: Any) -> Result:
    """``dequeue``, ``size`` and ``close`` of a producer's queue whose elements already flow."""
    result: Result = {}
    producers: Dict[str, Callable[[], Any]] = {
        "strings": lambda: tf.train.string_input_producer(["a", "b", "c"], shuffle=False, capacity=7),
        "range": lambda: tf.train.range_input_producer(5, shuffle=False, capacity=7, num_epochs=3),
        "rows": lambda: tf.train.input_producer([[1, 2], [3, 4]], shuffle=False, capacity=7),
    }
    for key, build in producers.items():
        queues: List[Any] = []
        with _Program(tf, lambda: queues.append(build())) as program:  # noqa: B023
            run, queue = program.session.run, queues[0]
            result[key + ".names"] = words([queue.name] + [queue.dequeue().name for _ in range(2)])
            result[key + ".one_by_one"] = _plain([run(queue.dequeue()) for _ in range(4)])
            result[key + ".many"] = _plain(run(queue.dequeue_many(3)))
            result[key + ".up_to"] = _plain(run(queue.dequeue_up_to(3)))
            result[key + ".is_closed"] = np.array(run(queue.is_closed()))
            deadline = time.time() + PATIENCE_SECONDS
            size = queue.size()
            least = 5 if key == "range" else 7
            while run(size) < least and time.time() < deadline:
                time.sleep(0.01)
            result[key + ".size"] = np.array(run(size))
            run(queue.close(cancel_pending_enqueues=True))
            result[key + ".closed"] = np.array(run(queue.is_closed()))
            element = queue.dequeue()
            rest = []
            try:
                for _ in range(MANY_STEPS):
                    rest.append(run(element))
            except tf.errors.OutOfRangeError:
                result[key + ".ended"] = np.array(True)
            result[key + ".rest"] = _plain(rest)
    return result


@gold
def ops_of_queues_are_found_by_their_names(tf: Any) -> Result:
    result: Result = {}
    for key, build in _pipelines(tf).items():
        with _Program(tf, build) as program:
            graph = program.session.graph
            names = [runner.queue.name for runner in tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)]
            sizes = [name for name in (_size_name(name) for name in names) if _has(graph, name)]
            result[key + ".sizes"] = words(sizes)
            values = [program.session.run(name + ":0") for name in sizes]
            result[key + ".types"] = words([value.dtype.name for value in values])
            result[key + ".in_range"] = np.array([0 <= value <= 32 for value in values])
            runner = tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)[-1]
            program.session.run(runner.cancel_op.name)
            result[key + ".cancelled"] = word(program.run_until_the_end())
    return result


def _plain(value: Any) -> np.ndarray:
    array = np.asarray(value)
    return array if array.dtype.kind in "biuf" else array.astype(np.bytes_)


def _size_name(queue: str) -> str:
    """The name of the size op of *queue*, whose name scope is its own name where it is a producer's."""
    leaf = queue.rpartition("/")[2]
    return "{}/{}_Size".format(queue.rpartition("/")[0] or queue, leaf)


def _has(graph: Any, name: str) -> bool:
    try:
        graph.get_operation_by_name(name)
    except KeyError:
        return False
    return True


@gold
def the_end_of_a_pipeline_says_what_it_said(tf: Any) -> Result:
    result: Result = {}
    for key, epochs, arguments in [
        ("batch", 1, {}),
        ("padded", 1, {"dynamic_pad": True}),
    ]:
        with _Program(
            tf,
            lambda: tf.train.batch([_numbers(tf, 6, num_epochs=epochs)], 4, **arguments),  # noqa: B023
        ) as program:
            program.session.run(program.tensor)
            try:
                program.session.run(program.tensor)
            except tf.errors.OutOfRangeError as error:
                message = error.message.split(" (requested")[0].split("'")
                result[key + ".says"] = words([message[0].split()[-1], message[2]])
                result[key + ".queue"] = word(message[1].split("_", 2)[2])
                result[key + ".op"] = words([error.op.name, str(error.error_code)])
    return result
