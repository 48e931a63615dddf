"""An error of a dataset's iterator names the record that it is about, as that of a step of a session does."""

from __future__ import annotations

import pathlib
import traceback
from typing import Any, Callable, List

import pytest
import tensorflow as tf2

import queuecompat
from queuecompat._plan import skipped
from queuecompat._session.errors import locating
from tests.pipelines.bad_data import KEY, example, logs, write_examples
from tests.pipelines.running import write_records

with queuecompat.tf1_imports():
    import queuecompat.v1 as tf

FEATURES = {KEY: tf2.io.FixedLenFeature([], tf2.int64)}
EACH = 16 + len(example(1))  # bytes of a record in its file


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine finds nothing in the time that a program waits for it."""
    monkeypatch.setattr(locating, "SECONDS", 60.0)


def one_by_one(files: List[str], **arguments: Any) -> Any:
    queue = tf.train.string_input_producer(files, num_epochs=1, shuffle=False)
    return tf.train.batch([tf.parse_single_example(tf.TFRecordReader().read(queue)[1], FEATURES)[KEY]], 4, **arguments)


def after_the_batch(files: List[str]) -> Any:
    queue = tf.train.string_input_producer(files, num_epochs=1, shuffle=False)
    return tf.parse_example(tf.train.batch([tf.TFRecordReader().read(queue)[1]], 4), FEATURES)[KEY]


def vectors(files: List[str]) -> Any:
    records = tf.TFRecordReader().read_up_to(tf.train.string_input_producer(files, shuffle=False), 5)[1]
    return tf.train.batch([tf.parse_example(records, FEATURES)[KEY]], 4, enqueue_many=True)


def shuffled(files: List[str]) -> Any:
    queue = tf.train.string_input_producer(files, seed=7)
    value = tf.parse_single_example(tf.TFRecordReader().read(queue)[1], FEATURES)[KEY]
    return tf.train.shuffle_batch([value], 4, 20, 8, seed=3)


def error_of(elements: Any, kind: type = tf2.errors.InvalidArgumentError) -> str:
    with pytest.raises(kind) as caught:
        for _ in elements:
            pass
    assert type(caught.value).__name__ == kind.__name__
    return str(caught.value)


@pytest.mark.parametrize("function", [one_by_one, after_the_batch, vectors, shuffled])
def test_the_record_that_does_not_parse_is_named(function: Callable[..., Any], tmp_path: pathlib.Path) -> None:
    files = [write_examples(tmp_path / name, range(8), bad) for name, bad in (("a", []), ("b", [3]))]
    text = error_of(queuecompat.as_dataset(function, files))
    assert text.startswith("Could not parse example input, value: 'no example'\n")
    assert f"/{pathlib.Path(__file__).name}:" in text
    assert f"  record:    {files[1]}:{3 * EACH} (record 3 of the file, counted from 0)" in text


@pytest.mark.parametrize("options", [{}, {"shuffle": "global"}, {"random": "by_index"}, {"checkpoint": True}])
@pytest.mark.parametrize(
    ("damage", "kind", "record"),
    [
        (3 * EACH + 2, tf2.errors.DataLossError, f"the one after {{}}:{2 * EACH} (record 2 of the file"),
        (0, tf2.errors.DataLossError, "{}, the first"),
        (None, tf2.errors.NotFoundError, "{}, the first"),
    ],
)
def test_the_name_and_the_position_of_an_unreadable_file_are_reported(
    options: Any, damage: Any, kind: Any, record: str, tmp_path: pathlib.Path
) -> None:
    """TensorFlow's eager mode adds "[Op:IteratorGetNext]" to these errors, and so none was recognised."""
    files = [write_examples(tmp_path / name, range(8)) for name in "ab"]
    content = bytearray(pathlib.Path(files[1]).read_bytes())
    if damage is None:
        pathlib.Path(files[1]).unlink()
    else:
        content[damage] ^= 255
        pathlib.Path(files[1]).write_bytes(content)
    text = error_of(queuecompat.as_dataset(shuffled, files, **options), kind)
    assert "[Op:" not in text
    assert f"  record:    {record.format(files[1])}" in text


def test_the_pattern_that_no_file_matches_is_named() -> None:
    """A session said it, and a dataset only that there is no input."""
    names = tf.train.match_filenames_once
    text = error_of(queuecompat.as_dataset(lambda: tf.train.string_input_producer(names("nowhere/train-*")).dequeue()))
    assert "  files:     none matches 'nowhere/train-*'" in text


def test_a_derived_dataset_names_that_pattern_too() -> None:
    dataset = queuecompat.as_dataset(lambda: one_by_one(tf.train.match_filenames_once("/no/such/trian-*")))
    text = error_of(dataset.take(3))
    assert "  files:     none matches '/no/such/trian-*'" in text, text


def test_the_record_of_an_op_whose_error_names_a_function_is_found(tmp_path: pathlib.Path) -> None:
    """The error of a string that is no number began with the names of two functions, and no record had the same one."""
    records = write_records(tmp_path / "a", [b"0", b"1", b"2", b"no number", b"4"])

    def numbers() -> Any:
        _, record = tf.TFRecordReader().read(tf.train.string_input_producer([str(records)], num_epochs=1))
        return tf.train.batch([tf2.strings.to_number(record)], 2)

    text = error_of(queuecompat.as_dataset(numbers))
    assert text.startswith("StringToNumberOp could not correctly convert string: no number\n")
    assert f"  record:    {records}:" in text


def test_the_position_of_a_bad_record_in_its_batch_is_reported(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("1\n2\nthree\n4\n")

    def lines() -> Any:
        queue = tf.train.string_input_producer([str(path)], shuffle=False)
        return tf.decode_csv(tf.train.batch([tf.TextLineReader().read(queue)[1]], 4), [[0]])[0]

    assert f"{path}:3 (record 2 of the file" in error_of(queuecompat.as_dataset(lines))


def test_a_derived_dataset_reports_the_record_too(tmp_path: pathlib.Path) -> None:
    path = write_examples(tmp_path / "a", range(8), [5])
    dataset = queuecompat.as_dataset(one_by_one, [path], options=tf2.data.Options())
    derived = dataset.map(tf2.identity).prefetch(1).take(3)
    for elements in (derived, dataset.as_numpy_iterator(), queuecompat.steps(derived, 5)):
        assert f"{path}:{5 * EACH} (record 5" in error_of(elements)


@pytest.mark.filterwarnings("ignore::queuecompat.errors.NativePipelineWarning")
def test_a_dataset_from_a_session_raises_the_errors_of_the_session(tmp_path: pathlib.Path) -> None:
    """They were of the type UnknownError, as those of all Python functions that make elements."""

    def native(path: str) -> Any:
        queue = tf.train.string_input_producer([path], num_epochs=1, shuffle=False)
        value = tf.parse_single_example(tf.TFRecordReader().read(queue)[1], FEATURES)[KEY]
        return tf.train.batch([value], tf.placeholder_with_default(4, []))

    path = write_examples(tmp_path / "a", range(8), [5])
    dataset = queuecompat.as_dataset(native, path)
    for elements in (dataset, dataset.map(tf2.identity), dataset.prefetch(1)):
        assert f"{path}:{5 * EACH} (record 5" in error_of(elements)
    error_of(queuecompat.as_dataset(native, str(tmp_path / "missing")), tf2.errors.NotFoundError)
    intact = queuecompat.as_dataset(native, write_examples(tmp_path / "b", range(8)))
    own = intact.map(lambda values: tf2.io.read_file("no such file"))
    assert "no such file" in error_of(own, tf2.errors.NotFoundError)


def test_errors_of_steps_that_the_program_adds_are_raised_unchanged(tmp_path: pathlib.Path) -> None:
    path = write_examples(tmp_path / "a", range(8))

    def checked(values: Any) -> Any:
        with tf2.control_dependencies([tf2.debugging.Assert(values[0] < 3, ["too large"])]):
            return values + 1

    text = error_of(queuecompat.as_dataset(one_by_one, [path]).map(checked))
    assert "too large" in text
    assert "pipeline:" not in text


def test_a_python_function_is_not_called_again_for_it(tmp_path: pathlib.Path) -> None:
    calls: List[int] = []

    def note(value: Any) -> Any:
        calls.append(int(value))
        assert value < 2
        return value

    def function() -> Any:
        number = tf.train.range_input_producer(4, num_epochs=1, shuffle=False).dequeue()
        value = tf.py_func(note, [number], tf.int32)
        value.set_shape([])
        return tf.train.batch([value], 1)

    text = error_of(queuecompat.as_dataset(function), tf2.errors.UnknownError)
    assert "pipeline:  'dataset'" in text
    assert "record:" not in text
    assert calls.count(0) == 1


def test_the_place_is_looked_for_once_and_the_trace_is_short(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: List[str] = []
    monkeypatch.setattr(locating, "place_of", lambda steps, cause, run: looked.append(cause))
    path = write_examples(tmp_path / "a", range(4), [0])
    dataset = queuecompat.as_dataset(one_by_one, [path])
    for _ in range(2):
        with pytest.raises(tf2.errors.InvalidArgumentError) as caught:
            next(iter(dataset))
        assert "During handling" not in "".join(traceback.format_exception(caught.type, caught.value, caught.tb))
    assert len(looked) == 1


def test_an_iterator_goes_into_a_function_and_into_a_checkpoint_as_before(tmp_path: pathlib.Path) -> None:
    dataset = queuecompat.as_dataset(one_by_one, [write_examples(tmp_path / "a", range(12))])
    iterator = iter(dataset)
    drawn = tf2.function(lambda it: it.get_next())(iterator)
    saved = tf2.train.Checkpoint(iterator=iterator).write(str(tmp_path / "saved"))
    assert drawn.numpy().tolist() == [0, 1, 2, 3]
    assert next(iterator).numpy().tolist() == [4, 5, 6, 7]
    other = iter(dataset)
    tf2.train.Checkpoint(iterator=other).read(saved)
    assert next(other).numpy().tolist() == [4, 5, 6, 7]
    assert other.get_next_as_optional().get_value().numpy().tolist() == [8, 9, 10, 11]
    with pytest.raises(StopIteration):
        next(other)


def test_a_good_element_after_the_bad_one_can_still_be_had(tmp_path: pathlib.Path) -> None:
    path = write_examples(tmp_path / "a", range(12), [5])
    iterator = iter(queuecompat.as_dataset(one_by_one, [path]))
    assert next(iterator).numpy().tolist() == [0, 1, 2, 3]
    with pytest.raises(tf2.errors.InvalidArgumentError):
        next(iterator)
    assert next(iterator).numpy().tolist() == [8, 9, 10, 11]


def test_a_record_of_bytes_that_are_no_text_is_named_too(tmp_path: pathlib.Path) -> None:
    """TensorFlow raises a UnicodeDecodeError in its place, as its message quotes the record."""
    path = write_records(tmp_path / "a", [example(1), b"\xbb\xff no example", *map(example, range(6))])
    text = error_of(queuecompat.as_dataset(one_by_one, [path]))
    assert text.startswith("Could not parse example input") and f"{path}:{EACH} (record 1" in text
    for given in (one_by_one, after_the_batch):
        earlier = len(skipped.LOGS)
        list(queuecompat.as_dataset(given, [path], on_error="skip"))
        ((listed,),) = [log.listed() for log in logs(earlier)]
        assert listed.place == f"{path}:{EACH}" and listed.reason.startswith("Could not parse example input")


def test_an_op_whose_output_is_an_element_is_named() -> None:
    """TensorFlow adds a number to its name, and the error did not say which op it was."""

    def quotients() -> Any:
        (number,) = tf.train.slice_input_producer([[3, 2, 1, 0]], num_epochs=1, shuffle=False)
        return tf.train.batch([tf.floordiv(6, number, name="quotient")], 1)

    assert "  op:        'quotient', made at " in error_of(queuecompat.as_dataset(quotients))
