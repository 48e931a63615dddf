"""Differences of ``tf.contrib``'s functions that their docstrings name: the results of TF1 where ours differ.

Every array of these cases is a line of known_differences.csv.
"""

from __future__ import annotations

import os
from typing import Any, Dict

import numpy as np

from .harness import Result, collect, error_at_call, error_at_run, gold, temporary_directory, words

__all__: list[str] = []


def _rows(tf: Any, *rows: Any) -> Any:
    """A sparse feature: one row for each list of values."""
    indices = [[row, place] for row, values in enumerate(rows) for place in range(len(values))]
    return tf.SparseTensor(indices, [value for values in rows for value in values], [len(rows), max(map(len, rows))])


def _initialised(tf: Any, session: Any) -> Any:
    session.run([tf.global_variables_initializer(), tf.tables_initializer()])
    return session


def _weights(tf: Any) -> Any:
    (weights,) = [variable for variable in tf.global_variables() if "bias" not in variable.name]
    return weights


@gold
def a_variable_is_assigned_by_the_beginning_of_its_name(tf: Any) -> Result:
    def assign() -> None:
        tf.get_variable("weights/long", [2])
        tf.contrib.framework.assign_from_values({"weights/lo": np.ones(2, np.float32)})

    return {"call": error_at_call(tf, assign)}


@gold
def integers_out_of_range_fall_into_a_bucket(tf: Any) -> Result:
    layers = tf.contrib.layers
    features = lambda: {"w": _rows(tf, [np.int64(5)])}
    with tf.Graph().as_default():
        counted = layers.one_hot_column(layers.sparse_column_with_integerized_feature("w", 4))
        one_hot = layers.input_from_feature_columns(features(), [counted])
        with tf.Session() as session:
            result = {"one_hot": _initialised(tf, session).run(one_hot)}
    with tf.Graph().as_default():
        column = layers.sparse_column_with_integerized_feature("w", 4)
        total, _, _ = layers.weighted_sum_from_feature_columns(features(), [column], 1)
        with tf.Session() as session:
            _initialised(tf, session)
            result["weighted"] = error_at_run(lambda: session.run(total))
    return result


@gold
def crossed_words_fall_into_buckets(tf: Any) -> Result:
    layers = tf.contrib.layers
    with tf.Graph().as_default():
        features = {name: _rows(tf, *([f"{name}{number}"] for number in range(8))) for name in "ab"}
        hashed = [layers.sparse_column_with_hash_bucket(name, 10) for name in "ab"]
        total, _, _ = layers.weighted_sum_from_feature_columns(features, [layers.crossed_column(hashed, 50)], 1)
        with tf.Session() as session:
            _initialised(tf, session).run(_weights(tf).assign(np.arange(50, dtype="f").reshape(50, 1)))
            return {"buckets": session.run(total).ravel()}


@gold
def a_sparse_column_is_combined_as_it_says(tf: Any) -> Result:
    layers = tf.contrib.layers
    with tf.Graph().as_default():
        column = layers.sparse_column_with_keys("w", ["x", "y"], combiner="mean")
        total, _, _ = layers.weighted_sum_from_feature_columns({"w": _rows(tf, ["x", "y"])}, [column], 1)
        with tf.Session() as session:
            _initialised(tf, session).run(_weights(tf).assign([[2.0], [4.0]]))
            return {"mean": session.run(total)}


@gold
def parsed_features_have_their_columns_as_keys_too(tf: Any) -> Result:
    layers = tf.contrib.layers
    with tf.Graph().as_default():
        columns = [layers.real_valued_column("x", default_value=1.0)]
        parsed = layers.parse_feature_columns_from_examples(tf.constant([""]), columns)
        return {"kinds": words(sorted(type(key).__name__ for key in parsed))}


@gold
def variables_of_columns_have_names(tf: Any) -> Result:
    layers = tf.contrib.layers
    result: Dict[str, Any] = {}
    with tf.Graph().as_default():
        embedded = layers.embedding_column(layers.sparse_column_with_hash_bucket("w", 4), 2)
        layers.input_from_feature_columns({"w": _rows(tf, ["x"])}, [embedded])
        result["input"] = words([variable.name for variable in tf.global_variables()])
    with tf.Graph().as_default():
        layers.weighted_sum_from_feature_columns({"x": tf.ones([1, 1])}, [layers.real_valued_column("x")], 1)
        result["sum"] = words([variable.name for variable in tf.global_variables()])
    return result


@gold
def a_list_of_files_with_epochs_is_kept_in_variables(tf: Any) -> Result:
    with tf.Graph().as_default(), temporary_directory() as folder:
        with open(os.path.join(folder, "lines"), "w") as file:
            file.write("line\n")
        tf.contrib.learn.read_keyed_batch_examples_shared_queue(
            os.path.join(folder, "lines"), 1, tf.TextLineReader, num_epochs=2, queue_capacity=4
        )
        return {"names": words(sorted(variable.name for variable in tf.global_variables()))}


@gold
def the_longest_possible_sequence_has_a_bucket(tf: Any) -> Result:
    def build() -> Any:
        length = tf.train.input_producer(
            tf.constant([1, 2**31 - 1], tf.int32), num_epochs=1, shuffle=False, name="source"
        ).dequeue()
        lengths, _ = tf.contrib.training.bucket_by_sequence_length(
            length, [length], 1, [5], allow_smaller_final_batch=True
        )
        return lengths

    return {"sorted": np.sort(collect(tf, build)["out"])}


@gold
def errors_that_end_a_feeding_runner_are_chosen(tf: Any) -> Result:
    def broken() -> Dict[Any, Any]:
        raise tf.errors.DataLossError(None, None, "the chosen end")

    with tf.Graph().as_default(), tf.Session() as session:
        queue = tf.FIFOQueue(4, [tf.int32], [[]])
        number = tf.placeholder(tf.int32, [])
        runner = tf.contrib.training.FeedingQueueRunner(
            queue, [queue.enqueue(number)], feed_fns=[broken], queue_closed_exception_types=(tf.errors.DataLossError,)
        )
        coordinator = tf.train.Coordinator()
        threads = runner.create_threads(session, coordinator, daemon=True, start=True)
        error_at_run(lambda: session.run(queue.dequeue()))
        coordinator.request_stop()
        return {"join": error_at_run(lambda: coordinator.join(threads))}


@gold
def a_spline_has_its_last_bits(tf: Any) -> Result:
    points = np.random.RandomState(0).rand(1, 5, 2).astype(np.float32)
    values = np.random.RandomState(1).rand(1, 5, 1).astype(np.float32)
    with tf.Graph().as_default(), tf.Session() as session:
        spline = tf.contrib.image.interpolate_spline(
            tf.constant(points), tf.constant(values), tf.constant(points + np.float32(0.1)), 2
        )
        return {"bits": session.run(spline)}


@gold
def a_batch_is_cropped_to_a_size_of_three(tf: Any) -> Result:
    return {"call": error_at_call(tf, lambda: tf.random_crop(tf.zeros([2, 4, 4, 3]), [2, 2, 3]))}


@gold
def arrays_are_put_into_a_staging_area(tf: Any) -> Result:
    area = lambda: tf.contrib.staging.StagingArea([tf.float32])
    return {"call": error_at_call(tf, lambda: area().put([np.ones(2, np.float32)]))}
