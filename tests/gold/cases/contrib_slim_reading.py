"""tf.contrib.slim's parallel_reader."""

from __future__ import annotations

import os
from typing import Any, Dict, List

import numpy as np

from .harness import (
    Result,
    collect,
    error_at_call,
    failure,
    gold,
    running,
    temporary_directory,
    without_directories,
    word,
    words,
)
from .records import texts, write_texts

__all__: List[str] = []


def _files(tf: Any, directory: str, names: str = "abc", count: int = 4) -> List[str]:
    return [write_texts(tf, directory, name + ".records", texts(name, count)) for name in names]


def _readable(result: Result, *keys: str) -> Result:
    return dict(result, **{key: without_directories(result[key]) for key in keys})


def _in_any_order(result: Result, count: int = 2) -> Result:
    order = np.lexsort([result[str(number)] for number in range(count)])
    return dict(result, **{str(number): result[str(number)][order] for number in range(count)})


# -- parallel_read --------------------------------------------------------------------------


@gold
def one_parallel_reader_keeps_the_order(tf: Any) -> Result:
    reading = tf.contrib.slim.parallel_reader
    with temporary_directory() as directory:
        files = _files(tf, directory)
        build = lambda: reading.parallel_read(files, tf.TFRecordReader, num_epochs=2, num_readers=1, shuffle=False)
        return _readable(collect(tf, build), "0")


@gold
def parallel_readers_give_every_record_once_an_epoch(tf: Any) -> Result:
    reading = tf.contrib.slim.parallel_reader
    result = {}
    with temporary_directory() as directory:
        files = _files(tf, directory)
        for name, arguments in {
            "default": {},
            "in_order": {"shuffle": False},
            "one": {"num_readers": 1},
            "more_than_files": {"num_readers": 7},
            "small": {"capacity": 3, "min_after_dequeue": 2, "seed": 5},
            "tiny": {"capacity": 1, "shuffle": False},
            "unbounded": {"capacity": -1},
            "in_a_scope": {"scope": "mine"},
            "of_types": {"dtypes": [tf.string, tf.string]},
        }.items():
            build = lambda: reading.parallel_read(files, tf.TFRecordReader, num_epochs=2, **arguments)  # noqa: B023
            given = _readable(_in_any_order(collect(tf, build)), "0")
            result.update({f"{name}.{key}": value for key, value in given.items()})
    return result


@gold
def parallel_reading_without_a_limit_does_not_end(tf: Any) -> Result:
    reading = tf.contrib.slim.parallel_reader
    with temporary_directory() as directory:
        files = _files(tf, directory)
        build = lambda: reading.parallel_read(files, tf.TFRecordReader)
        return {"steps": collect(tf, build, max_steps=50)["steps"]}


@gold
def parallel_readers_take_their_arguments(tf: Any) -> Result:
    """Lines behind a header, by readers that are told of it."""
    reading = tf.contrib.slim.parallel_reader
    with temporary_directory() as directory:
        path = os.path.join(directory, "lines.txt")
        with open(path, "w") as file:
            file.write("header\none\ntwo\n")
        build = lambda: reading.parallel_read(
            [path],
            tf.TextLineReader,
            num_epochs=1,
            num_readers=2,
            reader_kwargs={"skip_header_lines": 1},
            shuffle=False,
        )
        return _readable(collect(tf, build), "0")


@gold
def a_parallel_reader_may_come_from_any_function(tf: Any) -> Result:
    reading = tf.contrib.slim.parallel_reader
    build = lambda: reading.parallel_read(
        ["x", "y"], lambda **_: tf.IdentityReader(), num_epochs=1, num_readers=1, shuffle=False
    )
    return collect(tf, build)


@gold
def parallel_reading_finds_files_by_patterns(tf: Any) -> Result:
    reading = tf.contrib.slim.parallel_reader
    with temporary_directory() as directory:
        _files(tf, directory)
        pattern = os.path.join(directory, "[ab].*")
        build = lambda: reading.parallel_read(pattern, tf.TFRecordReader, num_epochs=1)
        return _readable(_in_any_order(collect(tf, build)), "0")


@gold
def what_was_read_in_parallel_is_batched(tf: Any) -> Result:
    reading = tf.contrib.slim.parallel_reader
    with temporary_directory() as directory:
        files = _files(tf, directory, count=6)

        def build() -> Any:
            _, value = reading.parallel_read(files, tf.TFRecordReader, num_epochs=1, num_readers=1, shuffle=False)
            value.set_shape([])
            return tf.train.batch([value, tf.substr(value, 1, 1)], 4, allow_smaller_final_batch=True)

        return collect(tf, build)


@gold
def a_missing_file_read_in_parallel_is_not_found(tf: Any) -> Result:
    reading = tf.contrib.slim.parallel_reader
    build = lambda: reading.parallel_read(["/nowhere/a"], tf.TFRecordReader, num_epochs=1)
    return failure(tf, build)


@gold
def a_pool_no_larger_than_its_minimum_is_an_invalid_argument(tf: Any) -> Result:
    reading = tf.contrib.slim.parallel_reader
    result = {}
    for name, arguments in {
        "equal": {"capacity": 5, "min_after_dequeue": 5},
        "default_minimum": {"capacity": 5},
        "negative": {"min_after_dequeue": -1},
    }.items():
        build = lambda: reading.parallel_read(["a"], tf.IdentityReader, num_epochs=1, **arguments)  # noqa: B023
        result[name] = failure(tf, build)["real_error"]
    return result


@gold
def parallel_reading_refuses_what_tf1_refuses(tf: Any) -> Result:
    def read(*arguments: Any, **named: Any) -> Any:
        return tf.contrib.slim.parallel_reader.parallel_read(*arguments, **named)

    reader = tf.IdentityReader
    calls = {
        "no_files": lambda: read([], reader),
        "no_text": lambda: read("", reader),
        "no_match": lambda: read("/nowhere/*", reader),
        "a_number": lambda: read(3, reader),
        "no_reader": lambda: read(["a"], None),
        "no_readers": lambda: read(["a"], reader, num_readers=0),
        "less_than_no_readers": lambda: read(["a"], reader, num_readers=-1),
        "no_epochs": lambda: read(["a"], reader, num_epochs=0),
        "no_capacity": lambda: read(["a"], reader, capacity=0),
        "no_capacity_in_order": lambda: read(["a"], reader, capacity=0, shuffle=False),
        "one_type": lambda: read(["a"], reader, dtypes=[tf.string]),
        "types_that_are_no_strings": lambda: read(["a"], reader, dtypes=[tf.string, tf.int64]),
        "three_types": lambda: read(["a"], reader, dtypes=[tf.string] * 3),
        "types_by_name": lambda: read(["a"], reader, dtypes=["string", "string"]),
        "an_argument_that_the_reader_lacks": lambda: read(["a"], reader, reader_kwargs={"absent": 1}),
        "a_seed_of_text": lambda: read(["a"], reader, seed="1"),
        "a_minimum_of_text": lambda: read(["a"], reader, min_after_dequeue="1"),
        "positional": lambda: read(["a"], reader, None, 2, None, True, None, 9, 3, 1, "mine"),
    }
    return {name: error_at_call(tf, call) for name, call in calls.items()}


@gold
def parallel_reading_keeps_tf1s_names(tf: Any) -> Result:
    reading = tf.contrib.slim.parallel_reader
    result = {}
    for name, arguments in {"default": {}, "mine": {"scope": "mine", "capacity": 9, "shuffle": False}}.items():
        with tf.Graph().as_default(), tf.Session() as session:
            given = reading.parallel_read(["a"], tf.IdentityReader, **arguments)
            summaries = tf.get_collection(tf.GraphKeys.SUMMARIES)
            values = [value for s in summaries for value in tf.Summary.FromString(session.run(s)).value]
            result[name + ".kind"] = word(type(given).__name__)
            result[name + ".tensors"] = words([tensor.name for tensor in given])
            result[name + ".summaries"] = words(sorted(summary.name for summary in summaries))
            result[name + ".tags"] = words(sorted(value.tag for value in values))
            result[name + ".values"] = np.array([value.simple_value for value in values])
            result[name + ".runners"] = np.array(len(tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)))
    return result


# -- single_pass_read, get_data_files -------------------------------------------------------


@gold
def a_single_pass_reads_every_file_once_in_order(tf: Any) -> Result:
    reading = tf.contrib.slim.parallel_reader
    with temporary_directory() as directory:
        files = _files(tf, directory)
        build = lambda: reading.single_pass_read(files, tf.TFRecordReader)
        return _readable(collect(tf, build), "0")


@gold
def a_single_pass_keeps_tf1s_names(tf: Any) -> Result:
    reading = tf.contrib.slim.parallel_reader
    with tf.Graph().as_default():
        first = reading.single_pass_read(["a"], tf.TextLineReader, reader_kwargs={"skip_header_lines": 1})
        second = reading.single_pass_read("b", tf.IdentityReader, scope="mine")
        summaries = tf.get_collection(tf.GraphKeys.SUMMARIES)
        return {
            "kinds": words([type(first).__name__, type(second).__name__]),
            "tensors": words([tensor.name for tensor in [*first, *second]]),
            "summaries": words([summary.name for summary in summaries]),
        }


@gold
def data_files_are_found_as_in_tf1(tf: Any) -> Result:
    find = tf.contrib.slim.parallel_reader.get_data_files
    with temporary_directory() as directory:
        _files(tf, directory)
        inside = lambda name: os.path.join(directory, name)
        sources: Dict[str, Any] = {
            "a_name": "/nowhere/a",
            "a_name_at": "/nowhere/a@3",
            "a_pattern": inside("*.records"),
            "a_question": inside("?.records"),
            "a_class": inside("[bc].records"),
            "several": [inside("b.*"), "/nowhere/x", (inside("a.*"), inside("c.records"))],
            "twice": [inside("a.*"), inside("a.*")],
        }
        result = {}
        for name, source in sources.items():
            given = find(source)
            result[name + ".kind"] = word(type(given).__name__)
            # What one pattern finds comes in the order of the file system, which is nobody's promise.
            found = sorted(given) if isinstance(source, str) else given
            result[name] = words([os.path.basename(file) for file in found])
        for name, source in {
            "no_match": inside("*.txt"),
            "nothing": [],
            "an_empty_text": "",
            "one_without_match": [inside("a.*"), inside("*.txt")],
            "a_number": 3,
            "none": None,
            "bytes": b"/nowhere/a",
        }.items():
            result[name] = error_at_call(tf, lambda: find(source))  # noqa: B023
    return result


# -- ParallelReader -------------------------------------------------------------------------


def _string_queue(tf: Any, names: List[str]) -> Any:
    return tf.train.string_input_producer(names, num_epochs=1, shuffle=False)


@gold
def parallel_readers_fill_a_queue_of_the_programs_own(tf: Any) -> Result:
    reading = tf.contrib.slim.parallel_reader
    with temporary_directory() as directory:
        files = _files(tf, directory)

        def build() -> Any:
            common = tf.FIFOQueue(20, [tf.string, tf.string])
            return reading.ParallelReader(tf.TFRecordReader, common, num_readers=2).read(_string_queue(tf, files))

        return _readable(_in_any_order(collect(tf, build)), "0")


@gold
def parallel_readers_read_several_records_at_once(tf: Any) -> Result:
    reading = tf.contrib.slim.parallel_reader
    with temporary_directory() as directory:
        files = _files(tf, directory, count=5)

        def build() -> Any:
            common = tf.FIFOQueue(20, [tf.string, tf.string], shapes=[[], []])
            reader = reading.ParallelReader(tf.TFRecordReader, common, num_readers=1)
            return reader.read_up_to(_string_queue(tf, files), 4)

        return _readable(collect(tf, build), "0")


@gold
def parallel_readers_count_what_they_read(tf: Any) -> Result:
    reading = tf.contrib.slim.parallel_reader
    with temporary_directory() as directory:
        files = _files(tf, directory)
        with tf.Graph().as_default():
            common = tf.RandomShuffleQueue(20, 0, [tf.string, tf.string])
            reader = reading.ParallelReader(tf.TFRecordReader, common, num_readers=2, reader_kwargs={"name": "mine"})
            record = reader.read(_string_queue(tf, files), name="taken")
            counts = [reader.num_records_produced(), reader.num_work_units_completed(name="files")]
            given = []
            with running(tf) as session:
                try:
                    while True:
                        given.append(session.run(record)[1])
                except tf.errors.OutOfRangeError:
                    counted = session.run(counts)
    return {
        "given": np.array(sorted(given)),
        "counted": np.array(counted),
        "names": words([tensor.name for tensor in [*record, counts[1]]]),
        "num_readers": np.array(reader.num_readers),
        "common_queue": np.array(reader.common_queue is common),
        "is_a_reader": np.array(isinstance(reader, tf.ReaderBase)),
    }


@gold
def parallel_readers_refuse_what_tf1_refuses(tf: Any) -> Result:
    def make(dtypes: Any, **named: Any) -> Any:
        queue = tf.FIFOQueue(3, dtypes)
        return tf.contrib.slim.parallel_reader.ParallelReader(tf.IdentityReader, queue, **named)

    strings = [tf.string, tf.string]
    calls = {
        "one_component": lambda: make([tf.string]),
        "three_components": lambda: make([tf.string] * 3),
        "a_number": lambda: make([tf.string, tf.int64]),
        "no_readers": lambda: make(strings, num_readers=0),
        "no_readers_that_read": lambda: make(strings, num_readers=0).read(tf.FIFOQueue(1, tf.string)),
        "no_readers_that_count": lambda: make(strings, num_readers=0).num_records_produced(),
        "read_nothing": lambda: make(strings).read(None),
        "reset": lambda: make(strings).reset(),
        "supports_serialize": lambda: make(strings).supports_serialize,
        "serialize_state": lambda: make(strings).serialize_state(),
        "restore_state": lambda: make(strings).restore_state(""),
        "reader_ref": lambda: make(strings).reader_ref,
    }
    return {name: error_at_call(tf, call) for name, call in calls.items()}
