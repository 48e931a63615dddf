"""``tf.contrib.data``: every transformation and dataset that still has a counterpart, on small datasets."""

from __future__ import annotations

import os
import sqlite3
from typing import Any, Callable, Dict

import numpy as np

from .harness import Result, collect, error_at_call, error_at_run, gold, running, temporary_directory, word

__all__: list[str] = []


def _elements(tf: Any, dataset: Any, max_steps: Any = None) -> Result:
    return collect(tf, lambda: tf.data.make_one_shot_iterator(dataset()).get_next(), max_steps)


def _all(tf: Any, datasets: Dict[str, Callable[[], Any]], max_steps: Any = None) -> Result:
    """The elements of each dataset, each in a graph of its own."""
    results: Result = {}
    for name, dataset in datasets.items():
        results.update({f"{name}.{key}": array for key, array in _elements(tf, dataset, max_steps).items()})
    return results


def _applied(tf: Any, transformation: Callable[[], Any], length: int = 10) -> Callable[[], Any]:
    return lambda: tf.data.Dataset.range(length).apply(transformation())


@gold
def contribs_batches_are_as_they_were(tf: Any) -> Result:
    data = tf.contrib.data
    return _all(
        tf,
        {
            "dropped": _applied(tf, lambda: data.batch_and_drop_remainder(3)),
            "padded": lambda: (
                tf.data.Dataset.range(5)
                .map(lambda x: tf.fill([x], x))
                .apply(data.padded_batch_and_drop_remainder(2, [None], np.int64(-1)))
            ),
            "mapped": _applied(tf, lambda: data.map_and_batch(lambda x: (x, x * x), 4)),
            "mapped_and_dropped": _applied(
                tf, lambda: data.map_and_batch(lambda x: x + 1, 4, num_parallel_batches=2, drop_remainder=True)
            ),
            "mapped_in_parallel": _applied(tf, lambda: data.map_and_batch(lambda x: x, 4, num_parallel_calls=3)),
            "sparse": lambda: (
                tf.data.Dataset.range(4).map(lambda x: tf.fill([x], x)).apply(data.dense_to_sparse_batch(2, [5]))
            ),
            "unbatched": lambda: tf.data.Dataset.range(6).batch(4).apply(data.unbatch()),
            "windows": _applied(tf, lambda: data.sliding_window_batch(3)),
            "windows_shifted": _applied(tf, lambda: data.sliding_window_batch(4, window_shift=2, window_stride=2)),
            "windows_of_old": _applied(tf, lambda: data.sliding_window_batch(2, stride=3)),
            "windows_larger_than_all": _applied(tf, lambda: data.sliding_window_batch(11)),
            "windows_of_pairs": lambda: (
                tf.data.Dataset.range(5)
                .map(lambda x: {"a": x, "b": tf.fill([2], x)})
                .apply(data.sliding_window_batch(window_size=3))
            ),
        },
    )


@gold
def contribs_orders_are_as_they_were(tf: Any) -> Result:
    data = tf.contrib.data

    def three() -> Any:
        return [tf.data.Dataset.range(10 * n, 10 * n + 6) for n in range(3)]

    def interleaved(make: Callable[..., Any]) -> Any:
        return make(lambda x: tf.data.Dataset.from_tensors(x * 10).repeat(3), cycle_length=2)

    return _all(
        tf,
        {
            "interleaved": _applied(tf, lambda: interleaved(data.parallel_interleave), 4),
            "counted": _applied(tf, lambda: data.enumerate_dataset(start=5), 3),
            "chosen": lambda: data.choose_from_datasets(
                three(), tf.data.Dataset.from_tensor_slices(np.array([2, 0, 0, 1, 2, 2, 1], np.int64))
            ),
            "sampled_by_seed": lambda: data.sample_from_datasets(three(), [0.2, 0.5, 0.3], seed=7),
            "sampled_alike": lambda: data.sample_from_datasets(three(), seed=7),
            "mixed_and_repeated": _applied(tf, lambda: data.shuffle_and_repeat(4, count=3, seed=9)),
            "scanned": _applied(tf, lambda: data.scan(np.int64(0), lambda total, x: (total + x, total * x))),
            "unlike": lambda: tf.data.Dataset.from_tensor_slices([1, 2, 1, 3, 2]).apply(data.unique()),
            "without_errors": lambda: (
                tf.data.Dataset.from_tensor_slices([1.0, 0.0, 2.0])
                .map(lambda x: tf.check_numerics(1.0 / x, "not a number"))
                .apply(data.ignore_errors())
            ),
        },
    )


@gold
def sloppy_interleaving_gives_every_element(tf: Any) -> Result:
    result = _elements(
        tf,
        _applied(
            tf, lambda: tf.contrib.data.sloppy_interleave(lambda x: tf.data.Dataset.from_tensors(x).repeat(2), 2), 5
        ),
    )
    return {"numbers": np.sort(result["out"]), "ending": result["ending"]}


@gold
def contribs_groups_are_as_they_were(tf: Any) -> Result:
    data = tf.contrib.data

    def total() -> Any:
        return data.Reducer(lambda _: np.int64(0), lambda state, x: state + x, lambda state: state * 100)

    def texts() -> Any:
        return tf.data.Dataset.from_tensor_slices([1, 5, 2, 3, 7, 4, 1]).map(lambda n: tf.fill([n], n))

    buckets = {"bucket_boundaries": [3, 5], "bucket_batch_sizes": [2, 2, 2]}
    return _all(
        tf,
        {
            "windows": _applied(tf, lambda: data.group_by_window(lambda x: x % 2, lambda _, w: w.batch(3), 3)),
            "windows_by_size": _applied(
                tf,
                lambda: data.group_by_window(
                    lambda x: x % 2, lambda _, w: w.batch(4), window_size_func=lambda key: key + 2
                ),
            ),
            "reduced": _applied(tf, lambda: data.group_by_reducer(lambda x: x % 3, total())),
            "buckets": lambda: texts().apply(data.bucket_by_sequence_length(lambda x: tf.size(x), **buckets)),
            "buckets_to_their_boundary": lambda: (
                tf.data.Dataset.from_tensor_slices([1, 2, 3, 4])
                .map(lambda n: tf.fill([n], n))
                .apply(
                    data.bucket_by_sequence_length(
                        lambda x: tf.size(x), pad_to_bucket_boundary=True, padding_values=-1, **buckets
                    )
                )
            ),
        },
    )


@gold
def a_dataset_is_reduced_to_one_value(tf: Any) -> Result:
    data = tf.contrib.data

    def build() -> Dict[str, Any]:
        reducer = data.Reducer(lambda _: np.int64(1), lambda state, x: state + x, lambda state: state * 100)
        return {
            "reduced": data.reduce_dataset(tf.data.Dataset.range(5), reducer),
            "single": data.get_single_element(tf.data.Dataset.from_tensors(tf.constant([3, 4]))),
        }

    return collect(tf, build, max_steps=1)


@gold
def shapes_of_elements_are_asserted(tf: Any) -> Result:
    data = tf.contrib.data

    def lists(*lengths: int) -> Any:
        return tf.data.Dataset.from_tensor_slices(list(lengths)).map(lambda n: tf.fill([n], n))

    shape = tf.TensorShape
    result = _all(
        tf,
        {
            "one": lambda: lists(2, 2).apply(data.assert_element_shape(shape([2]))),
            "two": lambda: tf.data.Dataset.zip((lists(2, 2), lists(1, 3))).apply(
                data.assert_element_shape((shape([2]), shape(None)))
            ),
            "dict": lambda: (
                lists(2, 2)
                .map(lambda x: {"a": x, "b": x[0]})
                .apply(data.assert_element_shape({"a": shape([2]), "b": shape([])}))
            ),
        },
    )
    result["known_otherwise"] = error_at_call(
        tf, lambda: tf.data.Dataset.range(3).apply(data.assert_element_shape(shape([2])))
    )
    with tf.Graph().as_default():
        element = tf.data.make_one_shot_iterator(lists(2, 3).apply(data.assert_element_shape(shape([2])))).get_next()
        with running(tf) as session:
            result["first"] = session.run(element)
            result["second"] = error_at_run(lambda: session.run(element))
    return result


@gold
def contribs_counters_and_generators_are_as_they_were(tf: Any) -> Result:
    data = tf.contrib.data
    return _all(
        tf,
        {
            "counter": lambda: data.Counter(),
            "counter_down": lambda: data.Counter(start=3, step=-2, dtype=tf.int32),
            "random": lambda: data.RandomDataset(seed=4),
        },
        max_steps=5,
    )


_COLUMNS = "a,b,c\n1,x,0.5\n2,y,\n3,z,1.5\n4,w,2.5\n"


@gold
def tables_are_read_as_they_were(tf: Any) -> Result:
    data = tf.contrib.data
    with temporary_directory() as folder:
        path, base = os.path.join(folder, "table.csv"), os.path.join(folder, "base")
        with open(path, "w") as file:
            file.write(_COLUMNS)
        with sqlite3.connect(base) as connection:
            connection.execute("create table t (a integer, b text)")
            connection.executemany("insert into t values (?, ?)", [(1, "x"), (2, "y")])
        connection.close()
        return _all(
            tf,
            {
                "csv": lambda: data.CsvDataset(path, [tf.int32, tf.string, [9.0]], header=True),
                "columns": lambda: data.CsvDataset([path], [tf.int64], header=True, select_cols=[0]),
                "made": lambda: data.make_csv_dataset(path, 3, num_epochs=1, shuffle=False),
                "labelled": lambda: data.make_csv_dataset(
                    path, 2, select_columns=["a", "b"], num_epochs=1, shuffle=False
                ),
                "sql": lambda: data.SqlDataset("sqlite", base, "select a, b from t order by a", (tf.int32, tf.string)),
            },
        )


def _examples(tf: Any, path: str, count: int) -> None:
    with tf.python_io.TFRecordWriter(path) as writer:
        for number in range(count):
            values = {
                "n": tf.train.Feature(int64_list=tf.train.Int64List(value=[number])),
                "words": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"w"] * number)),
            }
            example = tf.train.Example(features=tf.train.Features(feature=values))
            writer.write(example.SerializeToString())


@gold
def batches_of_features_are_read_as_they_were(tf: Any) -> Result:
    data = tf.contrib.data
    with temporary_directory() as folder:
        path = os.path.join(folder, "a.records")
        _examples(tf, path, 5)
        features = {"n": tf.FixedLenFeature([], tf.int64), "words": tf.VarLenFeature(tf.string)}
        read = collect(tf, lambda: data.read_batch_features(path, 2, features, randomize_input=False, num_epochs=2))
        mixed = collect(tf, lambda: data.read_batch_features(path, 5, features, num_epochs=1))
        labelled = _elements(
            tf,
            lambda: data.make_batched_features_dataset(
                path, 2, {"n": features["n"]}, num_epochs=1, shuffle=False, drop_final_batch=True
            ),
        )
        parsed = _elements(
            tf, lambda: tf.data.TFRecordDataset(path).batch(3).apply(data.parse_example_dataset(features))
        )
    result = {f"read.{key}": array for key, array in read.items()}
    result.update({f"made.{key}": array for key, array in labelled.items()})
    result.update({f"parsed.{key}": array for key, array in parsed.items()})
    result["mixed"] = np.sort(mixed["n"])
    return result


@gold
def records_are_written_as_they_were(tf: Any) -> Result:
    with temporary_directory() as folder, tf.Graph().as_default():
        path = os.path.join(folder, "records")
        lines = tf.data.Dataset.from_tensor_slices(["one", "two"])
        write = tf.contrib.data.TFRecordWriter(path).write(lines)
        with running(tf) as session:
            session.run(write)
        with open(path, "rb") as file:
            return {"records": word(file.read().decode("latin-1"))}


@gold
def rejection_keeps_the_classes_that_are_wanted(tf: Any) -> Result:
    """The draws are TensorFlow's own; that nothing of an unwanted class comes is not."""
    result = _elements(
        tf,
        lambda: tf.data.Dataset.range(40).apply(
            tf.contrib.data.rejection_resample(
                lambda x: tf.cast(x % 2, tf.int32), [0.0, 1.0], initial_dist=[0.5, 0.5], seed=1
            )
        ),
    )
    return {"classes": np.unique(result["0"]), "structure": result["structure"], "keeps": np.unique(result["1"] % 2)}


@gold
def the_place_in_a_dataset_is_saved(tf: Any) -> Result:
    with temporary_directory() as folder, tf.Graph().as_default():
        iterator = tf.data.make_initializable_iterator(tf.data.Dataset.range(10))
        element = iterator.get_next()
        tf.add_to_collection(tf.GraphKeys.SAVEABLE_OBJECTS, tf.contrib.data.make_saveable_from_iterator(iterator))
        saver = tf.train.Saver()
        with running(tf) as session:
            session.run(iterator.initializer)
            given = [session.run(element) for _ in range(3)]
            path = saver.save(session, os.path.join(folder, "model"))
            given += [session.run(element) for _ in range(2)]
            saver.restore(session, path)
            return {"numbers": np.array([*given, session.run(element)])}


@gold
def an_element_may_be_optional(tf: Any) -> Result:
    with tf.Graph().as_default():
        iterator = tf.data.make_initializable_iterator(tf.data.Dataset.range(1))
        element = tf.contrib.data.get_next_as_optional(iterator)
        is_there = element.has_value()
        with running(tf) as session:
            session.run(iterator.initializer)
            given = [session.run(is_there) for _ in range(2)]
        return {
            "is_there": np.array(given),
            "is_optional": np.array(isinstance(element, tf.contrib.data.Optional)),
            "autotune": np.array(tf.contrib.data.AUTOTUNE),
        }


@gold
def datasets_refuse_what_contrib_refused(tf: Any) -> Result:
    data = tf.contrib.data

    def applied(transformation: Any) -> Any:
        return tf.data.Dataset.range(5).apply(transformation)

    calls: Dict[str, Callable[[], Any]] = {
        "stride_and_shift": lambda: data.sliding_window_batch(2, stride=1, window_shift=1),
        "reduced_list": lambda: data.reduce_dataset([1], data.Reducer(None, None, None)),
        "window_without_size": lambda: applied(data.group_by_window(lambda x: x, lambda _, w: w)),
        "window_of_two_sizes": lambda: applied(data.group_by_window(lambda x: x, lambda _, w: w, 2, lambda key: key)),
        "batches_and_calls": lambda: applied(
            data.map_and_batch(lambda x: x, 2, num_parallel_batches=1, num_parallel_calls=1)
        ),
        "too_few_sizes": lambda: applied(data.bucket_by_sequence_length(lambda x: x, [2], [2])),
        "two_shapes_for_one": lambda: applied(data.assert_element_shape((tf.TensorShape([]), tf.TensorShape([])))),
        "three_shapes_for_two": lambda: tf.data.Dataset.zip((tf.data.Dataset.range(2),) * 2).apply(
            data.assert_element_shape((tf.TensorShape([]),) * 3)
        ),
        "other_datasets": lambda: data.sample_from_datasets(
            [tf.data.Dataset.range(2), tf.data.Dataset.from_tensors("a")]
        ),
        "weights_of_another_length": lambda: data.sample_from_datasets([tf.data.Dataset.range(2)] * 2, [0.5]),
    }
    return {name: error_at_call(tf, call) for name, call in calls.items()}
