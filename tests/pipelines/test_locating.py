"""An error of a step names the record that it is about: the file, and where in it."""

from __future__ import annotations

import pathlib
from typing import Any, List

import numpy as np
import pytest
import tensorflow as tf2

import queuecompat.v1 as tf
from queuecompat._session.errors import locating
from tests.pipelines.bad_data import KEY, example, write_examples
from tests.pipelines.running import started

FEATURES = {KEY: tf2.io.FixedLenFeature([], tf2.int64)}
EACH = 16 + len(example(1))  # bytes of a record in its file


def queue_of(*files: Any) -> tf2.Tensor:
    return tf.train.string_input_producer([str(file) for file in files], shuffle=False)


def error_of(fetches: Any, kind: type = tf.errors.InvalidArgumentError) -> str:
    with started() as sess, pytest.raises(kind) as caught:
        for _ in range(100):
            sess.run(fetches)
    return str(caught.value)


def parsed(reader: Any, *files: Any) -> tf2.Tensor:
    return tf.parse_single_example(reader.read(queue_of(*files))[1], FEATURES)[KEY]


def test_a_record_of_a_batch_that_does_not_parse_is_named(tmp_path: pathlib.Path) -> None:
    files = [write_examples(tmp_path / name, range(8), bad) for name, bad in (("a", []), ("b", [3]))]
    text = error_of(tf.train.batch([parsed(tf.TFRecordReader(), *files)], 4))
    assert f"  record:    {files[1]}:{3 * EACH} (record 3 of the file, counted from 0)" in text


def test_it_is_named_after_a_shuffle_too(tmp_path: pathlib.Path) -> None:
    path = write_examples(tmp_path / "a", range(20), [13])
    text = error_of(tf.train.shuffle_batch([parsed(tf.TFRecordReader(), path)], 4, 20, 8))
    assert f"{path}:{13 * EACH} (record 13" in text


def test_a_record_of_a_vector_of_records_is_named(tmp_path: pathlib.Path) -> None:
    path = write_examples(tmp_path / "a", range(8), [3])
    records = tf.TFRecordReader().read_up_to(queue_of(path), 4)[1]
    features = tf.parse_example(records, FEATURES)
    assert f"{path}:{3 * EACH} (record 3" in error_of(tf.train.batch([features[KEY]], 2, enqueue_many=True))


def test_a_line_of_text_is_named_by_its_number(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("1\n2\nthree\n4\n")
    line = tf.TextLineReader().read(queue_of(path))[1]
    assert f"{path}:3 (record 2" in error_of(tf.train.batch(tf.decode_csv(line, [[0]]), 1))


def test_a_record_of_fixed_length_is_named_by_its_number(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(bytes([1, 1, 9, 1]))
    record = tf.FixedLengthRecordReader(1).read(queue_of(path))[1]
    byte = tf.reshape(tf.decode_raw(record, tf.uint8), [])
    with tf.control_dependencies([tf.Assert(tf.less(byte, 5), ["too large"])]):
        checked = tf.identity(byte)
    assert f"{path}:2 (record 2" in error_of(tf.train.batch([checked], 2))


def images(folder: pathlib.Path) -> List[str]:
    with tf.Graph().as_default(), tf.Session() as sess:
        whole = sess.run(tf.image.encode_png(np.zeros([2, 2, 3], np.uint8)))
    names = [folder / f"{number}.png" for number in range(3)]
    for number, name in enumerate(names):
        name.write_bytes(whole[:20] if number == 1 else whole)
    return [str(name) for name in names]


@pytest.mark.parametrize("reader", [True, False])
def test_an_image_is_named_by_its_file(tmp_path: pathlib.Path, reader: bool) -> None:
    names = images(tmp_path)
    queue = queue_of(*names)
    content = tf.WholeFileReader().read(queue)[1] if reader else tf.read_file(queue.dequeue())
    image = tf.image.decode_png(content, channels=3)
    image.set_shape([2, 2, 3])
    assert f"  record:    {names[1]}" in error_of(tf.train.batch([image], 1))


def test_a_window_that_is_not_within_its_image_is_an_error_of_the_crop(tmp_path: pathlib.Path) -> None:
    """The op that it named was the decoder, where that decodes but the window."""
    with tf.Graph().as_default(), tf.Session() as sess:
        (tmp_path / "small.jpg").write_bytes(sess.run(tf.image.encode_jpeg(np.zeros([20, 20, 3], np.uint8))))
    image = tf.image.decode_jpeg(tf.WholeFileReader().read(queue_of(tmp_path / "small.jpg"))[1], channels=3)
    text = error_of(tf.train.batch([tf.slice(image, [12, 0, 0], [12, 12, 3], name="window")], 1))
    assert "  op:        'window', made at " in text
    assert f"  record:    {tmp_path / 'small.jpg'}" in text


@pytest.mark.parametrize("scope", ["", "input/"])
def test_an_op_that_tensorflow_puts_before_a_cast_is_named(tmp_path: pathlib.Path, scope: str) -> None:
    """TensorFlow renames such an op, and the error did not say which op it was."""
    (tmp_path / "a").write_text("123456\n12345\n")
    with tf.name_scope(scope):
        line = tf.TextLineReader().read(queue_of(tmp_path / "a"))[1]
        pixels = tf.cast(tf.decode_raw(tf.string_split([line]).values, tf.uint8), tf.float32)
        rows = tf.reshape(pixels, [-1, 3], name="rows_of_3")
        height, width = tf.unstack(tf.shape(rows))
        padding = tf.fill(tf.stack([tf.maximum(0, 4 - height), width]), 0.0)
        rows = tf.concat([rows, padding], 0)
        rows.set_shape([4, 3])
    assert f"  op:        '{scope}rows_of_3', made at " in error_of(tf.train.batch([rows], 1))


def test_an_op_whose_output_is_an_element_is_named() -> None:
    """TensorFlow adds a number to its name, and the error did not say which op it was."""
    (number,) = tf.train.slice_input_producer([[3, 2, 1, 0]], shuffle=False)
    text = error_of(tf.train.batch([tf.floordiv(6, number, name="quotient")], 1))
    assert "  op:        'quotient', made at " in text


def test_a_row_of_a_list_is_named_by_its_number() -> None:
    (number,) = tf.train.slice_input_producer([[3, 2, 1, 0]], shuffle=False)
    batch = tf.train.batch([tf.constant(6) // number], 1)
    assert "  record:    row 3 of 'input_producer" in error_of(batch)


def test_where_a_file_is_damaged_is_named(tmp_path: pathlib.Path) -> None:
    path = pathlib.Path(write_examples(tmp_path / "a", range(4)))
    content = bytearray(path.read_bytes())
    content[2 * EACH + 14] ^= 1
    path.write_bytes(bytes(content))
    text = error_of(tf.train.batch([parsed(tf.TFRecordReader(), path)], 1), tf.errors.DataLossError)
    assert f"  record:    the one after {path}:{EACH} (record 1 " in text


def test_a_graph_that_is_finalised_has_its_records_named_too(tmp_path: pathlib.Path) -> None:
    path = write_examples(tmp_path / "a", range(8), [3])
    batch = tf.train.batch([parsed(tf.TFRecordReader(), path)], 1)
    with (
        pytest.raises(tf.errors.InvalidArgumentError, match=f"{path}:{3 * EACH} "),
        tf.train.MonitoredSession() as sess,
    ):
        for _ in range(8):
            sess.run(batch)


def test_a_python_function_is_not_called_again_for_it(tmp_path: pathlib.Path) -> None:
    calls: List[int] = []

    def checked(value: np.int64) -> np.int64:
        calls.append(int(value))
        if value == 2:
            raise KeyError("two")
        return value

    path = write_examples(tmp_path / "a", range(8))
    value = tf.py_func(checked, [parsed(tf.TFRecordReader(), path)], tf.int64)
    value.set_shape([])
    text = error_of(tf.train.batch([value], 1, capacity=1), tf.errors.UnknownError)
    assert "record:" not in text
    assert calls.count(0) == 1


def test_an_error_waits_only_so_long_to_be_named(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locating, "SECONDS", -1.0)
    path = write_examples(tmp_path / "a", range(8), [3])
    text = error_of(tf.train.batch([parsed(tf.TFRecordReader(), path)], 1))
    assert "Could not parse example input" in text
    assert "record:" not in text


def test_a_record_of_a_batch_that_lacks_a_feature_is_named(tmp_path: pathlib.Path) -> None:
    """Its error names no feature's record of a batch in the same words as that of a single one."""
    path = str(tmp_path / "a")
    with tf2.io.TFRecordWriter(path) as writer:
        for value in range(8):
            writer.write(b"" if value == 5 else example(value))
    text = error_of(tf.train.batch([parsed(tf.TFRecordReader(), path)], 4))
    assert "is required but could not be found" in text
    assert f"  record:    {path}:{5 * EACH} (record 5" in text
