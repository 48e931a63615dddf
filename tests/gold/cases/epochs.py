"""limit_epochs and match_filenames_once: two local variables, alone and before a producer."""

from __future__ import annotations

import os
from typing import Any, Dict, List

import numpy as np

from .files import write_files
from .harness import (
    Result,
    collect,
    dtype_name,
    error_at_call,
    error_at_run,
    failure,
    gold,
    running,
    static_shape,
    temporary_directory,
    without_directories,
    word,
    words,
)

__all__: list[str] = []

COLLECTIONS = ("GLOBAL_VARIABLES", "LOCAL_VARIABLES", "TRAINABLE_VARIABLES", "QUEUE_RUNNERS", "SUMMARIES")


def _collection_sizes(tf: Any) -> np.ndarray:
    """How many items each of COLLECTIONS holds."""
    return np.array([len(tf.get_collection(getattr(tf.GraphKeys, name))) for name in COLLECTIONS])


def _local_variables(tf: Any) -> List[Any]:
    return tf.get_collection(tf.GraphKeys.LOCAL_VARIABLES)


# -- limit_epochs ----------------------------------------------------------------------------


@gold
def a_limited_tensor_is_given_so_many_times(tf: Any) -> Result:
    """No runner and no queue: every run counts."""
    return collect(tf, lambda: tf.train.limit_epochs(tf.constant([1.5, 2.5]), num_epochs=3))


@gold
def no_limit_gives_the_tensor_itself(tf: Any) -> Result:
    with tf.Graph().as_default():
        tensor = tf.constant([1, 2])
        limited = tf.train.limit_epochs(tensor)
        return {
            "itself": np.array(limited is tensor),
            "collections": _collection_sizes(tf),
            "name": word(tf.train.limit_epochs(tensor, 1).name),
            "named": word(tf.train.limit_epochs(tensor, 1, name="limited").name),
        }


@gold
def a_limit_takes_whatever_becomes_a_tensor(tf: Any) -> Result:
    result = {}
    for name, value in {"list": [1, 2], "number": 2.5, "text": "a", "array": np.ones((2, 1), np.int8)}.items():
        given = collect(tf, lambda value=value: tf.train.limit_epochs(value, num_epochs=2))
        result[name] = given["out"]
        result[name + ".facts"] = words([str(given["out.static"].tolist()), given["out.dtype"].item().decode()])
    return result


@gold
def two_uses_of_one_limited_tensor_count_once_a_run(tf: Any) -> Result:
    def build() -> Any:
        limited = tf.train.limit_epochs(tf.constant([1, 2]), num_epochs=2)
        return [limited + 1, limited * 10]

    return collect(tf, build)


@gold
def two_limits_count_apart(tf: Any) -> Result:
    """The run that finds the first at its end has counted the second, or not: that is chance, so they run apart."""
    with tf.Graph().as_default():
        limits = [tf.train.limit_epochs(tf.constant(number), num_epochs=number) for number in (1, 3)]
        variables = _local_variables(tf)
        counts, errors = [], []
        with running(tf) as session:
            for step in [0, 1, 1, 0, 1, 1]:
                errors.append(error_at_run(lambda step=step: session.run(limits[step])))
                counts.append(session.run(variables))
    return {"counts": np.array(counts), "errors": np.array(errors)}


@gold
def the_variable_of_a_limit_keeps_tf1s_name_and_collection(tf: Any) -> Result:
    result: Dict[str, Any] = {}
    with tf.Graph().as_default():
        tf.train.limit_epochs(tf.constant([1]), 5)
        tf.train.limit_epochs(tf.constant([1]), 5)
        tf.train.limit_epochs(tf.constant([1]), 5, name="named")
        with tf.name_scope("scope"):
            tf.train.limit_epochs(tf.constant([1]), 5)
        variables = _local_variables(tf)
        result["names"] = words([variable.name for variable in variables])
        result["dtypes"] = np.array([dtype_name(variable.dtype) for variable in variables])
        result["static"] = static_shape(variables[0])
        result["collections"] = _collection_sizes(tf)
    return result


@gold
def producers_with_epochs_have_tf1s_local_variable(tf: Any) -> Result:
    result: Dict[str, Any] = {}
    with tf.Graph().as_default():
        tf.train.input_producer([1, 2], num_epochs=2)
        tf.train.string_input_producer(["a"], num_epochs=2)
        tf.train.range_input_producer(3, num_epochs=2, name="numbers")
        tf.train.slice_input_producer([[1, 2]], num_epochs=2)
        tf.train.range_input_producer(3)
        result["names"] = words([variable.name for variable in _local_variables(tf)])
    return result


@gold
def the_variable_of_a_limit_counts_to_it(tf: Any) -> Result:
    """The value before, after each run, and after the end."""
    with tf.Graph().as_default():
        limited = tf.train.limit_epochs(tf.constant([1]), num_epochs=2)
        (variable,) = _local_variables(tf)
        with running(tf) as session:
            values = [session.run(variable)]
            errors = []
            for _ in range(4):
                errors.append(error_at_run(lambda: session.run(limited)))
                values.append(session.run(variable))
        return {"values": np.array(values), "errors": np.array(errors)}


@gold
def a_limit_that_is_not_initialised_is_a_failed_precondition(tf: Any) -> Result:
    with tf.Graph().as_default():
        limited = tf.train.limit_epochs(tf.constant([1]), num_epochs=2)
        with tf.Session() as session:
            return {"error": error_at_run(lambda: session.run(limited))}


@gold
def a_producer_whose_epochs_are_not_initialised_ends_at_once(tf: Any) -> Result:
    """The loop sees an end of data; the coordinator knows the cause."""
    with tf.Graph().as_default():
        number = tf.train.range_input_producer(3, num_epochs=2).dequeue()
        with tf.Session() as session:
            coordinator = tf.train.Coordinator()
            threads = tf.train.start_queue_runners(sess=session, coord=coordinator)
            in_the_loop = error_at_run(lambda: session.run(number))
            coordinator.request_stop()
            at_the_end = error_at_run(lambda: coordinator.join(threads, stop_grace_period_secs=20))
    return {"in_the_loop": in_the_loop, "at_the_end": at_the_end}


@gold
def a_limited_tensor_feeds_a_producer(tf: Any) -> Result:
    """The limit of the tensor ends the producer, which has none of its own."""

    def build() -> Any:
        names = tf.train.limit_epochs(tf.constant(["a", "b", "c"]), num_epochs=2)
        return tf.train.string_input_producer(names, shuffle=False).dequeue()

    return collect(tf, build)


@gold
def the_smaller_of_two_limits_ends_a_producer(tf: Any) -> Result:
    result = {}
    for name, (inner, outer) in {"inner": (1, 3), "outer": (3, 1)}.items():

        def build(inner: int = inner, outer: int = outer) -> Any:
            numbers = tf.train.limit_epochs(tf.constant([1, 2, 3]), num_epochs=inner)
            return tf.train.input_producer(numbers, num_epochs=outer, seed=3).dequeue()

        result[name] = collect(tf, build)["out"]
    return result


@gold
def a_limited_tensor_feeds_a_batcher(tf: Any) -> Result:
    """Without any producer: the limit ends the batcher's thread."""

    def build() -> Any:
        block = tf.train.limit_epochs(tf.constant([1, 2, 3]), num_epochs=3)
        return tf.train.batch([block], batch_size=4, enqueue_many=True, allow_smaller_final_batch=True)

    return collect(tf, build)


@gold
def a_limited_tensor_feeds_a_shuffling_batcher(tf: Any) -> Result:
    def build() -> Any:
        block = tf.train.limit_epochs(tf.constant([1, 2, 3]), num_epochs=4)
        return tf.train.shuffle_batch([block], 4, capacity=8, min_after_dequeue=2, enqueue_many=True)

    given = collect(tf, build)
    given["out"] = np.sort(given["out"])
    return given


@gold
def a_limited_step_counts_the_batches(tf: Any) -> Result:
    """Behind the batcher: ten batches, of which the first three are given."""

    def build() -> Any:
        number = tf.train.range_input_producer(20, num_epochs=1, shuffle=False).dequeue()
        return tf.train.limit_epochs(tf.train.batch([number], batch_size=2), num_epochs=3)

    return collect(tf, build)


@gold
def limits_refuse_what_tf1_refuses(tf: Any) -> Result:
    rows = {
        "zero": lambda: tf.train.limit_epochs(tf.constant([1]), 0),
        "negative": lambda: tf.train.limit_epochs(tf.constant([1]), -1),
        "a_text": lambda: tf.train.limit_epochs(tf.constant([1]), "2"),
        "a_fraction": lambda: tf.train.limit_epochs(tf.constant([1]), 1.5),
        "true": lambda: tf.train.limit_epochs(tf.constant([1]), True),
        "of_none": lambda: tf.train.limit_epochs(None, 2),
        "of_none_without_limit": lambda: tf.train.limit_epochs(None),
        "of_nothing": lambda: tf.train.limit_epochs(),
        "of_different_types": lambda: tf.train.limit_epochs([1, "a"], 2),
    }
    return {name: error_at_call(tf, call) for name, call in rows.items()}


# -- match_filenames_once --------------------------------------------------------------------

NAMES = ("b.txt", "a.txt", "c.csv", "a10.txt", "a2.txt")


def _make_files(directory: str) -> None:
    write_files(directory, {name: name.encode() + b"\n" for name in NAMES})


@gold
def files_are_matched_in_sorted_order(tf: Any) -> Result:
    """Sorted as texts: a10 before a2."""
    result = {}
    patterns = {"all": ["*"], "texts": ["*.txt"], "one_letter": ["?.txt"], "two": ["c*", "a*"], "none": ["*.none"]}
    for name, parts in patterns.items():
        with temporary_directory() as directory, tf.Graph().as_default():
            _make_files(directory)
            matched = tf.train.match_filenames_once([os.path.join(directory, part) for part in parts])
            with running(tf) as session:
                result[name] = without_directories(session.run(matched))
    return result


@gold
def one_pattern_may_be_a_text_a_list_or_a_tensor(tf: Any) -> Result:
    result = {}
    with temporary_directory() as directory:
        _make_files(directory)
        pattern = os.path.join(directory, "a*")
        for name, convert in {"text": str, "list": lambda text: [text], "tensor": tf.constant}.items():
            with tf.Graph().as_default():
                matched = tf.train.match_filenames_once(convert(pattern))
                with running(tf) as session:
                    result[name] = without_directories(session.run(matched))
    return result


@gold
def files_are_matched_once_when_the_variable_is_initialised(tf: Any) -> Result:
    """Neither when the graph is built nor at a run: a file that comes in between is seen, a later one is not."""
    with temporary_directory() as directory, tf.Graph().as_default():
        write_files(directory, {"at_the_call": b""})
        matched = tf.train.match_filenames_once(os.path.join(directory, "*"))
        write_files(directory, {"before_the_start": b""})
        with running(tf) as session:
            first = without_directories(session.run(matched))
            write_files(directory, {"after_the_start": b""})
            second = without_directories(session.run(matched))
    return {"first": first, "second": second}


@gold
def the_variable_of_matched_files_keeps_tf1s_name_and_collection(tf: Any) -> Result:
    with tf.Graph().as_default():
        first = tf.train.match_filenames_once("/nowhere/*")
        second = tf.train.match_filenames_once("/nowhere/*")
        named = tf.train.match_filenames_once("/nowhere/*", name="files")
        with tf.name_scope("scope"):
            scoped = tf.train.match_filenames_once("/nowhere/*")
        return {
            "names": words([variable.name for variable in (first, second, named, scoped)]),
            "dtype": dtype_name(first.dtype),
            "static": static_shape(first),
            "is_variable": np.array(isinstance(first, tf.Variable)),
            "trainable": np.array(first in tf.trainable_variables()),
            "collections": _collection_sizes(tf),
        }


@gold
def matched_files_that_are_not_initialised_are_a_failed_precondition(tf: Any) -> Result:
    with tf.Graph().as_default():
        matched = tf.train.match_filenames_once("/nowhere/*")
        with tf.Session() as session:
            return {"error": error_at_run(lambda: session.run(matched))}


@gold
def matched_files_feed_a_producer(tf: Any) -> Result:
    with temporary_directory() as directory:
        _make_files(directory)

        def build() -> Any:
            matched = tf.train.match_filenames_once(os.path.join(directory, "*.txt"))
            queue = tf.train.string_input_producer(matched, num_epochs=2, shuffle=False)
            return list(tf.WholeFileReader().read(queue))

        result = collect(tf, build)
    result["0"] = without_directories(result["0"])
    return result


@gold
def matched_files_are_shuffled_in_the_seeds_order(tf: Any) -> Result:
    with temporary_directory() as directory:
        _make_files(directory)

        def build() -> Any:
            matched = tf.train.match_filenames_once(os.path.join(directory, "*"))
            return tf.train.string_input_producer(matched, num_epochs=3, seed=8).dequeue()

        result = collect(tf, build)
    result["out"] = without_directories(result["out"])
    return result


@gold
def matched_files_feed_readers_and_a_batcher(tf: Any) -> Result:
    with temporary_directory() as directory:
        _make_files(directory)

        def build() -> Any:
            matched = tf.train.match_filenames_once(os.path.join(directory, "*.txt"))
            queue = tf.train.string_input_producer(matched, num_epochs=2, shuffle=False)
            _, line = tf.TextLineReader().read(queue)
            return tf.train.batch([line], batch_size=3, allow_smaller_final_batch=True)

        return collect(tf, build)


@gold
def files_matched_at_a_run_feed_a_producer_too(tf: Any) -> Result:
    """matching_files is no variable: it looks at every epoch."""
    with temporary_directory() as directory:
        _make_files(directory)

        def build() -> Any:
            matched = tf.matching_files([os.path.join(directory, "a*"), os.path.join(directory, "c*")])
            return tf.train.string_input_producer(matched, num_epochs=2, shuffle=False).dequeue()

        result = collect(tf, build)
    result["out"] = without_directories(result["out"])
    return result


@gold
def no_matched_files_are_an_invalid_argument_to_a_producer(tf: Any) -> Result:
    with temporary_directory() as directory:

        def build() -> Any:
            matched = tf.train.match_filenames_once(os.path.join(directory, "*"))
            return tf.train.string_input_producer(matched, num_epochs=1).dequeue()

        return failure(tf, build)


@gold
def matching_refuses_what_tf1_refuses(tf: Any) -> Result:
    rows = {
        "none": lambda: tf.train.match_filenames_once(None),
        "a_number": lambda: tf.train.match_filenames_once(3),
        "a_list_of_numbers": lambda: tf.train.match_filenames_once([3]),
        "nothing": lambda: tf.train.match_filenames_once(),
        "an_empty_list": lambda: tf.train.match_filenames_once([]),
        "an_empty_text": lambda: tf.train.match_filenames_once(""),
    }
    return {name: error_at_call(tf, call) for name, call in rows.items()}
