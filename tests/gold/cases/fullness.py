"""The summaries of how full the queues are: their tags, and the values that are certain.

A value in the middle of a run depends on the threads. These are certain: 0 before the start and when all elements have
been taken, and always within [0, 1].
"""

from __future__ import annotations

from typing import Any, Callable, Dict, List

import numpy as np

from .harness import Result, gold, running, words

__all__: list[str] = []


def _number(tf: Any, count: int = 9, num_epochs: Any = None) -> Any:
    return tf.train.range_input_producer(count, num_epochs=num_epochs, shuffle=False, name="numbers").dequeue()


def _calls(tf: Any) -> Dict[str, Callable[[], Any]]:
    """Each function that adds a curve, by what is tried."""
    train = tf.train
    return {
        "input_producer": lambda: train.input_producer([1, 2]),
        "input_producer_with_a_name": lambda: train.input_producer([1, 2], summary_name="full"),
        "input_producer_with_both_names": lambda: train.input_producer([1, 2], summary_name="full", name="rows"),
        "string_input_producer": lambda: train.string_input_producer(["a"]),
        "string_input_producer_of_8": lambda: train.string_input_producer(["a"], capacity=8, name="files"),
        "range_input_producer": lambda: train.range_input_producer(3),
        "slice_input_producer": lambda: train.slice_input_producer([[1, 2]]),
        "slice_input_producer_named": lambda: train.slice_input_producer([[1, 2]], capacity=5, name="rows"),
        "batch": lambda: train.batch([tf.constant(1)], 2),
        "batch_of_8": lambda: train.batch([tf.constant(1)], 2, capacity=8, name="named"),
        "batch_padded": lambda: train.batch([tf.constant(1)], 2, dynamic_pad=True),
        "batch_of_threads": lambda: train.batch([tf.constant(1)], 2, num_threads=3),
        "batch_unbounded": lambda: train.batch([tf.constant(1)], 2, capacity=-1),
        "batch_of_a_fraction": lambda: train.batch([tf.constant(1)], 2, capacity=1.5),
        "maybe_batch": lambda: train.maybe_batch([tf.constant(1)], True, 2),
        "maybe_batch_named": lambda: train.maybe_batch([tf.constant(1)], True, 2, name="kept"),
        "batch_join": lambda: train.batch_join([[tf.constant(1)]] * 2, 2),
        "batch_join_of_8": lambda: train.batch_join([[tf.constant(1)]] * 2, 2, capacity=8, name="joined"),
        "maybe_batch_join": lambda: train.maybe_batch_join([[tf.constant(1)]] * 2, True, 2),
        "shuffle_batch": lambda: train.shuffle_batch([tf.constant(1)], 2, 10, 4),
        "shuffle_batch_named": lambda: train.shuffle_batch([tf.constant(1)], 2, 10, 0, name="mixed"),
        "maybe_shuffle_batch": lambda: train.maybe_shuffle_batch([tf.constant(1)], 2, 10, 4, True),
        "shuffle_batch_join": lambda: train.shuffle_batch_join([[tf.constant(1)]] * 2, 2, 10, 4),
        "maybe_shuffle_batch_join": lambda: train.maybe_shuffle_batch_join([[tf.constant(1)]] * 2, 2, 10, 4, True),
        "a_reader": lambda: tf.TextLineReader().read(tf.FIFOQueue(3, tf.string)),
        "limit_epochs": lambda: train.limit_epochs(tf.constant(1), 2),
        "match_filenames_once": lambda: train.match_filenames_once("/nowhere/*"),
    }


def _tags_and_values(tf: Any, session: Any, summaries: List[Any]) -> Dict[str, float]:
    """What TensorBoard shows of *summaries*, by tag."""
    values: Dict[str, float] = {}
    for summary in session.run(summaries):
        for value in tf.Summary.FromString(summary).value:
            values[value.tag] = value.simple_value
    return values


@gold
def every_call_adds_the_curves_of_tf1(tf: Any) -> Result:
    """The operations in the collection of summaries, by name, and the tags that TensorBoard shows."""
    result = {}
    for name, call in _calls(tf).items():
        with tf.Graph().as_default(), tf.Session() as session:
            call()
            summaries = tf.get_collection(tf.GraphKeys.SUMMARIES)
            result[name] = words([summary.name for summary in summaries])
            result[name + ".tags"] = words(sorted(_tags_and_values(tf, session, summaries)))
    return result


@gold
def curves_in_scopes_and_of_second_calls_keep_tf1s_tags(tf: Any) -> Result:
    with tf.Graph().as_default(), tf.Session() as session:
        number = _number(tf)
        with tf.name_scope("input"):
            tf.train.batch([number], 2)
            tf.train.shuffle_batch([number], 2, 10, 4)
        tf.train.batch([number], 2)
        tf.train.batch([number], 2)
        tf.train.shuffle_batch_join([[number]], 2, 10, 4)
        tf.train.shuffle_batch([number], 2, 10, 4)
        summaries = tf.get_collection(tf.GraphKeys.SUMMARIES)
        return {
            "names": words([summary.name for summary in summaries]),
            "tags": words(sorted(_tags_and_values(tf, session, summaries))),
        }


def _pipelines(tf: Any) -> Dict[str, Callable[[], Any]]:
    """Twelve rows through every kind of batcher, to be taken to the last one."""
    train = tf.train

    def number() -> Any:
        return _number(tf, 12, num_epochs=1)

    return {
        "batch": lambda: train.batch([number()], 4),
        "maybe_batch": lambda: train.maybe_batch([number()], True, 4),
        "batch_join": lambda: train.batch_join([[number()]] * 2, 4),
        "shuffle_batch": lambda: train.shuffle_batch([number()], 4, 10, 4),
        "shuffle_batch_join": lambda: train.shuffle_batch_join([[number()]] * 2, 4, 10, 4),
    }


@gold
def queues_are_empty_before_the_start(tf: Any) -> Result:
    result = {}
    for name, build in _pipelines(tf).items():
        with tf.Graph().as_default(), tf.Session() as session:
            build()
            values = _tags_and_values(tf, session, tf.get_collection(tf.GraphKeys.SUMMARIES))
        result[name] = np.array([values[tag] for tag in sorted(values)])
    return result


@gold
def queues_are_never_more_than_full(tf: Any) -> Result:
    """Between two steps, and after the last: how many curves there are, and whether all are in [0, 1]."""
    result = {}
    for name, build in _pipelines(tf).items():
        with tf.Graph().as_default():
            batch = build()
            summaries = tf.get_collection(tf.GraphKeys.SUMMARIES)
            seen = []
            with running(tf) as session:
                for _ in range(3):
                    session.run(batch)
                    seen.append(list(_tags_and_values(tf, session, summaries).values()))
        result[name] = np.array([[0 <= value <= 1 for value in step] for step in seen], np.bool_)
    return result


@gold
def queues_are_empty_when_all_was_taken(tf: Any) -> Result:
    result = {}
    for name, build in _pipelines(tf).items():
        with tf.Graph().as_default():
            batch = build()
            summaries = tf.get_collection(tf.GraphKeys.SUMMARIES)
            steps = 0
            with running(tf) as session:
                try:
                    while True:
                        session.run(batch)
                        steps += 1
                except tf.errors.OutOfRangeError:
                    values = _tags_and_values(tf, session, summaries)
        result[name] = np.array([values[tag] for tag in sorted(values)])
        result[name + ".steps"] = np.array(steps)
    return result


@gold
def summaries_are_merged_with_the_curves(tf: Any) -> Result:
    """merge_all finds them beside the program's own."""
    with tf.Graph().as_default():
        batch = tf.train.batch([_number(tf, 12, num_epochs=1)], 4)
        tf.summary.scalar("sum", tf.reduce_sum(batch))
        merged = tf.summary.merge_all()
        with running(tf) as session:
            tags = [value.tag for value in tf.Summary.FromString(session.run(merged)).value]
    return {"tags": words(sorted(tags))}


@gold
def the_queue_of_a_runner_can_be_watched(tf: Any) -> Result:
    result: Result = {}
    with tf.Graph().as_default():
        row = tf.fill([3], _number(tf, 8, num_epochs=1))
        batch = tf.train.batch({"b": row, "a": tf.constant("x")}, 2, enqueue_many=False)
        mixed = tf.train.shuffle_batch([batch["b"]], 2, 10, 4)
        queues = [runner.queue for runner in tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)]
        for queue in queues:
            key = queue.name
            result[key + ".is_a_queue"] = np.int32(isinstance(queue, tf.QueueBase))
            result[key + ".types"] = words([dtype.name for dtype in queue.dtypes])
            result[key + ".shapes"] = words([str(shape.as_list()) for shape in queue.shapes])
            result[key + ".has_names"] = np.int32(queue.names is not None)
        sizes = [queue.size() for queue in queues]
        result["types"] = words([size.dtype.name for size in sizes])
        with tf.Session() as session:
            result["before"] = np.array(session.run(sizes))
        with running(tf) as session:
            for _ in range(2):
                session.run(mixed)
            result["after"] = np.array(session.run(sizes))
    return result
