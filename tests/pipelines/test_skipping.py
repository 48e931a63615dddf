"""``on_error="skip"`` in sessions: what fails is left out and listed, and nothing else is lost."""

from __future__ import annotations

import pathlib
from typing import Any, Callable, Iterator, List

import numpy as np
import pytest
import tensorflow as tf2

import queuecompat
import queuecompat.v1 as tf
from queuecompat._plan import failed_run, skipped
from tests.pipelines.bad_data import KEY, example, logs, places, write_examples
from tests.pipelines.running import drain, started

FEATURES = {KEY: tf2.io.FixedLenFeature([], tf2.int64)}
BAD = (3, 11, 12)
GOOD = [value for value in range(40) if value not in BAD]


@pytest.fixture(autouse=True)
def earlier() -> Iterator[int]:
    """How many logs there were."""
    with queuecompat.options(on_error="skip"):
        yield len(skipped.LOGS)


def records(*files: str) -> tf2.Tensor:
    return tf.TFRecordReader().read(tf.train.string_input_producer(list(files), num_epochs=1, shuffle=False))[1]


def parsed(*files: str) -> tf2.Tensor:
    return tf.parse_single_example(records(*files), FEATURES)[KEY]


def in_python(values: tf2.Tensor, function: Callable[[Any], Any]) -> tf2.Tensor:
    result = tf.py_func(function, [values], tf.int64)
    result.set_shape([])
    return result


def flat(batches: List[Any]) -> List[int]:
    return [int(value) for batch in batches for value in batch]


def test_a_batch_loses_only_the_records_that_do_not_parse(tmp_path: pathlib.Path, earlier: int) -> None:
    path = write_examples(tmp_path / "a", range(40), BAD)
    batch = tf.train.batch([parsed(path)], 8)
    assert "on whole batches" in str(queuecompat.explain())
    batches = drain(batch)
    assert [len(one) for one in batches] == [8, 8, 8, 8]
    assert flat(batches) == GOOD[:32]
    (log,) = logs(earlier)
    assert log.count == 3


def test_each_skipped_record_is_listed_with_its_file_its_offset_and_the_reason(
    tmp_path: pathlib.Path, earlier: int
) -> None:
    path = write_examples(tmp_path / "a", range(8), [0, 2])
    drain(tf.train.batch([parsed(path)], 2))
    assert places(earlier) == [f"{path}:0", f"{path}:{26 + 16 + len(example(1))}"]
    assert all("Could not parse example input" in one.reason for log in logs(earlier) for one in log.listed())


def test_the_last_smaller_batch_has_all_good_records(tmp_path: pathlib.Path) -> None:
    path = write_examples(tmp_path / "a", range(40), BAD)
    assert flat(drain(tf.train.batch([parsed(path)], 8, allow_smaller_final_batch=True))) == GOOD


def test_a_batch_without_a_single_good_record_is_no_batch(tmp_path: pathlib.Path) -> None:
    path = write_examples(tmp_path / "a", range(12), range(8))
    assert flat(drain(tf.train.batch([parsed(path)], 4))) == [8, 9, 10, 11]


def test_shuffled_records_lose_only_the_bad_ones(tmp_path: pathlib.Path) -> None:
    path = write_examples(tmp_path / "a", range(40), BAD)
    batch = tf.train.shuffle_batch([parsed(path)], 5, 40, 10, num_threads=4, allow_smaller_final_batch=True)
    assert sorted(flat(drain(batch))) == GOOD


def test_what_an_exception_of_a_python_function_loses_is_its_element(tmp_path: pathlib.Path, earlier: int) -> None:
    def checked(value: np.int64) -> np.int64:
        if value == 5:
            raise KeyError("five is unknown")
        return value

    path = write_examples(tmp_path / "a", range(12))
    assert flat(drain(tf.train.batch([in_python(parsed(path), checked)], 4))) == [0, 1, 2, 3, 4, 6, 7, 8]
    ((listed,),) = [log.listed() for log in logs(earlier)]
    assert listed.place == f"{path}:{5 * (16 + len(example(5)))}"
    assert listed.reason == "KeyError: 'five is unknown'"


@pytest.mark.parametrize(
    "failure",
    [
        MemoryError("no room"),
        tf.errors.InternalError(None, None, "an inner error"),
        tf.errors.CancelledError(None, None, "cancelled"),
    ],
    ids=lambda failure: type(failure).__name__,
)
def test_whatever_a_python_function_raises_costs_its_element_and_is_listed(
    failure: BaseException, tmp_path: pathlib.Path, earlier: int
) -> None:
    def checked(value: np.int64) -> np.int64:
        if value == 5:
            raise failure
        return value

    path = write_examples(tmp_path / "a", range(12))
    assert flat(drain(tf.train.batch([in_python(parsed(path), checked)], 4))) == [0, 1, 2, 3, 4, 6, 7, 8]
    ((listed,),) = [log.listed() for log in logs(earlier)]
    assert type(failure).__name__ in listed.reason or str(failure) in listed.reason


def test_a_python_function_that_stops_iterating_still_ends_the_data(tmp_path: pathlib.Path, earlier: int) -> None:
    def until_six(value: np.int64) -> np.int64:
        if value == 6:
            raise StopIteration
        return value

    path = write_examples(tmp_path / "a", range(12))
    batch = tf.train.batch([in_python(parsed(path), until_six)], 2)
    assert flat(drain(batch)) == [0, 1, 2, 3, 4, 5]
    assert logs(earlier) == []


def test_images_that_do_not_decode_are_skipped_by_name(tmp_path: pathlib.Path, earlier: int) -> None:
    names = [str(tmp_path / f"{number}.png") for number in range(4)]
    with tf.Graph().as_default(), tf.Session() as sess:
        image = sess.run(tf.image.encode_png(np.zeros([2, 2, 3], np.uint8)))
    for name in names:
        pathlib.Path(name).write_bytes(image[:20] if name.endswith("2.png") else image)
    name = tf.train.string_input_producer(names, num_epochs=1, shuffle=False).dequeue()
    pixels = tf.image.decode_png(tf.read_file(name), channels=3)
    pixels.set_shape([2, 2, 3])
    assert len(drain(tf.train.batch([pixels], 1))) == 3
    assert places(earlier) == [names[2]]


def test_lookups_and_variables_of_the_session_are_there_when_the_reason_is_found(earlier: int) -> None:
    most = tf.get_variable("most", [], tf.int32, tf.constant_initializer(3), use_resource=True)
    number = tf.train.range_input_producer(6, num_epochs=1, shuffle=False).dequeue()
    with tf.control_dependencies([tf.Assert(number < most, ["too large:", number])]):
        checked = tf.identity(number)
    assert flat(drain(tf.train.batch([checked], 1))) == [0, 1, 2]
    assert "too large:" in logs(earlier)[0].listed()[0].reason


def test_of_a_file_that_was_cut_the_records_before_are_delivered_and_the_rest_is_listed(
    tmp_path: pathlib.Path, earlier: int
) -> None:
    first, second = (write_examples(tmp_path / name, range(base, base + 4)) for name, base in (("a", 0), ("b", 4)))
    content = pathlib.Path(first).read_bytes()
    pathlib.Path(first).write_bytes(content[:-5])
    assert flat(drain(tf.train.batch([parsed(first, second)], 1))) == [0, 1, 2, 4, 5, 6, 7]
    ((listed,),) = [log.listed() for log in logs(earlier)]
    assert listed.place == f"{first}:{len(content) // 4 * 3}"
    assert "truncated" in listed.reason


DAMAGES = {
    "within a head": (lambda size: slice(0, size * 3 + 5), "within the header of a record"),
    "within the data": (lambda size: slice(0, size * 4 - 5), "truncated"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_cut_within_the_head_of_a_record_is_listed_too(damage: str, tmp_path: pathlib.Path, earlier: int) -> None:
    part, words = DAMAGES[damage]
    path = pathlib.Path(write_examples(tmp_path / "a", range(4)))
    content = path.read_bytes()
    path.write_bytes(content[part(len(content) // 4)])
    assert flat(drain(tf.train.batch([parsed(str(path))], 1))) == [0, 1, 2]
    assert words in logs(earlier)[0].listed()[0].reason


def test_a_compressed_file_that_was_cut_is_listed(tmp_path: pathlib.Path, earlier: int) -> None:
    path = pathlib.Path(write_examples(tmp_path / "a", range(400), options="GZIP"))
    path.write_bytes(path.read_bytes()[:-30])
    options = tf.python_io.TFRecordOptions(tf.python_io.TFRecordCompressionType.GZIP)
    queue = tf.train.string_input_producer([str(path)], num_epochs=1)
    value = tf.parse_single_example(tf.TFRecordReader(options=options).read(queue)[1], FEATURES)[KEY]
    values = flat(drain(tf.train.batch([value], 1)))
    assert values == list(range(len(values)))
    assert "cannot be read" in logs(earlier)[0].listed()[0].reason


def test_a_compressed_file_read_without_its_option_is_listed_as_compressed(
    tmp_path: pathlib.Path, earlier: int
) -> None:
    """It was called damaged."""
    path = write_examples(tmp_path / "a.gz", range(4), options="GZIP")
    assert flat(drain(tf.train.batch([parsed(path, write_examples(tmp_path / "b", range(3)))], 1))) == [0, 1, 2]
    assert [one.reason.partition(",")[0] for one in logs(earlier)[0].listed()] == ["the file is compressed"]


def test_files_that_cannot_be_opened_are_listed_and_the_others_are_read(tmp_path: pathlib.Path, earlier: int) -> None:
    absent, folder = str(tmp_path / "absent"), str(tmp_path)
    good = write_examples(tmp_path / "good", range(3))
    assert flat(drain(tf.train.batch([parsed(absent, folder, good)], 1))) == [0, 1, 2]
    assert places(earlier) == sorted([absent, folder])


def test_more_failures_than_allowed_end_the_run_and_name_the_last(tmp_path: pathlib.Path) -> None:
    path = write_examples(tmp_path / "a", range(40), BAD)
    with queuecompat.options(max_errors=2):
        batch = tf.train.batch([parsed(path)], 2, capacity=1)
    with (
        started() as sess,
        pytest.raises(tf.errors.InvalidArgumentError, match="QC330 more than max_errors=2") as caught,
    ):
        for _ in range(40):
            sess.run(batch)
    assert f"{path}:" in str(caught.value)


def test_nothing_skipped_is_a_line_of_the_report_too(tmp_path: pathlib.Path) -> None:
    report = queuecompat.report()
    drain(tf.train.batch([parsed(write_examples(tmp_path / "a", range(4)))], 2))
    assert "skipped by 'batch'" in str(report)
    assert str(report).rstrip().endswith(": nothing")


def test_a_reader_whose_records_only_the_batch_takes_has_no_line_of_its_own(tmp_path: pathlib.Path) -> None:
    """A MonitoredSession finalizes the graph, which prepares for any tensor: "skipped by 'ReaderReadV2': nothing"."""
    report = queuecompat.report()
    batch = tf.train.batch([parsed(write_examples(tmp_path / "a", range(4)))], 2)
    with tf.train.MonitoredTrainingSession() as session:
        session.run(batch)
    assert str(report).count("skipped by") == 1


def test_the_report_lists_what_was_skipped_in_every_form(tmp_path: pathlib.Path) -> None:
    report = queuecompat.report()
    path = write_examples(tmp_path / "a", range(4), [1])
    drain(tf.train.batch([parsed(path)], 1))
    for name in ("report.json", "report.html"):
        report.write(tmp_path / name)
        assert f"{path}:" in (tmp_path / name).read_text()
    assert f"{path}:" in str(report)


def test_only_the_first_hundred_are_listed_and_all_are_counted(tmp_path: pathlib.Path, earlier: int) -> None:
    path = write_examples(tmp_path / "a", range(150), range(140))
    drain(tf.train.batch([parsed(path)], 5))
    (log,) = logs(earlier)
    assert (log.count, len(log.listed())) == (140, 100)
    assert "and 40 more" in "\n".join(skipped.described([log]))


def test_a_record_that_is_skipped_in_every_epoch_is_listed_once(tmp_path: pathlib.Path, earlier: int) -> None:
    path = write_examples(tmp_path / "a", range(8), [3])
    queue = tf.train.string_input_producer([path], num_epochs=3, shuffle=False)
    _, record = tf.TFRecordReader().read(queue)
    drain(tf.train.batch([tf.parse_single_example(record, FEATURES)[KEY]], 1))
    (log,) = logs(earlier)
    first, *places = skipped.described([log])
    assert ": 3 elements" in first
    assert [place.partition(": ")[0].strip() for place in places] == [f"{log.listed()[0].place}, 3 times"]


def test_a_damaged_record_of_a_global_order_costs_the_rest_of_its_block(tmp_path: pathlib.Path, earlier: int) -> None:
    path = pathlib.Path(write_examples(tmp_path / "a", range(100)))
    content = bytearray(path.read_bytes())
    content[len(content) // 2 + 20] ^= 255
    path.write_bytes(content)
    with queuecompat.options(shuffle="global"):
        queue = tf.train.string_input_producer([str(path)], num_epochs=1)
        batch = tf.train.shuffle_batch([tf.TFRecordReader().read(queue)[1]], 1, 20, 10)
    assert len(drain(batch)) > 90
    ((listed,),) = [log.listed() for log in logs(earlier)]
    assert listed.reason.endswith("the rest of its block of records is skipped")


def test_without_the_option_the_first_bad_record_ends_the_run(tmp_path: pathlib.Path) -> None:
    path = write_examples(tmp_path / "a", range(4), [1])
    with queuecompat.options(on_error="raise"):
        batch = tf.train.batch([parsed(path)], 1)
    with started() as sess, pytest.raises(tf.errors.InvalidArgumentError, match="Could not parse example input"):
        for _ in range(4):
            sess.run(batch)


def alone(files: List[str]) -> tf2.Tensor:
    record = tf.TFRecordReader().read(tf.train.string_input_producer(files))[1]
    return tf.train.batch([tf.parse_single_example(record, FEATURES)[KEY]], 4)


def shuffled(files: List[str]) -> tf2.Tensor:
    record = tf.TFRecordReader().read(tf.train.string_input_producer(files))[1]
    return tf.train.shuffle_batch([tf.parse_single_example(record, FEATURES)[KEY]], 4, 20, 10, num_threads=3)


def without_a_place(files: List[str]) -> tf2.Tensor:
    number = tf.train.range_input_producer(7).dequeue()
    with tf.control_dependencies([tf.Assert(number < 0, ["not negative"])]):
        checked = tf.identity(number)
    return tf.train.batch([checked], 4)


@pytest.mark.parametrize("build", [alone, shuffled, without_a_place])
def test_an_endless_source_of_which_all_fails_is_an_error_and_does_not_spin(
    build: Callable[[List[str]], tf2.Tensor], tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was read again and again, inside of one step that never came back."""
    monkeypatch.setattr(failed_run, "LEAST", 60)
    batch = build([write_examples(tmp_path / "a", range(10), range(10))])
    with started() as sess, pytest.raises(tf.errors.InvalidArgumentError, match="QC335 every element of"):
        sess.run(batch)


def test_one_good_record_is_enough(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(failed_run, "LEAST", 30)
    batch = alone([write_examples(tmp_path / "a", range(10), range(1, 10))])
    with started() as sess:
        assert flat([sess.run(batch) for _ in range(10)]) == [0] * 40
