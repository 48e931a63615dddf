"""``tf.contrib.learn``'s readers of files of Examples, and its input functions."""

from __future__ import annotations

import os
from typing import Any, Callable, Dict, List, Optional

import numpy as np

from .estimator_inputs import arguments_of
from .harness import (
    Result,
    collect,
    error_at_call,
    failure,
    gold,
    static_shape,
    temporary_directory,
    without_directories,
    words,
)
from .records import write_texts

__all__: list[str] = []

COUNTS = (4, 1, 3)


def _example(tf: Any, number: int) -> bytes:
    feature = {
        "number": tf.train.Feature(int64_list=tf.train.Int64List(value=[number])),
        "some": tf.train.Feature(int64_list=tf.train.Int64List(value=range(number % 3))),
        "word": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"w%d" % number])),
    }
    return tf.train.Example(features=tf.train.Features(feature=feature)).SerializeToString()


def _features(tf: Any) -> Dict[str, Any]:
    return {
        "number": tf.FixedLenFeature([], tf.int64),
        "some": tf.VarLenFeature(tf.int64),
        "word": tf.FixedLenFeature([1], tf.string),
    }


def _write_examples(tf: Any, directory: str) -> str:
    """Files ``0.records`` ... with so many Examples as COUNTS says, numbered through; the pattern of their names."""
    number = 0
    for file, count in enumerate(COUNTS):
        records = [_example(tf, number + place) for place in range(count)]
        write_texts(tf, directory, f"{file}.records", records)
        number += count
    return os.path.join(directory, "*.records")


def _write_lines(tf: Any, directory: str) -> str:
    for file, count in enumerate(COUNTS):
        with open(os.path.join(directory, f"{file}.txt"), "w") as opened:
            opened.write("".join(f"{file}{line}\n" for line in range(count)))
    return os.path.join(directory, "*.txt")


def _reading(
    tf: Any,
    build: Callable[[Any, str], Any],
    write: Callable[[Any, str], str] = _write_lines,
    max_steps: Optional[int] = None,
    keys: str = "0",
) -> Result:
    with temporary_directory() as directory:
        pattern = write(tf, directory)
        given = collect(tf, lambda: build(tf.contrib.learn, pattern), max_steps)
    if keys in given:
        given[keys] = without_directories(given[keys])
    return given


def _keyed(keys_and_features: Any) -> Dict[str, Any]:
    keys, features = keys_and_features
    return dict(features, at=keys)


# -- records ---------------------------------------------------------------------------------


@gold
def learn_readers_take_their_arguments_in_tf1s_order(tf: Any) -> Result:
    functions = [name for name in LEARN if not name.startswith("extract")]
    given = {name: arguments_of(getattr(tf.contrib.learn, name)) for name in functions}
    given.update({f"io.{name}": arguments_of(getattr(tf.contrib.learn.io, name)) for name in IO if name[0] != "H"})
    return given


LEARN = [
    "read_batch_examples",
    "read_batch_features",
    "read_keyed_batch_examples",
    "read_keyed_batch_examples_shared_queue",
    "read_keyed_batch_features",
    "read_keyed_batch_features_shared_queue",
]
IO = [*LEARN, "generator_input_fn", "numpy_input_fn", "pandas_input_fn", "queue_parsed_features"]


@gold
def record_features_default_to_tf1s_name(tf: Any) -> Result:
    return {"arguments": arguments_of(tf.contrib.learn.read_batch_record_features)}


@gold
def learnt_lines_come_in_order_with_their_keys(tf: Any) -> Result:
    return _reading(
        tf, lambda learn, p: learn.read_keyed_batch_examples(p, 3, tf.TextLineReader, False, 1, queue_capacity=20)
    )


@gold
def learnt_lines_without_a_limit_do_not_end(tf: Any) -> Result:
    return _reading(
        tf,
        lambda learn, p: learn.read_keyed_batch_examples(p, 3, tf.TextLineReader, False, queue_capacity=20),
        max_steps=7,
    )


@gold
def learnt_lines_are_read_together(tf: Any) -> Result:
    return _reading(
        tf,
        lambda learn, p: learn.read_keyed_batch_examples(
            p, 3, tf.TextLineReader, False, 2, queue_capacity=20, read_batch_size=2
        ),
    )


@gold
def learnt_lines_need_no_keys(tf: Any) -> Result:
    return _reading(tf, lambda learn, p: learn.read_batch_examples(p, 3, tf.TextLineReader, False, 1, 20), keys="none")


@gold
def a_list_of_patterns_is_read_in_the_order_of_names(tf: Any) -> Result:
    def build(learn: Any, pattern: str) -> Any:
        patterns = [pattern.replace("*", "[12]"), pattern.replace("*", "0")]
        return learn.read_keyed_batch_examples(patterns, 3, tf.TextLineReader, False, 1, queue_capacity=20)

    return _reading(tf, build)


@gold
def mixed_lines_come_once_an_epoch(tf: Any) -> Result:
    given = _reading(
        tf, lambda learn, p: learn.read_keyed_batch_examples(p, 3, tf.TextLineReader, True, 2, 20, num_threads=2)
    )
    for part in ("0", "1"):
        given[part] = np.sort(given[part])
    return given


@gold
def a_parse_function_may_give_a_tensor(tf: Any) -> Result:
    def build(learn: Any, pattern: str) -> Any:
        return learn.read_keyed_batch_examples(
            pattern, 3, tf.TextLineReader, False, 1, 20, parse_fn=lambda line: tf.string_to_number(line, tf.int32)
        )

    return _reading(tf, build)


@gold
def a_parse_function_may_give_a_dict(tf: Any) -> Result:
    def parse(lines: Any) -> Dict[str, Any]:
        return {"number": tf.string_to_number(lines, tf.int32), "line": lines}

    def build(learn: Any, pattern: str) -> Any:
        return _keyed(
            learn.read_keyed_batch_examples(
                pattern, 3, tf.TextLineReader, False, 1, 20, read_batch_size=2, parse_fn=parse
            )
        )

    return _reading(tf, build, keys="at")


@gold
def examples_are_parsed_with_their_keys(tf: Any) -> Result:
    def build(learn: Any, pattern: str) -> Any:
        return _keyed(
            learn.read_keyed_batch_features(
                pattern, 3, _features(tf), tf.TFRecordReader, False, 2, 20, num_enqueue_threads=1
            )
        )

    return _reading(tf, build, _write_examples, keys="at")


@gold
def examples_are_parsed_without_an_end(tf: Any) -> Result:
    def build(learn: Any, pattern: str) -> Any:
        return learn.read_batch_features(
            pattern, 3, _features(tf), tf.TFRecordReader, False, None, 20, 5, num_enqueue_threads=1, read_batch_size=1
        )

    return _reading(tf, build, _write_examples, max_steps=6)


@gold
def features_of_records_come_once_an_epoch(tf: Any) -> Result:
    given = _reading(
        tf, lambda learn, p: learn.read_batch_record_features(p, 3, _features(tf), True, 3, 20), _write_examples
    )
    return {
        "numbers": np.sort(given["number"]),
        "words": np.sort(given["word"]),
        "some": np.sort(given["some.values"]),
        "steps": given["steps"],
        "keys": given["keys"],
        "static": given["word.static"],
    }


@gold
def a_shared_queue_gives_its_files_in_order(tf: Any) -> Result:
    return _reading(
        tf,
        lambda learn, p: learn.read_keyed_batch_examples_shared_queue(p, 3, tf.TextLineReader, False, 2, 20),
    )


@gold
def a_shared_queue_without_a_limit_does_not_end(tf: Any) -> Result:
    return _reading(
        tf,
        lambda learn, p: learn.read_keyed_batch_examples_shared_queue(p, 3, tf.TextLineReader, False, None, 20),
        max_steps=7,
    )


@gold
def a_shared_queue_gives_parsed_features(tf: Any) -> Result:
    def build(learn: Any, pattern: str) -> Any:
        return _keyed(
            learn.read_keyed_batch_features_shared_queue(
                pattern, 3, _features(tf), tf.TFRecordReader, False, 1, 20, num_queue_runners=1
            )
        )

    return _reading(tf, build, _write_examples, keys="at")


# -- queue_parsed_features -------------------------------------------------------------------


def _numbers(tf: Any) -> Any:
    return tf.train.range_input_producer(5, num_epochs=1, shuffle=False).dequeue()


@gold
def parsed_features_of_any_shape_go_through_a_queue(tf: Any) -> Result:
    def build() -> Any:
        number = _numbers(tf)
        rows = tf.range(number)
        sparse = tf.SparseTensor(tf.cast(tf.expand_dims(rows, 1), tf.int64), rows * 2, [9])
        features = {"rows": rows, "number": number, "sparse": sparse, "text": tf.as_string(tf.fill([2, number], 1))}
        keys, given = tf.contrib.learn.io.queue_parsed_features(features, tf.as_string(number), num_enqueue_threads=1)
        return dict(given, at=keys)

    return collect(tf, build)


@gold
def parsed_features_need_no_keys(tf: Any) -> Result:
    def build() -> Any:
        keys, given = tf.contrib.learn.io.queue_parsed_features({"one": _numbers(tf)}, num_enqueue_threads=1)
        assert keys is None
        return given

    return collect(tf, build)


@gold
def two_threads_lose_no_parsed_features(tf: Any) -> Result:
    def build() -> Any:
        return tf.contrib.learn.io.queue_parsed_features({"one": _numbers(tf)}, feature_queue_capacity=2)[1]

    return {"one": np.sort(collect(tf, build)["one"])}


@gold
def learn_readers_keep_tf1s_names(tf: Any) -> Result:
    with temporary_directory() as directory, tf.Graph().as_default() as graph:
        pattern = _write_examples(tf, directory)
        examples = tf.contrib.learn.read_batch_examples(pattern, 3, tf.TFRecordReader, queue_capacity=20)
        named = tf.contrib.learn.read_batch_examples(pattern, 3, tf.TFRecordReader, False, queue_capacity=20, name="n")
        parsed = tf.contrib.learn.read_batch_record_features(pattern, 3, _features(tf), queue_capacity=20)
        _, queued = tf.contrib.learn.io.queue_parsed_features({"b": examples, "a": named})
        summaries = [summary.name for summary in graph.get_collection(tf.GraphKeys.SUMMARIES)]
    tensors = [examples, named, parsed["number"], parsed["some"].values, queued["a"], queued["b"]]
    return {
        "tensors": words([tensor.name for tensor in tensors]),
        "summaries": words(sorted(summaries)),
        "static": static_shape(parsed["word"]),
    }


@gold
def learn_readers_refuse_what_tf1_refuses(tf: Any) -> Result:
    learn = tf.contrib.learn
    reader = tf.TFRecordReader
    with temporary_directory() as directory:
        p = _write_examples(tf, directory)
        calls: Dict[str, Callable[[], Any]] = {
            "no_files": lambda: learn.read_batch_examples([], 3, reader),
            "no_such_files": lambda: learn.read_batch_examples(p + "x", 3, reader),
            "no_such_files_in_a_list": lambda: learn.read_batch_examples([p + "x"], 3, reader),
            "no_pattern": lambda: learn.read_batch_examples(None, 3, reader),
            "files_and_no_others": lambda: learn.read_batch_examples([p, p + "x"], 3, reader),
            "a_batch_as_large_as_the_queue": lambda: learn.read_batch_examples(p, 20, reader, queue_capacity=20),
            "no_batch": lambda: learn.read_batch_examples(p, 0, reader),
            "no_batch_size": lambda: learn.read_batch_examples(p, None, reader),
            "no_capacity": lambda: learn.read_batch_examples(p, 3, reader, queue_capacity=0),
            "a_capacity_of_none": lambda: learn.read_batch_examples(p, 3, reader, queue_capacity=None),
            "no_threads": lambda: learn.read_batch_examples(p, 3, reader, num_threads=0),
            "threads_of_none": lambda: learn.read_batch_examples(p, 3, reader, num_threads=None),
            "no_epochs": lambda: learn.read_batch_examples(p, 3, reader, num_epochs=0),
            "nothing_read": lambda: learn.read_batch_examples(p, 3, reader, read_batch_size=0),
            "none_read": lambda: learn.read_batch_examples(p, 3, reader, read_batch_size=None),
            "a_tensor_read": lambda: learn.read_batch_examples(p, 3, reader, read_batch_size=tf.constant(2)),
            "a_fed_batch_size": lambda: learn.read_batch_examples(p, tf.placeholder(tf.int32, []), reader),
            "a_pool_that_is_just_full": lambda: learn.read_batch_examples(p, 5, reader, queue_capacity=6),
            "a_reader_made": lambda: learn.read_batch_examples(p, 3, reader()),
            "features_that_are_none": lambda: learn.read_batch_features(p, 3, None, reader),
            "no_features": lambda: learn.read_batch_features(p, 3, {}, reader),
            "features_in_a_list": lambda: learn.io.queue_parsed_features([tf.constant(1)]),
            "nothing_to_queue": lambda: learn.io.queue_parsed_features({}),
            "no_threads_to_queue": lambda: learn.io.queue_parsed_features({"a": _numbers(tf)}, num_enqueue_threads=0),
            "arrays_to_queue": lambda: learn.io.queue_parsed_features({"a": np.arange(3)}),
        }
        return {name: error_at_call(tf, call) for name, call in calls.items()}


@gold
def a_file_of_other_records_is_an_invalid_argument_to_parsing(tf: Any) -> Result:
    with temporary_directory() as directory:
        path = write_texts(tf, directory, "a.records", [b"none"])

        def build() -> Any:
            features = {"a": tf.FixedLenFeature([], tf.int64)}
            # The file has one record and is opened for each: a queue of 10,000 takes its time to fill.
            return tf.contrib.learn.read_batch_record_features(path, 1, features, queue_capacity=20)

        return failure(tf, build)


# -- input functions -------------------------------------------------------------------------


@gold
def learnt_arrays_are_mixed_unless_told_otherwise(tf: Any) -> Result:
    given = collect(tf, lambda: tf.contrib.learn.io.numpy_input_fn({"a": np.arange(10)}, batch_size=4)())
    again = collect(tf, lambda: tf.contrib.learn.io.numpy_input_fn({"a": np.arange(10)}, batch_size=4, shuffle=False)())
    return {"mixed": np.sort(given["a"]), "steps": given["steps"], "in_order": again["a"]}


def _counting() -> Any:
    for number in range(6):
        yield {"n": np.int64(number), "pair": np.array([number, -number], np.float32)}


def _growing() -> Any:
    for number in range(6):
        yield {"row": np.full(number % 4 + 1, number)}


@gold
def a_generator_comes_in_order_without_an_end(tf: Any) -> Result:
    build = tf.contrib.learn.io.generator_input_fn(_counting, batch_size=4, num_epochs=None, shuffle=False)
    return collect(tf, build, max_steps=5)


@gold
def a_generator_ends_with_its_epochs(tf: Any) -> Result:
    build = tf.contrib.learn.io.generator_input_fn(_counting, batch_size=4, num_epochs=2, shuffle=False)
    return collect(tf, build)


@gold
def one_key_of_a_generator_is_a_target(tf: Any) -> Result:
    def build() -> List[Any]:
        fn = tf.contrib.learn.io.generator_input_fn(_counting, "n", 4, None, False)
        features, target = fn()
        return [features["pair"], target]

    return collect(tf, build, max_steps=3)


@gold
def several_keys_of_a_generator_are_targets(tf: Any) -> Result:
    def build() -> Dict[str, Any]:
        fn = tf.contrib.learn.io.generator_input_fn(_counting, ["n", "pair"], 4, None, False)
        features, targets = fn()
        assert not features
        return targets

    return collect(tf, build, max_steps=3)


@gold
def examples_of_a_generator_are_padded_with_a_value(tf: Any) -> Result:
    build = tf.contrib.learn.io.generator_input_fn(_growing, batch_size=4, num_epochs=None, shuffle=False, pad_value=-1)
    return collect(tf, build, max_steps=5)


@gold
def generators_refuse_what_tf1_refuses(tf: Any) -> Result:
    make = tf.contrib.learn.io.generator_input_fn

    def lists() -> Any:
        yield [1]

    def numbers() -> Any:
        yield {"n": 1}

    def nothing() -> Any:
        yield from ()

    calls: Dict[str, Callable[[], Any]] = {
        "a_generator": lambda: make(_counting()),
        "a_list": lambda: make([1]),
        "a_function": lambda: make(lambda: 3),
        "lists": lambda: make(lists),
        "nothing": lambda: make(nothing),
        "plain_numbers": lambda: make(numbers)(),
        "a_key_that_is_missing": lambda: make(_counting, "m"),
        "a_key_that_is_missing_called": lambda: make(_counting, "m")(),
        "one_key_that_is_missing": lambda: make(_counting, ["n", "m"]),
        "a_number_for_a_key": lambda: make(_counting, 3),
        "a_number_among_keys": lambda: make(_counting, ["n", 3]),
        "mixed_and_padded": lambda: make(_counting, pad_value=0)(),
        "no_threads": lambda: make(_counting, num_threads=0)(),
    }
    return {name: error_at_call(tf, call) for name, call in calls.items()}


@gold
def what_is_no_table_is_given_back(tf: Any) -> Result:
    learn = tf.contrib.learn
    functions = ["extract_pandas_data", "extract_pandas_labels", "extract_pandas_matrix"]
    return {name: np.array(getattr(learn, name) is getattr(learn.io, name)) for name in functions}


@gold
def a_table_in_a_csv_file_is_loaded_for_a_queue(tf: Any) -> Result:
    base = tf.contrib.learn.datasets.base
    with temporary_directory() as folder:

        def written(name: str, text: str) -> str:
            with open(os.path.join(folder, name), "w") as file:
                file.write(text)
            return os.path.join(folder, name)

        headed = written("headed.csv", "3,2,a,b\n1.5,2,0\n3,4,1\n5,6,2\n")
        plain = written("plain.csv", "0,1.5,2\n1,3,4\n")
        short = written("short.csv", "3,2\n1,2,0\n")
        first = base.load_csv_with_header(headed, np.int64, np.float32)
        second = base.load_csv_without_header(plain, np.int32, np.float64, target_column=0)
        third = base.load_csv_with_header(filename=short, target_dtype=np.int32, features_dtype=np.int32)
        errors = {
            "absent": lambda: base.load_csv_with_header(folder + "/absent", np.int32, np.int32),
            "no_header": lambda: base.load_csv_with_header(headed + "x", np.int32, np.int32),
            "more_rows": lambda: base.load_csv_with_header(
                written("more.csv", "1,2\n1,2,0\n1,2,0\n"), np.int32, np.int32
            ),
            "more_columns": lambda: base.load_csv_with_header(
                written("wide.csv", "1,2\n1,2,3,0\n"), np.int32, np.int32
            ),
            "no_number": lambda: base.load_csv_with_header(written("words.csv", "1,1\na,0\n"), np.int32, np.int32),
        }
        found = {name: error_at_call(tf, call) for name, call in errors.items()}
        read = tf.estimator.inputs.numpy_input_fn({"x": first.data}, first.target, 2, 1, shuffle=False)
        result = collect(tf, lambda: read()[0])
    for name, table in (("first", first), ("second", second), ("third", third)):
        result[name], result[name + "_target"] = table.data, table.target
    return dict(result, **found, fields=words(type(first)._fields))
