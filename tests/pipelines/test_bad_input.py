"""Bad input: TF1's exception type, at the caller's own call or run, naming a file or the user's line.

TF1 raised run-time errors in a hidden thread and told the training loop only that the queue was
closed. Here each reaches the ``sess.run`` that asked for the data.
"""

from __future__ import annotations

import gzip
import pathlib
from typing import Any, Callable

import numpy as np
import pytest
import tensorflow as tf2

import queuecompat.v1 as tf
from queuecompat.errors import QueueCompatError
from tests.forking import Server
from tests.pipelines.running import started, write_records


def records_of(*files: Any, **arguments: Any) -> tf2.Tensor:
    queue = tf.train.string_input_producer([str(f) for f in files], shuffle=False, **arguments)
    return tf.TFRecordReader().read(queue)[1]


def expect_error(batch: Any, kind: type, steps: int = 10) -> str:
    """The text of the first error, which has to be of *kind*."""
    with started() as sess, pytest.raises(kind) as caught:
        for _ in range(steps):
            sess.run(batch)
    return str(caught.value)


def test_a_missing_file_is_named(tmp_path: pathlib.Path) -> None:
    batch = tf.train.batch([records_of(tmp_path / "absent.tfrecords")], 2)
    assert "absent.tfrecords" in expect_error(batch, tf.errors.NotFoundError)


def test_a_pattern_in_place_of_a_file_name_is_reported_as_such() -> None:
    batch = tf.train.batch([records_of("nowhere/train-*")], 2)
    words = expect_error(batch, tf.errors.NotFoundError)
    assert words.startswith("nowhere/train-*; No such file or directory: it is read as a name; tf.gfile.Glob(pattern)")


def test_a_missing_file_after_good_ones_is_found_when_its_turn_comes(tmp_path: pathlib.Path) -> None:
    good = write_records(tmp_path / "good", [b"1", b"2"])
    batch = tf.train.batch([records_of(good, tmp_path / "absent")], 2, capacity=1)
    with started() as sess:
        assert sess.run(batch).tolist() == [b"1", b"2"]
        with pytest.raises(tf.errors.NotFoundError, match="absent"):
            sess.run(batch)


@pytest.mark.parametrize("reader", [tf.TFRecordReader, tf.TextLineReader])
def test_after_a_missing_file_the_next_one_is_read(reader: Any, tmp_path: pathlib.Path) -> None:
    """The missing one was opened again in each step, so a program that ignores errors did not end."""
    files = [tmp_path / "a", tmp_path / "absent", tmp_path / "b[1]"]
    for file in (files[0], files[2]):
        write_records(file, [b"1"]) if reader is tf.TFRecordReader else file.write_bytes(b"1\n")
    queue = tf.train.string_input_producer([str(file) for file in files], num_epochs=1, shuffle=False)
    value = reader().read(queue)[1]
    with tf.Session() as sess:
        tf.train.start_queue_runners(sess)
        assert sess.run(value) == b"1"
        with pytest.raises(tf.errors.NotFoundError, match="absent"):
            sess.run(value)
        assert sess.run(value) == b"1"
        with pytest.raises(tf.errors.OutOfRangeError):
            sess.run(value)


DAMAGES = {
    "cut short": lambda whole: whole[:-7],
    "one byte changed": lambda whole: whole[:-7] + b"?" + whole[-6:],
    "no records at all": lambda whole: b"This is not a TFRecord file, but it is long enough.",
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_corrupt_file_is_data_loss_at_the_users_line(damage: str, tmp_path: pathlib.Path) -> None:
    path = pathlib.Path(write_records(tmp_path / "a", [b"first record", b"second record"]))
    path.write_bytes(DAMAGES[damage](path.read_bytes()))
    batch = tf.train.batch([records_of(path)], 2)
    assert pathlib.Path(__file__).name in expect_error(batch, tf.errors.DataLossError)


def test_records_before_the_corrupt_one_are_delivered(tmp_path: pathlib.Path) -> None:
    path = pathlib.Path(write_records(tmp_path / "a", [b"1", b"2", b"3"]))
    path.write_bytes(path.read_bytes()[:-2])
    batch = tf.train.batch([records_of(path)], 2, capacity=1)
    with started() as sess:
        assert sess.run(batch).tolist() == [b"1", b"2"]
        with pytest.raises(tf.errors.DataLossError):
            sess.run(batch)


def test_a_compressed_file_read_without_its_option_is_data_loss(tmp_path: pathlib.Path) -> None:
    path = pathlib.Path(write_records(tmp_path / "a", [b"1"]))
    path.write_bytes(gzip.compress(path.read_bytes()))
    expect_error(tf.train.batch([records_of(path)], 1), tf.errors.DataLossError)


def test_a_record_that_does_not_parse_names_the_line_of_the_parser(tmp_path: pathlib.Path) -> None:
    record = records_of(write_records(tmp_path / "a", [b"no example"]))
    features = tf.parse_single_example(record, {"x": tf.FixedLenFeature([], tf.int64)}, name="my_parser")
    text = expect_error(tf.train.batch([features["x"]], 1), tf.errors.InvalidArgumentError)
    assert "my_parser" in text
    assert pathlib.Path(__file__).name in text


def test_an_image_that_does_not_decode_is_an_invalid_argument(tmp_path: pathlib.Path) -> None:
    record = records_of(write_records(tmp_path / "a", [b"not a jpeg"]))
    image = tf.reshape(tf.image.decode_jpeg(record), [1, 1, 3])
    expect_error(tf.train.batch([image], 1), tf.errors.InvalidArgumentError)


def test_a_tensor_of_another_shape_than_was_declared_is_named_with_its_line() -> None:
    """The line of the op was missing: only an op of the compiled pipeline checks the shape."""
    raw = tf.decode_raw(tf.train.string_input_producer(["abc"], shuffle=False).dequeue(), tf.uint8)
    raw.set_shape([5])
    text = expect_error(tf.train.batch([raw + 1], 1), tf.errors.InvalidArgumentError)
    assert f"  op:        '{raw.op.name}', made at " in text and pathlib.Path(__file__).name in text


def test_a_python_function_that_raises_reaches_the_training_loop() -> None:
    def fail(x: np.ndarray) -> np.ndarray:
        raise KeyError("no such feature in the file")

    x = tf.py_func(fail, [tf.train.range_input_producer(3).dequeue()], tf.int32)
    x.set_shape([])
    assert "no such feature in the file" in expect_error(tf.train.batch([x], 1), tf.errors.UnknownError)


def test_without_a_coordinator_the_next_run_continues_after_the_bad_element() -> None:
    number = tf.train.range_input_producer(4, num_epochs=1, shuffle=False).dequeue()
    with tf.control_dependencies([tf.Assert(tf.not_equal(number, 1), ["bad"])]):
        checked = tf.identity(number)
    batch = tf.train.batch([checked], 1)
    with tf.Session() as sess:
        tf.train.start_queue_runners(sess)
        assert sess.run(batch).tolist() == [0]
        with pytest.raises(tf.errors.InvalidArgumentError, match="bad"):
            sess.run(batch)
        assert [sess.run(batch).tolist() for _ in range(2)] == [[2], [3]]


def test_elements_before_an_error_are_not_delivered_as_a_smaller_batch() -> None:
    number = tf.string_to_number(tf.train.string_input_producer(["0", "1", "2", "bad"], 1, shuffle=False).dequeue())
    batch = tf.train.batch([number], 2, allow_smaller_final_batch=True)
    with started() as sess:
        assert sess.run(batch).tolist() == [0, 1]
        with pytest.raises(tf.errors.InvalidArgumentError, match="bad"):
            sess.run(batch)
        with pytest.raises(tf.errors.OutOfRangeError):
            sess.run(batch)


@pytest.mark.parametrize(
    ("shape", "says"), [([None, 4, 3], "All shapes must be fully defined: "), (None, "Cannot infer Tensor's rank: ")]
)
def test_a_size_that_the_graph_does_not_know_is_tf1s_error_and_says_how_to_fix_it(shape: Any, says: str) -> None:
    unknown = tf.placeholder_with_default(np.zeros([2, 4, 3], np.float32), shape)
    for _ in range(2):  # also if the call is known already
        with pytest.raises(
            ValueError, match=rf"^{says}.*\. Before the batch, crop, pad or resize .*set_shape\(\)"
        ) as caught:
            tf.train.batch([unknown], 2)
        assert str(caught.value).count("set_shape") == 1


def test_an_empty_file_list_is_refused_at_the_call() -> None:
    with pytest.raises(ValueError, match="non-null input tensor: the list of files is empty; check"):
        tf.train.string_input_producer([])


def test_a_file_list_that_turns_out_empty_is_an_invalid_argument() -> None:
    nothing = tf.py_func(lambda: np.zeros([0], object), [], tf.string)
    nothing.set_shape([None])
    name = tf.train.string_input_producer(nothing).dequeue()
    assert "string_input_producer requires" in expect_error(name, tf.errors.InvalidArgumentError)


@pytest.mark.parametrize("use_resource", [False, True])
def test_a_file_list_that_is_empty_as_nothing_matches_names_the_patterns(use_resource: bool) -> None:
    with tf.variable_scope("", use_resource=use_resource):
        names = tf.train.match_filenames_once(["nowhere/train-*", "nowhere/more"])
    words = expect_error(tf.train.string_input_producer(names).dequeue(), tf.errors.InvalidArgumentError)
    assert "files:     none matches 'nowhere/train-*', 'nowhere/more'" in words


def test_a_list_of_files_that_are_looked_up_each_time_names_the_pattern() -> None:
    names = tf.matching_files("nowhere/train-*")
    words = expect_error(tf.train.string_input_producer(names).dequeue(), tf.errors.InvalidArgumentError)
    assert "files:     none matches 'nowhere/train-*'" in words


def test_an_endless_producer_of_nothing_says_so_instead_of_spinning() -> None:
    row = tf.train.input_producer(np.zeros([0, 2], np.float32)).dequeue()
    assert "QC303" in expect_error(row, tf.errors.InvalidArgumentError)


@pytest.mark.parametrize("num_epochs", [1, None])
def test_rows_without_content_are_an_error_and_not_a_crash(num_epochs: Any) -> None:
    row = tf.train.input_producer(np.zeros([3, 0], np.float32), num_epochs=num_epochs).dequeue()
    assert "QC303" in expect_error(row, tf.errors.InvalidArgumentError)


def test_a_small_file_is_read_again_and_again_without_a_look_at_it_each_time(tmp_path: pathlib.Path) -> None:
    """Each look took 40 ms, and a pool of a thousand examples of one file half a minute and more."""
    path = write_records(tmp_path / "one.records", [b"one"])
    _, record = tf.TFRecordReader().read(tf.train.string_input_producer([path]))
    batch = tf.train.shuffle_batch([record], 2, capacity=1000, min_after_dequeue=10)
    with started() as sess:
        assert sess.run(batch).tolist() == [b"one", b"one"]


def test_endless_reading_of_files_without_a_record_says_so_instead_of_hanging(tmp_path: pathlib.Path) -> None:
    files = [write_records(tmp_path / name, []) for name in "ab"]
    batch = tf.train.batch([records_of(*files)], 2)
    assert "QC303" in expect_error(batch, tf.errors.InvalidArgumentError)


def test_an_empty_file_among_others_is_skipped(tmp_path: pathlib.Path) -> None:
    files = [write_records(tmp_path / "a", []), write_records(tmp_path / "b", [b"1", b"2"])]
    batch = tf.train.batch([records_of(*files)], 3)
    with started() as sess:
        assert sess.run(batch).tolist() == [b"1", b"2", b"1"]


def test_a_finite_producer_of_nothing_just_ends() -> None:
    expect_error(
        tf.train.input_producer(np.zeros([0, 2], np.float32), num_epochs=2).dequeue(), tf.errors.OutOfRangeError
    )


def test_rows_that_one_tensor_lacks_are_an_invalid_argument() -> None:
    x, y = tf.train.slice_input_producer([np.arange(4), np.arange(3)], shuffle=False)
    batch = tf.train.batch([x, y], 2, capacity=1)
    with started() as sess:
        assert sess.run(batch)[0].tolist() == [0, 1]
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"not in \[0, 3\)"):
            sess.run(batch)


REFUSED_AT_THE_CALL = {
    "num_epochs=0": (ValueError, lambda: tf.train.range_input_producer(3, num_epochs=0)),
    "capacity <= min_after_dequeue": (ValueError, lambda: tf.train.shuffle_batch([tf.constant(1)], 2, 5, 5)),
    "unknown rank": (ValueError, lambda: tf.train.batch([tf.py_func(lambda: 1, [], tf.int64)], 2)),
    "partial shape": (ValueError, lambda: tf.train.batch([tf.unique([1, 2])[0]], 2)),
    "no tensors": (ValueError, lambda: tf.train.batch([], 2)),
    "no threads": (ValueError, lambda: tf.train.batch([tf.constant(1)], 2, num_threads=0)),
    "no shape of a row": (ValueError, lambda: tf.train.input_producer(tf.py_func(lambda: [1], [], tf.int64))),
    "a tensor of another graph": (ValueError, lambda: tf.train.batch([tf.constant(1), elsewhere()], 2)),
}


def elsewhere() -> tf2.Tensor:
    with tf.Graph().as_default():
        return tf.constant(2)


@pytest.mark.parametrize("what", REFUSED_AT_THE_CALL)
def test_the_call_refuses_what_tf1_refused(what: str) -> None:
    kind, call = REFUSED_AT_THE_CALL[what]
    with pytest.raises(kind):
        call()


def test_a_refused_call_adds_no_runner() -> None:
    with pytest.raises(ValueError):
        tf.train.shuffle_batch([tf.constant(1)], 2, 5, 5)
    assert tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS) == []


CALLS: dict[str, Callable[[], Any]] = {
    "batch": lambda: tf.train.batch([x_of_now()], 2),
    "shuffle_batch": lambda: tf.train.shuffle_batch([x_of_now()], 2, 5, 2),
    "range_input_producer": lambda: tf.train.range_input_producer(3),
    "slice_input_producer": lambda: tf.train.slice_input_producer([[1, 2]]),
    "string_input_producer": lambda: tf.train.string_input_producer(["a"]),
    "input_producer": lambda: tf.train.input_producer([1, 2]),
    "TFRecordReader": lambda: tf.TFRecordReader(),
}


def x_of_now() -> tf2.Tensor:
    return tf.get_default_graph().get_tensor_by_name("x:0")


@pytest.mark.parametrize("call", CALLS)
def test_a_graph_finalised_too_early_is_a_runtime_error_at_the_call(call: str) -> None:
    tf.constant(1, name="x")
    tf.get_default_graph().finalize()
    with pytest.raises(RuntimeError, match=rf"QC302 '{call}'(.|\n)*{pathlib.Path(__file__).name}"):
        CALLS[call]()


IN_EAGER_MODE = """
import tensorflow as tf
from queuecompat import train, readers
from queuecompat.errors import QueueCompatError
calls = {
    "batch": (ValueError, lambda: train.batch([tf.constant(1)], 2)),
    "shuffle_batch": (ValueError, lambda: train.shuffle_batch([tf.constant(1)], 2, 5, 2)),
    "range_input_producer": (RuntimeError, lambda: train.range_input_producer(3)),
    "slice_input_producer": (RuntimeError, lambda: train.slice_input_producer([[1, 2]])),
    "string_input_producer": (RuntimeError, lambda: train.string_input_producer(["a"])),
    "input_producer": (RuntimeError, lambda: train.input_producer([1, 2])),
    "TFRecordReader": (RuntimeError, lambda: readers.TFRecordReader()),
}
def caught(call):
    try:
        call()
    except QueueCompatError as error:
        return error
for name, (kind, call) in calls.items():
    error = caught(call)
    assert isinstance(error, kind) and error.code == "QC101", (name, error)
    assert f"'{name}'" in str(error) and "tf.Graph().as_default()" in str(error), error
    error = caught(tf.function(call))
    assert isinstance(error, kind) and error.code == "QC102", (name, error)
for empty in (train.string_input_producer, train.slice_input_producer):
    try:
        empty([])
    except ValueError as error:
        assert "QC" not in str(error)
    else:
        raise AssertionError(empty)
with tf.Graph().as_default():
    x = train.range_input_producer(4, num_epochs=1, shuffle=False).dequeue()
    pair = train.batch([x], 2)
    with tf.compat.v1.Session() as sess:
        train.start_queue_runners(sess)
        assert sess.run(pair).tolist() == [0, 1]
print("all as said")
"""


def test_in_eager_mode_the_error_says_what_to_do(tmp_path: pathlib.Path, server: Server) -> None:
    ran = server.run(["-c", IN_EAGER_MODE], str(tmp_path))
    assert ran.out.strip() == "all as said", ran.err[-3000:]


def test_every_error_of_ours_is_also_tf1s() -> None:
    from queuecompat import errors

    assert issubclass(errors.QueueCompatRuntimeError, (QueueCompatError, RuntimeError))
    assert issubclass(errors.QueueCompatValueError, ValueError)


def test_a_record_of_bytes_that_are_no_text_is_an_invalid_argument_and_named(tmp_path: pathlib.Path) -> None:
    """TensorFlow raises a UnicodeDecodeError in its place, as its message quotes the record."""
    path = write_records(tmp_path / "a", [b"\xbb\xff no example"])
    record = tf.TFRecordReader().read(tf.train.string_input_producer([path]))[1]
    batch = tf.train.batch([tf.parse_single_example(record, {"x": tf.FixedLenFeature([], tf.int64)})["x"]], 1)
    with started() as sess, pytest.raises(tf.errors.InvalidArgumentError, match="Could not parse example") as caught:
        sess.run(batch)
    assert caught.value.op.type == "ParseExampleV2"
    assert f"{path}:0 (record 0" in str(caught.value)
