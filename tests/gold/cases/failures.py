"""Pipelines that fail while they run: what they output before, and the type of the real error."""

from __future__ import annotations

import os
from typing import Any, Callable, List

import numpy as np

from .harness import Result, failure, gold, temporary_directory, without_directories
from .records import FOOTER_BYTES, HEADER_BYTES, damage, keep_only, texts, write_texts

__all__: list[str] = []

TEXT_BYTES = 2
RECORD_BYTES = HEADER_BYTES + TEXT_BYTES + FOOTER_BYTES


def _reading(tf: Any, files: Callable[[str], List[str]]) -> Result:
    """Read *files* in pairs until something breaks."""
    with temporary_directory() as directory:

        def build() -> Any:
            queue = tf.train.string_input_producer(files(directory), num_epochs=1, shuffle=False)
            return tf.train.batch(list(tf.TFRecordReader().read(queue)), batch_size=2)

        result = failure(tf, build)
    result["0"] = without_directories(result["0"])
    return result


def _parsing(tf: Any, records: List[bytes]) -> Result:
    with temporary_directory() as directory:

        def build() -> Any:
            path = write_texts(tf, directory, "a.records", records)
            queue = tf.train.string_input_producer([path], num_epochs=1, shuffle=False)
            _, serialized = tf.TFRecordReader().read(queue)
            features = {"number": tf.FixedLenFeature([], tf.int64)}
            return tf.train.batch(tf.parse_single_example(serialized, features), batch_size=2)

        return failure(tf, build)


def _example(tf: Any, name: str, number: int) -> bytes:
    feature = tf.train.Feature(int64_list=tf.train.Int64List(value=[number]))
    features = tf.train.Features(feature={name: feature})
    return tf.train.Example(features=features).SerializeToString()


# -- files -----------------------------------------------------------------------------------


@gold
def a_missing_file_is_not_found(tf: Any) -> Result:
    return _reading(tf, lambda directory: [os.path.join(directory, "missing.records")])


@gold
def a_missing_file_after_a_good_one_is_not_found(tf: Any) -> Result:
    return _reading(
        tf,
        lambda directory: [
            write_texts(tf, directory, "a.records", texts("a", 5)),
            os.path.join(directory, "missing.records"),
        ],
    )


@gold
def a_record_with_changed_data_is_data_loss(tf: Any) -> Result:
    def files(directory: str) -> List[str]:
        path = write_texts(tf, directory, "a.records", texts("a", 6))
        return [damage(path, 3 * RECORD_BYTES + HEADER_BYTES)]

    return _reading(tf, files)


@gold
def a_record_with_a_changed_length_is_data_loss(tf: Any) -> Result:
    def files(directory: str) -> List[str]:
        path = write_texts(tf, directory, "a.records", texts("a", 6))
        return [damage(path, 3 * RECORD_BYTES)]

    return _reading(tf, files)


@gold
def a_record_cut_off_in_its_data_is_data_loss(tf: Any) -> Result:
    def files(directory: str) -> List[str]:
        path = write_texts(tf, directory, "a.records", texts("a", 6))
        return [keep_only(path, 4 * RECORD_BYTES + HEADER_BYTES + 1)]

    return _reading(tf, files)


@gold
def a_record_cut_off_in_its_length_ends_the_file_without_a_word(tf: Any) -> Result:
    """TF1 takes a header that is cut short for the end of the file: ``real_error`` is empty."""

    def files(directory: str) -> List[str]:
        path = write_texts(tf, directory, "a.records", texts("a", 6))
        return [keep_only(path, 4 * RECORD_BYTES + 5)]

    return _reading(tf, files)


@gold
def a_file_of_something_else_is_data_loss(tf: Any) -> Result:
    def files(directory: str) -> List[str]:
        path = os.path.join(directory, "notes.txt")
        with open(path, "w") as file:
            file.write("these are notes, and no records at all\n")
        return [path]

    return _reading(tf, files)


@gold
def an_empty_list_of_files_is_an_invalid_argument(tf: Any) -> Result:
    def build() -> Any:
        filenames = tf.boolean_mask(["a", "b"], [False, False])
        return tf.train.string_input_producer(filenames, num_epochs=1).dequeue()

    return failure(tf, build)


@gold
def a_pattern_that_matches_no_file_is_an_invalid_argument(tf: Any) -> Result:
    with temporary_directory() as directory:

        def build() -> Any:
            filenames = tf.matching_files(os.path.join(directory, "*.records"))
            queue = tf.train.string_input_producer(filenames, num_epochs=1)
            return tf.train.batch(list(tf.TFRecordReader().read(queue)), batch_size=2)

        return failure(tf, build)


@gold
def a_reader_refuses_a_queue_of_numbers(tf: Any) -> Result:
    def build() -> Any:
        queue = tf.train.range_input_producer(3, num_epochs=1)
        return list(tf.TFRecordReader().read(queue))

    return failure(tf, build)


# -- examples --------------------------------------------------------------------------------


@gold
def a_record_that_is_no_example_is_an_invalid_argument(tf: Any) -> Result:
    good = [_example(tf, "number", number) for number in range(5)]
    # Not any garbage will do: TF 1.15.5 crashes on some, such as b"\xff\xff".
    return _parsing(tf, good + [b"no example"] + good)


@gold
def an_example_without_the_feature_is_an_invalid_argument(tf: Any) -> Result:
    good = [_example(tf, "number", number) for number in range(4)]
    return _parsing(tf, good + [_example(tf, "other", 4)] + good)


@gold
def a_python_function_that_raises_ends_the_pipeline(tf: Any) -> Result:
    def reciprocal(number: Any) -> Any:
        if number == 3:
            raise ValueError("three is refused")
        return np.float32(1.0 / (number + 1))

    def build() -> Any:
        number = tf.train.range_input_producer(6, num_epochs=1, shuffle=False).dequeue()
        row = tf.py_func(reciprocal, [number], tf.float32)
        return tf.train.batch([number, row], batch_size=2, shapes=[[], []])

    return failure(tf, build)


@gold
def a_failed_assertion_in_a_slice_is_an_invalid_argument(tf: Any) -> Result:
    def build() -> Any:
        number = tf.train.range_input_producer(8, num_epochs=1, shuffle=False).dequeue()
        with tf.control_dependencies([tf.Assert(number < 5, [number])]):
            checked = tf.identity(number)
        return tf.train.batch([checked], batch_size=2)

    return failure(tf, build)


# -- shapes and sizes ------------------------------------------------------------------------


@gold
def a_shorter_second_tensor_is_an_invalid_argument(tf: Any) -> Result:
    def build() -> Any:
        rows = tf.train.slice_input_producer([np.arange(6), np.arange(3)], num_epochs=1, shuffle=False)
        return tf.train.batch(rows, batch_size=2)

    return failure(tf, build)


@gold
def a_row_of_another_shape_than_promised_is_an_invalid_argument(tf: Any) -> Result:
    def build() -> Any:
        number = tf.train.range_input_producer(6, num_epochs=1, shuffle=False).dequeue()
        length = tf.cond(number < 4, lambda: tf.constant(2), lambda: tf.constant(3))
        return tf.train.batch([tf.fill([length], number)], batch_size=2, shapes=[[2]])

    return failure(tf, build)


@gold
def blocks_that_turn_out_unequal_are_an_invalid_argument(tf: Any) -> Result:
    def build() -> Any:
        number = tf.train.range_input_producer(6, num_epochs=1, shuffle=False).dequeue()
        length = tf.cond(number < 4, lambda: tf.constant(2), lambda: tf.constant(3))
        blocks = [tf.fill([2], number), tf.fill([length], number)]
        return tf.train.batch(blocks, batch_size=2, enqueue_many=True)

    return failure(tf, build)


@gold
def a_negative_minimum_is_an_invalid_argument(tf: Any) -> Result:
    def build() -> Any:
        number = tf.train.range_input_producer(6, num_epochs=1, shuffle=False).dequeue()
        return tf.train.shuffle_batch([number], 2, capacity=10, min_after_dequeue=-5)

    return failure(tf, build)
