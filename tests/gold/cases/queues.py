"""Queues that the program makes itself: every class, argument and method, and the rules of closing.

A case is a transcript: it runs one call after the other in one session, and each result, a value or the type of an
error, is an array. A call that would block forever has a short deadline, so ``DeadlineExceededError`` in a recording
means that it waits.
"""

from __future__ import annotations

import threading
import time
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

import numpy as np

from .harness import Result, dtype_name, error_at_call, gold, kind_of, static_shape, word, words

__all__ = ["Transcript", "wait_until"]

OPERATION_TIMEOUT_MS = 20000
BLOCKED_AFTER_MS = 300
LONG_SECONDS = 60


class Transcript:
    """One session, and everything that was run in it, as arrays."""

    def __init__(self, tf: Any) -> None:
        self.tf = tf
        self.result: Result = {}

    def __enter__(self) -> Transcript:
        self._in_graph = self.tf.Graph().as_default()
        self._in_graph.__enter__()
        config = self.tf.ConfigProto(operation_timeout_in_ms=OPERATION_TIMEOUT_MS)
        self.session = self.tf.Session(config=config)
        return self

    def __exit__(self, *error: Any) -> None:
        self.session.close()
        self._in_graph.__exit__(*error)

    def run(self, key: str, fetches: Any, feed: Optional[Dict[Any, Any]] = None) -> Any:
        """Runs *fetches* and notes under *key* what they give, or the type of their error."""
        return self._note(key, fetches, feed, None)

    def run_blocked(self, key: str, fetches: Any, feed: Optional[Dict[Any, Any]] = None) -> Any:
        """The same for what is expected to wait for ever."""
        return self._note(key, fetches, feed, self.tf.RunOptions(timeout_in_ms=BLOCKED_AFTER_MS))

    def _note(self, key: str, fetches: Any, feed: Any, options: Any) -> Any:
        try:
            value = self.session.run(fetches, feed_dict=feed, options=options)
        except Exception as error:
            self.result[key] = word("!" + kind_of(error))
            return None
        for name, part in _parts(key, value):
            self.result[name] = part
        return value


def _parts(key: str, value: Any) -> Iterator[Tuple[str, np.ndarray]]:
    if isinstance(value, dict):
        yield key + ".keys", words(list(value))
        for name, part in value.items():
            yield "{}.{}".format(key, name), _plain(part)
    elif isinstance(value, (list, tuple)):
        for position, part in enumerate(value):
            yield "{}.{}".format(key, position), _plain(part)
    else:
        yield key, _plain(value)


def _plain(value: Any) -> np.ndarray:
    array = np.asarray(word("done") if value is None else value)
    return array if array.dtype != object else array.astype(np.bytes_)


def wait_until(holds: Callable[[], bool]) -> None:
    """Runs *holds* until it is so: what a session does in another thread has no event to wait for."""
    deadline = time.time() + LONG_SECONDS
    while not holds():
        if time.time() > deadline:
            raise AssertionError("waited in vain")


def _in_background(run: Callable[[], Any]) -> Tuple[threading.Thread, List[str]]:
    """A started thread that runs *run*, and the list that gets its outcome."""
    outcome: List[str] = []

    def work() -> None:
        try:
            run()
            outcome.append("done")
        except Exception as error:
            outcome.append("!" + kind_of(error))

    thread = threading.Thread(target=work)
    thread.start()
    return thread, outcome


def _kinds(tf: Any) -> Dict[str, Any]:
    """A queue of each class, of scalar int32 elements (the priority queue's have a priority too)."""
    return {
        "fifo": tf.FIFOQueue(10, [tf.int32], [[]]),
        "padding": tf.PaddingFIFOQueue(10, [tf.int32], [[]]),
        "random": tf.RandomShuffleQueue(10, 0, [tf.int32], [[]], seed=1),
        "priority": tf.PriorityQueue(10, [tf.int32], [[]]),
    }


def _rows(kind: str, values: List[int]) -> List[Any]:
    """*values* for ``enqueue_many``; in the priority queue each is its own priority."""
    column = np.array(values, np.int32)
    return [column.astype(np.int64), column] if kind == "priority" else [column]


# -- what a queue knows about itself ---------------------------------------------------------


@gold
def a_queue_knows_its_types_shapes_and_names(tf: Any) -> Result:
    result: Result = {}
    with tf.Graph().as_default():
        pair = [tf.int32, tf.string]
        queues = {
            "fifo": tf.FIFOQueue(3, pair, [[2], []], names=["number", "text"]),
            "fifo_bare": tf.FIFOQueue(3, tf.float32),
            "fifo_of_one_shape": tf.FIFOQueue(3, tf.float32, shapes=tf.TensorShape([2, 3])),
            "fifo_of_one_list": tf.FIFOQueue(3, tf.float32, shapes=[2, 3]),
            "padding": tf.PaddingFIFOQueue(3, pair, [[None, 2], []], names=["number", "text"]),
            "random": tf.RandomShuffleQueue(3, 1, pair, [[2], []], names=["number", "text"]),
            "priority": tf.PriorityQueue(3, pair, [[2], []], names=["when", "number", "text"]),
            "priority_by_keyword": tf.PriorityQueue(capacity=3, types=tf.int64, shapes=[[]]),
        }
        for key, queue in queues.items():
            result[key + ".dtypes"] = words([dtype.name for dtype in queue.dtypes])
            result[key + ".shapes"] = words([_text_of(shape) for shape in queue.shapes])
            result[key + ".names"] = words(queue.names or ["none"])
            result[key + ".name"] = word(queue.name)
            result[key + ".op"] = word(queue.queue_ref.op.type)
            result[key + ".handle"] = dtype_name(queue.queue_ref.dtype)
            result[key + ".is_a_queue"] = np.array(isinstance(queue, tf.QueueBase))
    return result


def _text_of(shape: Any) -> str:
    if shape.ndims is None:
        return "unknown"
    return ",".join("?" if dimension is None else str(dimension) for dimension in shape.as_list())


@gold
def queue_ops_keep_tf1s_names(tf: Any) -> Result:
    result: Result = {}
    with tf.Graph().as_default():
        makers = {
            "fifo": tf.FIFOQueue,
            "padding": tf.PaddingFIFOQueue,
            "random": lambda capacity, *rest, **named: tf.RandomShuffleQueue(capacity, 0, *rest, **named),
            "priority": tf.PriorityQueue,
        }
        for kind, make in makers.items():
            with tf.name_scope("scope"):
                for name in (None, "mine"):
                    queue = make(3, [tf.int32], [[]], **({} if name is None else {"name": name}))
                    enqueued = _rows(kind, [1, 2])
                    names = [queue.name, queue.enqueue([column[0] for column in enqueued]).name]
                    names.append(queue.enqueue_many(enqueued).name)
                    names += [_first(queue.dequeue()).name, _first(queue.dequeue_many(2)).name]
                    names += [_first(queue.dequeue_up_to(2)).name, queue.size().name, queue.is_closed().name]
                    names += [queue.close().name, queue.close(cancel_pending_enqueues=True).name]
                    names += [queue.size(name="how_many").name, _first(queue.dequeue(name="next")).name]
                    result["{}.{}".format(kind, name)] = words(names)
    return result


def _first(tensors: Any) -> Any:
    return tensors[0] if isinstance(tensors, (list, tuple)) else tensors


@gold
def dequeued_tensors_have_static_shapes(tf: Any) -> Result:
    result: Result = {}
    with tf.Graph().as_default():
        count = tf.placeholder(tf.int32, [])
        queues = {
            "known": tf.FIFOQueue(3, [tf.float32], [[2, 3]]),
            "unknown": tf.FIFOQueue(3, [tf.float32]),
            "padded": tf.PaddingFIFOQueue(3, [tf.float32], [[2, None]]),
            "random": tf.RandomShuffleQueue(3, 0, [tf.float32], [[2]]),
        }
        for key, queue in queues.items():
            result[key + ".one"] = static_shape(queue.dequeue())
            result[key + ".many"] = static_shape(queue.dequeue_many(2))
            result[key + ".as_many_as_fed"] = static_shape(queue.dequeue_many(count))
            result[key + ".up_to"] = static_shape(queue.dequeue_up_to(2))
    return result


# -- elements --------------------------------------------------------------------------------


@gold
def a_queue_gives_its_elements_in_order(tf: Any) -> Result:
    with Transcript(tf) as script:
        for kind in ("fifo", "padding"):
            queue = _kinds(tf)[kind]
            value = tf.placeholder(tf.int32, [])
            enqueue = queue.enqueue(value)
            for number in (5, 3, 4):
                script.run("{}.enqueue_{}".format(kind, number), enqueue, {value: number})
            script.run(kind + ".enqueue_many", queue.enqueue_many([[9, 8, 7]]))
            script.run(kind + ".enqueue_none", queue.enqueue_many([np.zeros(0, np.int32)]))
            script.run(kind + ".size", queue.size())
            script.run(kind + ".first", queue.dequeue())
            script.run(kind + ".no_elements", queue.dequeue_many(0))
            script.run(kind + ".no_elements_at_most", queue.dequeue_up_to(0))
            script.run(kind + ".two", queue.dequeue_many(2))
            script.run(kind + ".at_most_two", queue.dequeue_up_to(2))
            script.run(kind + ".size_at_the_end", queue.size())
            script.run(kind + ".is_closed", queue.is_closed())
    return script.result


@gold
def every_type_goes_through_a_queue_unchanged(tf: Any) -> Result:
    values = {
        "float16": np.array([1.5, -0.0], np.float16),
        "float32": np.array([1.5, np.nan], np.float32),
        "float64": np.array([1e300, -0.0]),
        "int8": np.array([-128, 127], np.int8),
        "uint8": np.array([0, 255], np.uint8),
        "int16": np.array([-5, 5], np.int16),
        "uint16": np.array([0, 65535], np.uint16),
        "int32": np.array([-7, 7], np.int32),
        "int64": np.array([-(2**62), 2**62]),
        "bool": np.array([True, False]),
        "complex64": np.array([1 + 2j, 0], np.complex64),
        "string": np.array([b"a\0b", b""], object),
    }
    with Transcript(tf) as script:
        for name, value in values.items():
            queue = tf.FIFOQueue(2, [name])
            script.run(name + ".enqueue", queue.enqueue(tf.constant(value)))
            given = script.session.run(queue.dequeue())
            script.result[name] = given.astype(np.bytes_) if given.dtype == object else given
    return script.result


@gold
def elements_of_a_queue_without_shapes_may_differ(tf: Any) -> Result:
    with Transcript(tf) as script:
        for kind, queue in [
            ("fifo", tf.FIFOQueue(9, [tf.int32])),
            ("random", tf.RandomShuffleQueue(9, 0, [tf.int32], seed=2)),
        ]:
            for length in (2, 0, 3):
                script.run("{}.enqueue_{}".format(kind, length), queue.enqueue([tf.range(length)]))
            script.run(kind + ".enqueue_many", queue.enqueue_many([np.ones((2, 2, 2), np.int32)]))
            for position in range(3):
                script.run("{}.{}".format(kind, position), queue.dequeue())
            script.run(kind + ".many", queue.dequeue_many(1))
            script.run(kind + ".up_to", queue.dequeue_up_to(1))
    return script.result


@gold
def components_stay_together_and_come_back_as_a_list(tf: Any) -> Result:
    with Transcript(tf) as script:
        queue = tf.FIFOQueue(9, [tf.int32, tf.string], [[], [2]])
        script.run("enqueue", queue.enqueue((1, ["a", "b"])))
        script.run("enqueue_many", queue.enqueue_many([[2, 3], [["c", "d"], ["e", "f"]]]))
        script.run("one", queue.dequeue())
        script.run("many", queue.dequeue_many(2))
        script.result["kind"] = word(type(queue.dequeue()).__name__)
        script.result["kind_of_many"] = word(type(queue.dequeue_many(2)).__name__)
        script.run("a_missing_component", queue.enqueue([4]))
        script.run("a_component_too_much", queue.enqueue([4, ["g", "h"], 5]))
    return script.result


@gold
def named_components_are_dicts(tf: Any) -> Result:
    with Transcript(tf) as script:
        names = ["z", "a"]
        types = [tf.int32, tf.string]
        queues = {
            "fifo": tf.FIFOQueue(9, types, [[], []], names=names),
            "padding": tf.PaddingFIFOQueue(9, types, [[], []], names=names),
            "random": tf.RandomShuffleQueue(9, 0, types, [[], []], names=names, seed=3),
            "fifo_of_one": tf.FIFOQueue(9, [tf.int32], [[]], names="z"),
        }
        for kind, queue in queues.items():
            one = {"a": "one", "z": 1} if "of_one" not in kind else {"z": 1}
            many = {"a": ["two", "three"], "z": [2, 3]} if "of_one" not in kind else {"z": [2, 3]}
            script.run(kind + ".enqueue", queue.enqueue(one))
            script.run(kind + ".enqueue_many", queue.enqueue_many(many))
            script.run(kind + ".one", queue.dequeue())
            script.run(kind + ".many", queue.dequeue_many(1))
            script.run(kind + ".close", queue.close())
            script.run(kind + ".up_to", queue.dequeue_up_to(5))
        queue = tf.PriorityQueue(9, [tf.string], [[]], names=["when", "what"])
        script.run("priority.late", queue.enqueue({"when": tf.constant(7, tf.int64), "what": "late"}))
        script.run("priority.early", queue.enqueue({"what": "early", "when": tf.constant(2, tf.int64)}))
        script.run("priority.first", queue.dequeue())
    return script.result


@gold
def a_padding_queue_pads_its_batches_only(tf: Any) -> Result:
    with Transcript(tf) as script:
        types = [tf.float32, tf.string, tf.bool, tf.int32]
        queue = tf.PaddingFIFOQueue(9, types, [[None], [None], [None], [None, 2, None]])
        for length in (1, 3, 0, 2, 4):
            rows = tf.fill([length, 2, length], length)
            texts = tf.as_string(tf.range(length))
            element = [tf.ones([length]), texts, tf.ones([length], tf.bool), rows]
            script.run("enqueue_{}".format(length), queue.enqueue(element))
        script.run("one", queue.dequeue())
        script.run("two", queue.dequeue_many(2))
        script.run("close", queue.close())
        script.run("rest", queue.dequeue_up_to(5))
        fixed = tf.PaddingFIFOQueue(9, [tf.int32], [[2, None]])
        script.run("of_another_rank", fixed.enqueue(tf.placeholder_with_default([1, 2], shape=None)))
        script.run("of_another_height", fixed.enqueue(tf.placeholder_with_default([[1, 2]], shape=None)))
        script.run("enqueue_blocks", fixed.enqueue_many([np.ones((2, 2, 3), np.int32)]))
        script.run("enqueue_a_short_one", fixed.enqueue([[[1], [2]]]))
        script.run("three", fixed.dequeue_many(3))
    return script.result


# -- random order ----------------------------------------------------------------------------


def _shuffled(script: Transcript, key: str, queue: Any, count: int, closed: bool = True) -> None:
    """Fills *queue* with 0 .. count - 1, then takes them by ones, then by fours, then what is left."""
    script.run(key + ".fill", queue.enqueue_many([np.arange(count)]))
    if closed:
        script.run(key + ".close", queue.close())
    one, four, rest = queue.dequeue(), queue.dequeue_many(4), queue.dequeue_up_to(count)
    script.result[key + ".ones"] = np.array([script.session.run(one) for _ in range(5)])
    script.run(key + ".four", four)
    if closed:
        script.run(key + ".rest", rest)


@gold
def a_seeded_random_queue_draws_bit_for_bit(tf: Any) -> Result:
    with Transcript(tf) as script:
        for seed in (0, 1, 7, 2**31 - 1, -3):
            _shuffled(script, "seed_{}".format(seed), tf.RandomShuffleQueue(64, 0, [tf.int64], [[]], seed=seed), 20)
        _shuffled(script, "small", tf.RandomShuffleQueue(11, 3, [tf.int64], [[]], seed=5), 11)
    return script.result


@gold
def a_seed_of_the_graph_takes_part_in_a_random_queues_draws(tf: Any) -> Result:
    with Transcript(tf) as script:
        tf.set_random_seed(12)
        _shuffled(script, "both", tf.RandomShuffleQueue(64, 0, [tf.int64], [[]], seed=5), 20)
        _shuffled(script, "by_shared_name", tf.RandomShuffleQueue(64, 0, [tf.int64], [[]], shared_name="pool"), 20)
    return script.result


@gold
def a_random_queue_that_is_refilled_draws_bit_for_bit(tf: Any) -> Result:
    """Taking and filling by turns, as ``shuffle_batch`` did while its pool was full."""
    with Transcript(tf) as script:
        queue = tf.RandomShuffleQueue(8, 4, [tf.int64], [[]], seed=9)
        value = tf.placeholder(tf.int64, [None])
        fill, four = queue.enqueue_many([value]), queue.dequeue_many(4)
        script.session.run(fill, {value: np.arange(8)})
        for turn in range(1, 5):
            script.run("turn_{}".format(turn), four)
            script.session.run(fill, {value: np.arange(4) + 4 + 4 * turn})
    return script.result


@gold
def a_random_queue_keeps_its_minimum_until_it_is_closed(tf: Any) -> Result:
    with Transcript(tf) as script:
        queue = tf.RandomShuffleQueue(10, 4, [tf.int64], [[]], seed=6)
        script.run("fill", queue.enqueue_many([np.arange(6)]))
        script.run("two", queue.dequeue_many(2))
        script.run_blocked("one_below_the_minimum", queue.dequeue())
        script.run_blocked("at_most_three_below_the_minimum", queue.dequeue_up_to(3))
        script.run("size", queue.size())
        script.run("close", queue.close())
        script.run("three_once_closed", queue.dequeue_many(3))
        script.run("rest", queue.dequeue_up_to(3))
    return script.result


# -- priority --------------------------------------------------------------------------------


@gold
def a_priority_queue_gives_the_smallest_first(tf: Any) -> Result:
    with Transcript(tf) as script:
        queue = tf.PriorityQueue(20, [tf.string, tf.int32], [[], [2]])
        priorities = np.array([5, -3, 2**40, 0, 4, -(2**40)])
        texts = [str(priority) for priority in priorities]
        pairs = np.arange(12).reshape(6, 2)
        script.run("enqueue_many", queue.enqueue_many([priorities, texts, pairs]))
        script.run("enqueue", queue.enqueue((tf.constant(1, tf.int64), "1", [98, 99])))
        script.run("first", queue.dequeue())
        script.run("three", queue.dequeue_many(3))
        script.run("a_newcomer", queue.enqueue((tf.constant(-9, tf.int64), "-9", [0, 0])))
        script.run("at_most_two", queue.dequeue_up_to(2))
        script.run("size", queue.size())
    return script.result


@gold
def a_closed_priority_queue_loses_what_is_too_little(tf: Any) -> Result:
    with Transcript(tf) as script:
        for method in ("dequeue_up_to", "dequeue_many"):
            queue = tf.PriorityQueue(9, [tf.int32], [[]])
            script.run(method + ".fill", queue.enqueue_many(_rows("priority", [3, 1, 2])))
            script.run(method + ".close", queue.close())
            script.run(method + ".too_many", getattr(queue, method)(5))
            script.run(method + ".size", queue.size())
            script.run(method + ".one", queue.dequeue())
            exact = tf.PriorityQueue(9, [tf.int32], [[]])
            script.run(method + ".fill_exactly", exact.enqueue_many(_rows("priority", [3, 1, 2])))
            script.run(method + ".close_exact", exact.close())
            script.run(method + ".exactly", getattr(exact, method)(3))
    return script.result


# -- closing ---------------------------------------------------------------------------------


@gold
def a_closed_queue_gives_what_it_holds_and_takes_nothing(tf: Any) -> Result:
    with Transcript(tf) as script:
        for kind, queue in _kinds(tf).items():
            script.run(kind + ".fill", queue.enqueue_many(_rows(kind, [0, 1, 2, 3, 4])))
            script.run(kind + ".open", queue.is_closed())
            script.run(kind + ".close", queue.close())
            script.run(kind + ".closed", queue.is_closed())
            script.run(kind + ".close_again", queue.close())
            script.run(kind + ".enqueue", queue.enqueue([column[0] for column in _rows(kind, [9])]))
            script.run(kind + ".enqueue_many", queue.enqueue_many(_rows(kind, [8, 9])))
            script.run(kind + ".enqueue_none", queue.enqueue_many(_rows(kind, [])))
            script.run(kind + ".size", queue.size())
            script.run(kind + ".two", queue.dequeue_many(2))
            script.run(kind + ".one", queue.dequeue())
            script.run(kind + ".cancel", queue.close(cancel_pending_enqueues=True))
            script.run(kind + ".another", queue.dequeue())
            if kind != "priority":
                script.run(kind + ".more_than_there_are", queue.dequeue_many(2))
                script.run(kind + ".at_most", queue.dequeue_up_to(2))
            else:
                script.run(kind + ".at_most", queue.dequeue_up_to(1))
            script.run(kind + ".at_most_of_nothing", queue.dequeue_up_to(2))
            script.run(kind + ".none_of_nothing", queue.dequeue_many(0))
            script.run(kind + ".nothing", queue.dequeue())
    return script.result


@gold
def a_queue_that_was_cancelled_still_gives_what_it_holds(tf: Any) -> Result:
    with Transcript(tf) as script:
        for kind, queue in _kinds(tf).items():
            script.run(kind + ".fill", queue.enqueue_many(_rows(kind, [4, 5])))
            script.run(kind + ".cancel", queue.close(cancel_pending_enqueues=True))
            script.run(kind + ".enqueue", queue.enqueue([column[0] for column in _rows(kind, [9])]))
            script.run(kind + ".is_closed", queue.is_closed())
            script.run(kind + ".one", queue.dequeue())
            script.run(kind + ".last", queue.dequeue_up_to(1))
            script.run(kind + ".nothing", queue.dequeue())
    return script.result


@gold
def a_full_queue_and_an_empty_one_wait(tf: Any) -> Result:
    """Who gives up in the midst of a block has enqueued some rows, or dequeued some that are lost."""
    with Transcript(tf) as script:
        queue = tf.FIFOQueue(2, [tf.int32], [[]])
        script.run_blocked("empty", queue.dequeue())
        script.run_blocked("empty_at_most", queue.dequeue_up_to(2))
        script.run("enqueue", queue.enqueue(1))
        script.run_blocked("too_few", queue.dequeue_many(2))
        script.run("size_after_too_few", queue.size())
        script.run_blocked("a_block_too_large", queue.enqueue_many([[2, 3, 4]]))
        script.run("size_of_full", queue.size())
        script.run_blocked("full", queue.enqueue(9))
        script.run("both", queue.dequeue_many(2))
        script.run("size_at_the_end", queue.size())
        none = tf.FIFOQueue(0, [tf.int32], [[]])
        script.run_blocked("no_capacity", none.enqueue(1))
        endless = tf.FIFOQueue(-1, [tf.int32], [[]])
        script.run("endless", endless.enqueue_many([np.arange(1000)]))
        script.run("size_of_endless", endless.size())
    return script.result


@gold
def closing_frees_those_who_wait(tf: Any) -> Result:
    """``close`` comes after the enqueues that wait; cancelling fails them. Either fails waiting dequeues."""
    with Transcript(tf) as script:
        run = script.session.run
        for kind, capacity_two in [
            ("fifo", lambda: tf.FIFOQueue(2, [tf.int32], [[]])),
            ("padding", lambda: tf.PaddingFIFOQueue(2, [tf.int32], [[]])),
            ("random", lambda: tf.RandomShuffleQueue(2, 0, [tf.int32], [[]], seed=1)),
            ("priority", lambda: tf.PriorityQueue(2, [tf.int32], [[]])),
        ]:
            for is_cancelled in (False, True):
                key = "{}.{}".format(kind, "cancelled" if is_cancelled else "closed")
                queue = capacity_two()
                size, block = queue.size(), queue.enqueue_many(_rows(kind, [1, 2, 3, 4]))
                thread, outcome = _in_background(lambda block=block: run(block))
                # Two of the four rows are in: the block waits with the others.
                wait_until(lambda size=size: run(size) == 2)
                close = queue.close(cancel_pending_enqueues=is_cancelled)
                closer, of_closer = _in_background(lambda close=close: run(close))
                if is_cancelled:
                    closer.join()
                taken = []
                one = queue.dequeue()
                try:
                    while True:
                        taken.append(_last(run(one)))
                except tf.errors.OutOfRangeError:
                    pass
                thread.join()
                closer.join()
                script.result[key + ".close"] = word(of_closer[0])
                script.result[key + ".block"] = word(outcome[0])
                script.result[key + ".taken"] = np.array(sorted(taken))
                queue = capacity_two()
                one = _first(queue.dequeue())
                thread, outcome = _in_background(lambda one=one: run(one))
                script.run(key + ".close_empty", queue.close(cancel_pending_enqueues=is_cancelled))
                thread.join()
                script.result[key + ".dequeue"] = word(outcome[0])
    return script.result


def _last(parts: Any) -> Any:
    return parts[-1] if isinstance(parts, (list, tuple)) else parts


@gold
def closing_the_session_frees_those_who_wait(tf: Any) -> Result:
    result: Result = {}
    with tf.Graph().as_default():
        full, empty = tf.FIFOQueue(1, [tf.int32], [[]]), tf.FIFOQueue(1, [tf.int32], [[]])
        block, size, one = full.enqueue_many([[1, 2]]), full.size(), empty.dequeue()
        session = tf.Session()
        filler, of_filler = _in_background(lambda: session.run(block))
        taker, of_taker = _in_background(lambda: session.run(one))
        wait_until(lambda: session.run(size) == 1)
        session.close()
        filler.join()
        taker.join()
        result["enqueue"] = word(of_filler[0])
        # The taker may come when the session is closed already.
        result["dequeue_failed"] = np.array(of_taker[0] in ("!CancelledError", "!RuntimeError"))
    return result


# -- several at once -------------------------------------------------------------------------


@gold
def threads_that_feed_a_queue_lose_nothing(tf: Any) -> Result:
    with Transcript(tf) as script:
        for kind, queue in {
            "fifo": tf.FIFOQueue(3, [tf.int32, tf.string], [[], []]),
            "random": tf.RandomShuffleQueue(3, 1, [tf.int32, tf.string], [[], []]),
        }.items():
            number, text = tf.placeholder(tf.int32, []), tf.placeholder(tf.string, [])
            enqueue, one, close = queue.enqueue([number, text]), queue.dequeue(), queue.close()

            def feed(first: int, enqueue: Any = enqueue, number: Any = number, text: Any = text) -> None:
                for value in range(first, first + 8):
                    script.session.run(enqueue, {number: value, text: str(value)})

            feeders = [_in_background(lambda first=first, feed=feed: feed(first))[0] for first in (0, 8, 16)]

            def end(feeders: Any = feeders, close: Any = close) -> None:
                for feeder in feeders:
                    feeder.join()
                script.session.run(close)

            ender, _ = _in_background(end)
            taken = []
            try:
                while True:
                    taken.append(script.session.run(one))
            except tf.errors.OutOfRangeError:
                pass
            ender.join()
            script.result[kind + ".numbers"] = np.array(sorted(pair[0] for pair in taken))
            script.result[kind + ".pairs_match"] = np.array(all(int(text) == number for number, text in taken))
    return script.result


@gold
def queues_of_one_shared_name_are_one(tf: Any) -> Result:
    with Transcript(tf) as script:
        one = tf.FIFOQueue(5, [tf.int32], [[]], shared_name="shared")
        other = tf.FIFOQueue(5, [tf.int32], [[]], shared_name="shared")
        alone = tf.FIFOQueue(5, [tf.int32], [[]])
        script.run("enqueue", one.enqueue(4))
        script.run("size", other.size())
        script.run("size_alone", alone.size())
        script.run("dequeue", other.dequeue())
        clashes = {
            "capacity": tf.FIFOQueue(6, [tf.int32], [[]], shared_name="shared"),
            "types": tf.FIFOQueue(5, [tf.float32], [[]], shared_name="shared"),
            "shapes": tf.FIFOQueue(5, [tf.int32], [[2]], shared_name="shared"),
            "no_shapes": tf.FIFOQueue(5, [tf.int32], shared_name="shared"),
            "kind": tf.RandomShuffleQueue(5, 0, [tf.int32], [[]], shared_name="shared"),
            "padding": tf.PaddingFIFOQueue(5, [tf.int32], [[]], shared_name="shared"),
            "priority": tf.PriorityQueue(5, [tf.int32], [[]], shared_name="shared"),
        }
        for key, queue in clashes.items():
            script.run("clash." + key, queue.size())
        pool = tf.RandomShuffleQueue(5, 1, [tf.int32], [[]], seed=1, shared_name="pool")
        script.run("pool", pool.size())
        for key, other in {
            "minimum": tf.RandomShuffleQueue(5, 2, [tf.int32], [[]], seed=1, shared_name="pool"),
            "seed": tf.RandomShuffleQueue(5, 1, [tf.int32], [[]], seed=2, shared_name="pool"),
            "nothing": tf.RandomShuffleQueue(5, 1, [tf.int32], [[]], seed=1, shared_name="pool"),
        }.items():
            script.run("pool_clash." + key, other.size())
    return script.result


@gold
def sessions_do_not_share_queues(tf: Any) -> Result:
    result: Result = {}
    with tf.Graph().as_default():
        for key, queue in {
            "plain": tf.FIFOQueue(5, [tf.int32], [[]]),
            "shared_name": tf.FIFOQueue(5, [tf.int32], [[]], shared_name="shared"),
        }.items():
            enqueue, size, close, is_closed = queue.enqueue(1), queue.size(), queue.close(), queue.is_closed()
            with tf.Session() as one, tf.Session() as other:
                one.run(enqueue)
                one.run(close)
                result[key + ".one"] = np.array(one.run(size))
                result[key + ".other"] = np.array(other.run(size))
                result[key + ".other_is_closed"] = np.array(other.run(is_closed))
    return result


@gold
def one_of_a_list_of_queues_is_chosen_at_each_run(tf: Any) -> Result:
    with Transcript(tf) as script:
        queues = [tf.FIFOQueue(9, [tf.int32], [[]]) for _ in range(3)]
        for position, queue in enumerate(queues):
            script.run("fill_{}".format(position), queue.enqueue_many([np.arange(3, dtype=np.int32) + 10 * position]))
        index = tf.placeholder(tf.int32, [])
        chosen = tf.QueueBase.from_list(index, queues)
        enqueue, one, size, many = chosen.enqueue(7), chosen.dequeue(), chosen.size(), chosen.dequeue_many(3)
        script.run("first_of_2", one, {index: 2})
        script.run("first_of_0", one, {index: 0})
        script.run("enqueue_to_0", enqueue, {index: 0})
        script.run("size_of_0", size, {index: 0})
        script.run("many_of_0", many, {index: 0})
        script.run("size_of_1", queues[1].size())
        script.run("outside", one, {index: 3})
        script.run("below", one, {index: -1})
        script.run("close_1", chosen.close(), {index: 1})
        script.run("1_is_closed", queues[1].is_closed())
        script.run("2_is_closed", chosen.is_closed(), {index: 2})
        script.result["name"] = word(chosen.name)
        script.result["kind"] = word(type(chosen).__name__)
        by_class = tf.FIFOQueue.from_list(1, queues)
        script.run("by_another_class", by_class.size())
    return script.result


@gold
def a_chosen_queue_knows_what_all_have_in_common(tf: Any) -> Result:
    result: Result = {}
    with tf.Graph().as_default():
        lists = {
            "equal": [tf.FIFOQueue(2, [tf.int32], [[2, 3]]), tf.RandomShuffleQueue(2, 0, [tf.int32], [[2, 3]])],
            "one_dimension": [tf.FIFOQueue(2, [tf.int32], [[2, 3]]), tf.FIFOQueue(2, [tf.int32], [[2, 4]])],
            "rank": [tf.FIFOQueue(2, [tf.int32], [[2, 3]]), tf.FIFOQueue(2, [tf.int32], [[2]])],
            "no_shapes": [tf.FIFOQueue(2, [tf.int32], [[2, 3]]), tf.FIFOQueue(2, [tf.int32])],
            "padding": [tf.PaddingFIFOQueue(2, [tf.int32], [[None, 3]]), tf.FIFOQueue(2, [tf.int32], [[2, 3]])],
            "named": [tf.FIFOQueue(2, [tf.int32], [[]], names=["a"]), tf.FIFOQueue(2, [tf.int32], [[]], names=["a"])],
        }
        for key, queues in lists.items():
            chosen = tf.QueueBase.from_list(0, queues)
            result[key + ".shapes"] = words([_text_of(shape) for shape in chosen.shapes])
            result[key + ".dtypes"] = words([dtype.name for dtype in chosen.dtypes])
            result[key + ".names"] = words(chosen.names or ["none"])
    return result


@gold
def a_queue_may_be_used_in_a_branch(tf: Any) -> Result:
    with Transcript(tf) as script:
        queue = tf.FIFOQueue(9, [tf.int32], [[]])
        script.run("fill", queue.enqueue_many([[1, 2, 3]]))
        is_wanted = tf.placeholder(tf.bool, [])
        taken = tf.cond(is_wanted, queue.dequeue, lambda: -1)
        script.run("wanted", taken, {is_wanted: True})
        script.run("not_wanted", taken, {is_wanted: False})
        script.run("size", queue.size())
        total = tf.while_loop(lambda i, s: i < 2, lambda i, s: (i + 1, s + queue.dequeue()), [0, 0])[1]
        script.run("loop", total)
        script.run("size_after_the_loop", queue.size())
    return script.result


# -- refusals --------------------------------------------------------------------------------

Row = Callable[[Any], Any]


def _named(tf: Any) -> Any:
    return tf.FIFOQueue(3, [tf.int32], [[]], names=["a"])


CALL_ROWS: Dict[str, Row] = {
    "a_dict_without_names": lambda tf: tf.FIFOQueue(3, [tf.int32]).enqueue({"a": 1}),
    "no_dict_with_names": lambda tf: _named(tf).enqueue(1),
    "a_dict_of_other_names": lambda tf: _named(tf).enqueue({"b": 1}),
    "a_dict_of_more_names": lambda tf: _named(tf).enqueue({"a": 1, "b": 1}),
    "an_empty_dict": lambda tf: _named(tf).enqueue({}),
    "many_in_a_dict_without_names": lambda tf: tf.FIFOQueue(3, [tf.int32]).enqueue_many({"a": [1]}),
    "many_with_names_not_in_a_dict": lambda tf: _named(tf).enqueue_many([[1]]),
    "another_type": lambda tf: tf.FIFOQueue(3, [tf.int32]).enqueue("text"),
    "a_tensor_of_another_type": lambda tf: tf.FIFOQueue(3, [tf.int32]).enqueue(tf.constant(1.0)),
    "another_shape": lambda tf: tf.FIFOQueue(3, [tf.int32], [[2]]).enqueue([[1, 2, 3]]),
    "another_rank": lambda tf: tf.FIFOQueue(3, [tf.int32], [[]]).enqueue([[1]]),
    "many_of_another_shape": lambda tf: tf.FIFOQueue(3, [tf.int32], [[2]]).enqueue_many([[[1, 2, 3]]]),
    "many_of_a_scalar": lambda tf: tf.FIFOQueue(3, [tf.int32]).enqueue_many([1]),
    "many_of_unequal_length": lambda tf: tf.FIFOQueue(3, [tf.int32] * 2).enqueue_many([[1, 2], [1, 2, 3]]),
    "too_few_components": lambda tf: tf.FIFOQueue(3, [tf.int32] * 2).enqueue([1]),
    "too_many_components": lambda tf: tf.FIFOQueue(3, [tf.int32]).enqueue([1, 2]),
    "no_components": lambda tf: tf.FIFOQueue(3, [tf.int32]).enqueue([]),
    "none": lambda tf: tf.FIFOQueue(3, [tf.int32]).enqueue(None),
    "no_types": lambda tf: tf.FIFOQueue(3, []),
    "types_none": lambda tf: tf.FIFOQueue(3, None),
    "a_type_that_is_a_text": lambda tf: tf.FIFOQueue(3, "int32"),
    "an_unknown_type": lambda tf: tf.FIFOQueue(3, ["nothing"]),
    "no_capacity": lambda tf: tf.FIFOQueue(dtypes=[tf.int32]),
    "capacity_none": lambda tf: tf.FIFOQueue(None, [tf.int32]),
    "capacity_a_text": lambda tf: tf.FIFOQueue("3", [tf.int32]),
    "capacity_a_fraction": lambda tf: tf.FIFOQueue(3.5, [tf.int32]),
    "capacity_a_tensor": lambda tf: tf.FIFOQueue(tf.constant(3), [tf.int32]),
    "too_many_shapes": lambda tf: tf.FIFOQueue(3, [tf.int32], [[], []]),
    "too_few_shapes": lambda tf: tf.FIFOQueue(3, [tf.int32] * 2, [[]]),
    "shapes_that_are_a_number": lambda tf: tf.FIFOQueue(3, [tf.int32], 3),
    "shapes_that_are_partial": lambda tf: tf.FIFOQueue(3, [tf.int32], [[None]]),
    "shapes_of_unknown_rank": lambda tf: tf.FIFOQueue(3, [tf.int32], [tf.TensorShape(None)]),
    "shapes_empty": lambda tf: tf.FIFOQueue(3, [tf.int32], []),
    "too_many_names": lambda tf: tf.FIFOQueue(3, [tf.int32], names=["a", "b"]),
    "too_few_names": lambda tf: tf.FIFOQueue(3, [tf.int32] * 2, names=["a"]),
    "names_that_are_a_text": lambda tf: tf.FIFOQueue(3, [tf.int32], names="a"),
    "names_twice_the_same": lambda tf: tf.FIFOQueue(3, [tf.int32] * 2, names=["a", "a"]),
    "random_without_minimum": lambda tf: tf.RandomShuffleQueue(3, dtypes=[tf.int32]),
    "random_minimum_none": lambda tf: tf.RandomShuffleQueue(3, None, [tf.int32]),
    "random_capacity_below_the_minimum": lambda tf: tf.RandomShuffleQueue(3, 5, [tf.int32]),
    "random_capacity_equal_to_the_minimum": lambda tf: tf.RandomShuffleQueue(3, 3, [tf.int32]),
    "random_minimum_negative": lambda tf: tf.RandomShuffleQueue(3, -1, [tf.int32]),
    "random_seed_a_text": lambda tf: tf.RandomShuffleQueue(3, 0, [tf.int32], seed="five"),
    "padding_without_shapes": lambda tf: tf.PaddingFIFOQueue(3, [tf.int32]),
    "padding_shapes_none": lambda tf: tf.PaddingFIFOQueue(3, [tf.int32], None),
    "padding_shapes_of_none": lambda tf: tf.PaddingFIFOQueue(3, [tf.int32], [None]),
    "padding_shapes_empty": lambda tf: tf.PaddingFIFOQueue(3, [tf.int32], []),
    "padding_one_shape": lambda tf: tf.PaddingFIFOQueue(3, [tf.int32], [2]),
    "padding_a_tensor_shape": lambda tf: tf.PaddingFIFOQueue(3, [tf.int32], tf.TensorShape([2])),
    "padding_too_few_shapes": lambda tf: tf.PaddingFIFOQueue(3, [tf.int32] * 2, [[]]),
    "padding_too_many_shapes": lambda tf: tf.PaddingFIFOQueue(3, [tf.int32], [[], []]),
    "padding_of_unknown_rank": lambda tf: tf.PaddingFIFOQueue(3, [tf.int32], [tf.TensorShape(None)]),
    "priority_without_shapes": lambda tf: tf.PriorityQueue(3, [tf.int32]),
    "priority_without_types": lambda tf: tf.PriorityQueue(3, [], []),
    "priority_with_dtypes": lambda tf: tf.PriorityQueue(3, dtypes=[tf.int32]),
    "priority_names_without_the_priority": lambda tf: tf.PriorityQueue(3, [tf.int32], [[]], names=["a"]),
    "priority_that_is_int32": lambda tf: tf.PriorityQueue(3, [tf.int32], [[]]).enqueue((tf.constant(1), 1)),
    "priority_that_is_a_fraction": lambda tf: tf.PriorityQueue(3, [tf.int32], [[]]).enqueue((1.5, 1)),
    "priority_that_is_a_vector": lambda tf: tf.PriorityQueue(3, [tf.int32], [[]]).enqueue(
        (tf.constant([1], tf.int64), 1)
    ),
    "priority_alone": lambda tf: tf.PriorityQueue(3, [tf.int32], [[]]).enqueue(1),
    "dequeue_many_negative": lambda tf: tf.FIFOQueue(3, [tf.int32], [[]]).dequeue_many(-1),
    "dequeue_many_a_fraction": lambda tf: tf.FIFOQueue(3, [tf.int32], [[]]).dequeue_many(2.0),
    "dequeue_many_a_vector": lambda tf: tf.FIFOQueue(3, [tf.int32], [[]]).dequeue_many([1]),
    "dequeue_many_none": lambda tf: tf.FIFOQueue(3, [tf.int32], [[]]).dequeue_many(None),
    "dequeue_up_to_negative": lambda tf: tf.FIFOQueue(3, [tf.int32], [[]]).dequeue_up_to(-1),
    "dequeue_many_without_shapes": lambda tf: tf.FIFOQueue(3, [tf.int32]).dequeue_many(2),
    "from_list_of_nothing": lambda tf: tf.QueueBase.from_list(0, []),
    "from_list_of_none": lambda tf: tf.QueueBase.from_list(0, None),
    "from_list_of_a_tuple": lambda tf: tf.QueueBase.from_list(0, (_named(tf), _named(tf))),
    "from_list_of_a_queue": lambda tf: tf.QueueBase.from_list(0, _named(tf)),
    "from_list_with_a_number": lambda tf: tf.QueueBase.from_list(0, [_named(tf), 3]),
    "from_list_of_other_types": lambda tf: tf.QueueBase.from_list(
        0, [tf.FIFOQueue(3, [tf.int32]), tf.FIFOQueue(3, [tf.int64])]
    ),
    "from_list_of_other_names": lambda tf: tf.QueueBase.from_list(0, [_named(tf), tf.FIFOQueue(3, [tf.int32], [[]])]),
    "from_list_with_a_fraction": lambda tf: tf.QueueBase.from_list(0.5, [_named(tf), _named(tf)]),
    "from_list_outside": lambda tf: tf.QueueBase.from_list(2, [_named(tf), _named(tf)]),
}


@gold
def queues_refuse_what_tf1_refuses(tf: Any) -> Result:
    return {name: error_at_call(tf, lambda call=call: call(tf)) for name, call in CALL_ROWS.items()}


def _unknown(tf: Any, value: Any) -> Any:
    return tf.placeholder_with_default(value, shape=None)


# Each row gives what is run, in a session of its own.
RUN_ROWS: Dict[str, Row] = {
    "random_capacity_below_the_minimum": lambda tf: tf.RandomShuffleQueue(3, 5, [tf.int32]).size(),
    "random_capacity_equal_to_the_minimum": lambda tf: tf.RandomShuffleQueue(3, 3, [tf.int32]).size(),
    "random_minimum_negative": lambda tf: tf.RandomShuffleQueue(3, -1, [tf.int32]).size(),
    "another_shape": lambda tf: tf.FIFOQueue(3, [tf.int32], [[2]]).enqueue(_unknown(tf, [1, 2, 3])),
    "another_rank": lambda tf: tf.FIFOQueue(3, [tf.int32], [[]]).enqueue(_unknown(tf, [1])),
    "many_of_a_scalar": lambda tf: tf.FIFOQueue(3, [tf.int32], [[]]).enqueue_many(_unknown(tf, 1)),
    "many_of_another_shape": lambda tf: tf.FIFOQueue(3, [tf.int32], [[2]]).enqueue_many(_unknown(tf, [[1, 2, 3]])),
    "many_of_unequal_length": lambda tf: tf.FIFOQueue(3, [tf.int32] * 2, [[], []]).enqueue_many(
        [_unknown(tf, [1, 2]), _unknown(tf, [1, 2, 3])]
    ),
    "too_few_components": lambda tf: tf.FIFOQueue(3, [tf.int32] * 2).enqueue([1]),
    "dequeue_many_without_shapes": lambda tf: tf.FIFOQueue(3, [tf.int32]).dequeue_many(2),
    "dequeue_up_to_without_shapes": lambda tf: tf.FIFOQueue(3, [tf.int32]).dequeue_up_to(2),
    "dequeue_many_without_shapes_at_random": lambda tf: tf.RandomShuffleQueue(3, 0, [tf.int32]).dequeue_many(2),
    "dequeue_many_negative": lambda tf: tf.FIFOQueue(3, [tf.int32], [[]]).dequeue_many(_unknown(tf, -1)),
    "dequeue_up_to_negative": lambda tf: tf.FIFOQueue(3, [tf.int32], [[]]).dequeue_up_to(_unknown(tf, -1)),
    "names_twice_the_same": lambda tf: tf.FIFOQueue(3, [tf.int32] * 2, names=["a", "a"]).size(),
}


@gold
def queues_refuse_at_the_run_what_tf1_refuses_there(tf: Any) -> Result:
    result: Result = {}
    for name, build in RUN_ROWS.items():
        with Transcript(tf) as script:
            script.run(name, build(tf))
        result.update(script.result)
    return result


@gold
def a_queue_is_placed_on_the_cpu_and_outside_of_control_dependencies(tf: Any) -> Result:
    result: Result = {}
    with tf.Graph().as_default():
        makers = {
            "fifo": lambda: tf.FIFOQueue(3, [tf.int32]),
            "random": lambda: tf.RandomShuffleQueue(3, 0, [tf.int32]),
        }
        for kind, make in makers.items():
            with tf.device("/cpu:0"), tf.control_dependencies([tf.no_op()]):
                queue = make()
            result[kind + ".device"] = word(queue.queue_ref.device)
            result[kind + ".waits_for"] = np.array(len(queue.queue_ref.op.control_inputs))
    return result
