"""Producers and readers alone: order, epochs, keys, and the queue that TF1 returns."""

from __future__ import annotations

from typing import Any

import numpy as np

from .harness import (
    Result,
    collect,
    dtype_name,
    gold,
    temporary_directory,
    without_directories,
    word,
    words,
)
from .records import texts, write_texts

__all__: list[str] = []

NAMES = ["d", "a", "c", "b", "e"]


# -- order -----------------------------------------------------------------------------------


@gold
def an_unshuffled_slice_producer_keeps_the_order_over_two_epochs(tf: Any) -> Result:
    def build() -> Any:
        rows = [np.arange(5), np.arange(10.0).reshape(5, 2), np.array(NAMES)]
        return tf.train.slice_input_producer(rows, num_epochs=2, shuffle=False)

    return collect(tf, build)


@gold
def a_slice_producer_of_one_tensor_returns_a_list_of_one(tf: Any) -> Result:
    def build() -> Any:
        return tf.train.slice_input_producer([np.arange(3)], num_epochs=1, shuffle=False)

    return collect(tf, build)


@gold
def the_first_tensor_sets_the_rows_and_longer_ones_lose_their_tail(tf: Any) -> Result:
    def build() -> Any:
        return tf.train.slice_input_producer([np.arange(3), np.arange(5)], num_epochs=2, shuffle=False)

    return collect(tf, build)


@gold
def an_unshuffled_string_producer_keeps_the_order_over_two_epochs(tf: Any) -> Result:
    def build() -> Any:
        return tf.train.string_input_producer(NAMES, num_epochs=2, shuffle=False).dequeue()

    return collect(tf, build)


@gold
def a_seeded_string_producer_permutes_each_epoch_afresh(tf: Any) -> Result:
    def build() -> Any:
        return tf.train.string_input_producer(NAMES, num_epochs=4, seed=6).dequeue()

    return collect(tf, build)


@gold
def an_unshuffled_range_producer_counts_up_over_two_epochs(tf: Any) -> Result:
    def build() -> Any:
        return tf.train.range_input_producer(5, num_epochs=2, shuffle=False).dequeue()

    return collect(tf, build)


@gold
def a_seeded_range_producer_permutes_each_epoch_afresh(tf: Any) -> Result:
    def build() -> Any:
        return tf.train.range_input_producer(9, seed=7).dequeue()

    return collect(tf, build, max_steps=40)


@gold
def an_input_producer_gives_rows_of_any_rank(tf: Any) -> Result:
    def build() -> Any:
        rows = np.arange(24.0, dtype=np.float32).reshape(4, 3, 2)
        return tf.train.input_producer(rows, num_epochs=3, shuffle=True, seed=8).dequeue()

    return collect(tf, build)


@gold
def an_input_producer_takes_element_shape_where_the_shape_is_unknown(tf: Any) -> Result:
    def build() -> Any:
        rows = tf.py_func(lambda: np.arange(6, dtype=np.int64).reshape(3, 2), [], tf.int64)
        queue = tf.train.input_producer(rows, element_shape=[2], num_epochs=2, shuffle=False)
        return queue.dequeue()

    return collect(tf, build)


@gold
def a_producer_with_less_capacity_than_rows_still_gives_whole_epochs(tf: Any) -> Result:
    def build() -> Any:
        return tf.train.range_input_producer(9, num_epochs=2, shuffle=True, seed=9, capacity=2).dequeue()

    return collect(tf, build)


@gold
def filenames_may_be_a_tensor(tf: Any) -> Result:
    def build() -> Any:
        filenames = tf.string_join([tf.constant(NAMES), ".txt"])
        return tf.train.string_input_producer(filenames, num_epochs=2, seed=10).dequeue()

    return collect(tf, build)


@gold
def a_range_limit_may_be_a_tensor(tf: Any) -> Result:
    def build() -> Any:
        limit = tf.size(tf.constant(NAMES))
        return tf.train.range_input_producer(limit, num_epochs=2, seed=11).dequeue()

    return collect(tf, build)


@gold
def odd_arguments_of_producers_are_taken_without_complaint(tf: Any) -> Result:
    """What TF1 makes of epochs that are no whole number, of a truthy shuffle, and of arrays for numbers."""
    oddities = {
        "epochs_one_and_a_half": dict(num_epochs=1.5, shuffle=False),
        "epochs_a_half": dict(num_epochs=0.5, shuffle=False),
        "epochs_true": dict(num_epochs=True, shuffle=False),
        "shuffle_yes": dict(num_epochs=2, shuffle="yes", seed=3),
        "shuffle_none": dict(num_epochs=2, shuffle=None),
        "capacity_negative": dict(num_epochs=2, shuffle=False, capacity=-1),
        "capacity_one_and_a_half": dict(num_epochs=2, shuffle=False, capacity=1.5),
        "arrays": dict(num_epochs=np.array(2), shuffle=np.array(True), seed=np.array(3), capacity=np.array(7)),
    }
    result = {}
    for name, arguments in oddities.items():

        def build(arguments: Any = arguments) -> Any:
            return tf.train.range_input_producer(4, **arguments).dequeue()

        given = collect(tf, build)
        result[name] = given["out"]
        result[name + ".ending"] = given["ending"]
    return result


# -- the queue that a producer returns -------------------------------------------------------


@gold
def a_producer_returns_a_queue_that_knows_its_elements(tf: Any) -> Result:
    result = {}
    with tf.Graph().as_default():
        for kind, queue in [
            ("string", tf.train.string_input_producer(NAMES)),
            ("range", tf.train.range_input_producer(5)),
            ("input", tf.train.input_producer(np.zeros((4, 3, 2), np.float32))),
        ]:
            result[kind + ".dtype"] = dtype_name(queue.dtypes[0])
            result[kind + ".shape"] = np.array(queue.shapes[0].as_list(), np.int64)
            result[kind + ".is_fifo"] = np.array(isinstance(queue, tf.FIFOQueue))
            result[kind + ".dequeued_rank"] = np.array(queue.dequeue().shape.ndims)
    return result


@gold
def a_producers_queue_gives_many_elements_at_once(tf: Any) -> Result:
    """Five numbers twice, by four: the tail is dropped."""

    def build() -> Any:
        return tf.train.range_input_producer(5, num_epochs=2, seed=12).dequeue_many(4)

    return collect(tf, build)


@gold
def a_producers_queue_gives_up_to_many_elements_at_once(tf: Any) -> Result:
    """Five numbers twice, by four: the tail is short."""

    def build() -> Any:
        return tf.train.range_input_producer(5, num_epochs=2, seed=12).dequeue_up_to(4)

    return collect(tf, build)


@gold
def two_dequeues_share_a_queue_exactly_once(tf: Any) -> Result:
    """Which of the two gets which element is chance; together they get each one once."""

    def build() -> Any:
        queue = tf.train.range_input_producer(6, num_epochs=2, shuffle=False)
        return [queue.dequeue(), queue.dequeue()]

    given = collect(tf, build)
    return {
        "elements": np.sort(np.concatenate([given["0"], given["1"]])),
        "steps": given["steps"],
        "ending": given["ending"],
    }


# -- readers ---------------------------------------------------------------------------------


def _two_files(tf: Any, directory: str) -> Any:
    return [
        write_texts(tf, directory, "a.records", texts("a", 4)),
        write_texts(tf, directory, "empty.records", []),
        write_texts(tf, directory, "b.records", texts("b", 3)),
    ]


@gold
def a_record_reader_gives_the_file_and_the_offset_as_key(tf: Any) -> Result:
    with temporary_directory() as directory:

        def build() -> Any:
            queue = tf.train.string_input_producer(_two_files(tf, directory), num_epochs=2, shuffle=False)
            key, value = tf.TFRecordReader().read(queue)
            return {"key": key, "value": value}

        result = collect(tf, build)
    result["key"] = without_directories(result["key"])
    return result


@gold
def shuffled_files_are_read_whole_in_the_seeds_order(tf: Any) -> Result:
    with temporary_directory() as directory:

        def build() -> Any:
            queue = tf.train.string_input_producer(_two_files(tf, directory), num_epochs=3, shuffle=True, seed=13)
            key, value = tf.TFRecordReader().read(queue)
            return tf.train.batch([key, value], batch_size=4, allow_smaller_final_batch=True)

        result = collect(tf, build)
    result["0"] = without_directories(result["0"])
    return result


@gold
def read_up_to_stops_at_the_end_of_a_file(tf: Any) -> Result:
    with temporary_directory() as directory:

        def build() -> Any:
            queue = tf.train.string_input_producer(_two_files(tf, directory), num_epochs=2, shuffle=False)
            return list(tf.TFRecordReader().read_up_to(queue, 3))

        result = collect(tf, build)
    result["0"] = without_directories(result["0"])
    return result


@gold
def what_read_up_to_gives_is_batched_across_files(tf: Any) -> Result:
    with temporary_directory() as directory:

        def build() -> Any:
            queue = tf.train.string_input_producer(_two_files(tf, directory), num_epochs=2, shuffle=False)
            _, values = tf.TFRecordReader().read_up_to(queue, 3)
            return tf.train.batch([values], batch_size=5, enqueue_many=True)

        return collect(tf, build)


@gold
def compressed_records_are_read_with_options(tf: Any) -> Result:
    options = tf.python_io.TFRecordOptions(tf.python_io.TFRecordCompressionType.GZIP)
    with temporary_directory() as directory:

        def build() -> Any:
            path = write_texts(tf, directory, "a.gz", texts("a", 4), options)
            queue = tf.train.string_input_producer([path], num_epochs=1, shuffle=False)
            key, value = tf.TFRecordReader(options=options).read(queue)
            return {"key": key, "value": value}

        result = collect(tf, build)
    result["key"] = without_directories(result["key"])
    return result


@gold
def two_readers_on_one_queue_split_the_files(tf: Any) -> Result:
    with temporary_directory() as directory:

        def build() -> Any:
            paths = [write_texts(tf, directory, name, texts(name, 3)) for name in ("x", "y")]
            queue = tf.train.string_input_producer(paths, num_epochs=1, shuffle=False)
            return [tf.TFRecordReader().read(queue)[1] for _ in range(2)]

        given = collect(tf, build)
    values = np.concatenate([given["0"], given["1"]])
    return {"values": np.sort(values), "steps": given["steps"], "ending": given["ending"]}


# -- names and collections -------------------------------------------------------------------


def _runners(tf: Any) -> int:
    return len(tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS))


@gold
def producers_and_readers_keep_tf1s_tensor_names(tf: Any) -> Result:
    """Names are what ``get_tensor_by_name`` and saved graphs rely on."""
    result = {}
    with tf.Graph().as_default():
        filenames = tf.train.string_input_producer(NAMES)
        result["string_dequeue"] = word(filenames.dequeue().name)
        key, value = tf.TFRecordReader().read(filenames)
        result["read"] = words([key.name, value.name])
        keys, values = tf.TFRecordReader().read_up_to(filenames, 2)
        result["read_up_to"] = words([keys.name, values.name])
        named_key, _ = tf.TFRecordReader(name="reader").read(filenames, name="record")
        result["read_named"] = word(named_key.name)
    with tf.Graph().as_default():
        result["range_dequeue"] = word(tf.train.range_input_producer(3).dequeue().name)
        result["second_dequeue"] = word(tf.train.range_input_producer(3).dequeue().name)
        named = tf.train.range_input_producer(3, name="numbers")
        result["named_dequeue"] = word(named.dequeue().name)
        result["dequeue_named"] = word(named.dequeue(name="number").name)
    with tf.Graph().as_default():
        rows = tf.train.slice_input_producer([np.arange(3), np.arange(3)])
        result["slices"] = words([row.name for row in rows])
        (row,) = tf.train.slice_input_producer([np.arange(3)], name="rows")
        result["slices_named"] = word(row.name)
        with tf.name_scope("scope"):
            (row,) = tf.train.slice_input_producer([np.arange(3)])
        result["slices_in_a_scope"] = word(row.name)
    return result


@gold
def a_producers_queue_keeps_its_tf1_name(tf: Any) -> Result:
    with tf.Graph().as_default():
        return {
            "string": word(tf.train.string_input_producer(NAMES).name),
            "range": word(tf.train.range_input_producer(3).name),
            "input": word(tf.train.input_producer(np.arange(3)).name),
            "named": word(tf.train.range_input_producer(3, name="numbers").name),
        }


@gold
def files_that_match_a_pattern_are_produced_in_sorted_order(tf: Any) -> Result:
    with temporary_directory() as directory:
        for name in ("b", "a", "c"):
            write_texts(tf, directory, name, texts(name, 2))

        def build() -> Any:
            files = tf.train.match_filenames_once(directory + "/*")
            queue = tf.train.string_input_producer(files, num_epochs=2, shuffle=False)
            return tf.TFRecordReader().read(queue)[1]

        return collect(tf, build)


@gold
def every_producer_adds_one_queue_runner(tf: Any) -> Result:
    counts = {}
    with tf.Graph().as_default():
        tf.train.input_producer(np.arange(3))
        counts["input"] = _runners(tf)
        filenames = tf.train.string_input_producer(NAMES)
        counts["string"] = _runners(tf)
        tf.train.range_input_producer(3)
        counts["range"] = _runners(tf)
        tf.train.slice_input_producer([np.arange(3), np.arange(3)])
        counts["slice"] = _runners(tf)
        tf.TFRecordReader().read(filenames)
        counts["reader"] = _runners(tf)
    return {name: np.array(count) for name, count in counts.items()}


@gold
def producers_summarise_how_full_they_are(tf: Any) -> Result:
    with tf.Graph().as_default():
        tf.train.input_producer(np.arange(3))
        tf.train.string_input_producer(NAMES)
        tf.train.range_input_producer(3, capacity=8, name="numbers")
        tf.train.slice_input_producer([np.arange(3)])
        summaries = tf.get_collection(tf.GraphKeys.SUMMARIES)
        return {"names": words([summary.name for summary in summaries])}
