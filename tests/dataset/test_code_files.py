"""``explain(code=True)`` of ``match_filenames_once``: the program looks for the files itself, and takes no argument."""

from __future__ import annotations

import pathlib
import textwrap
from typing import Any, Callable, Dict, List

import numpy as np
import pytest
import tensorflow as tf

import queuecompat
from queuecompat import readers, train
from tests.forking import Server

tf1 = tf.compat.v1


def program_of(input_fn: Callable[..., Any], *arguments: Any) -> Any:
    return queuecompat.explain(queuecompat.as_dataset(input_fn, *arguments, strict=True), code=True)


def run_alone(program: Any) -> List[Any]:
    """What the dataset of *program* gives, of which nothing but its text is known."""
    names: Dict[str, Any] = {}
    exec(str(program), names)
    return list(names["dataset"]().as_numpy_iterator())


@pytest.fixture
def folder(tmp_path: pathlib.Path) -> pathlib.Path:
    """Files of lines, made in no order."""
    for name in ("b-2", "a-10", "b-1", "a-9", "c-1"):
        (tmp_path / name).write_text(f"{name} first\n{name} second\n")
    return tmp_path


def lines_of(pattern: Any) -> tf.Tensor:
    files = train.match_filenames_once(pattern)
    return readers.TextLineReader().read(train.string_input_producer(files, num_epochs=1, shuffle=False))[1]


TRAINING = """
    import queuecompat
    import tensorflow.compat.v1 as tf

    def training(pattern):
        with tf.name_scope("input"):
            queue = tf.train.string_input_producer(tf.train.match_filenames_once(pattern), num_epochs=1)
            _, record = tf.TFRecordReader().read(queue)
            example = tf.parse_single_example(record, {"image": tf.FixedLenFeature([], tf.string)})
            image = tf.reshape(tf.decode_raw(example["image"], tf.uint8), [32, 32, 3])
            image = tf.random_crop(image, [28, 28, 3])
            return tf.train.shuffle_batch([image], 8, capacity=24, min_after_dequeue=16)

    program = queuecompat.explain(queuecompat.as_dataset(training, "data-*"), code=True)
    assert not program.arguments
    print(program)
"""
WITHOUT_US = """
    from program import dataset

    for images in dataset().as_numpy_iterator():
        assert images.shape == (8, 28, 28, 3)
        print(*images.min(axis=(1, 2, 3)), *images.max(axis=(1, 2, 3)))
"""


def test_the_program_of_a_training_pipeline_runs_in_a_process_that_has_no_more_than_it(
    server: Server, tmp_path: pathlib.Path
) -> None:
    """It took the handle of the variable, and the offsets of the crops, which only the process had that wrote it."""
    for number in (1, 0):
        with tf.io.TFRecordWriter(str(tmp_path / f"data-{number}")) as writer:
            for place in range(12):
                pixels = tf.train.BytesList(value=[bytes([number * 12 + place]) * (32 * 32 * 3)])
                features = tf.train.Features(feature={"image": tf.train.Feature(bytes_list=pixels)})
                writer.write(tf.train.Example(features=features).SerializeToString())
    written = server.run(["-c", textwrap.dedent(TRAINING)], str(tmp_path))
    assert written.exit_code == 0, written.err
    assert "import queuecompat" not in written.out
    (tmp_path / "program.py").write_text(written.out)
    ran = server.run(["-c", textwrap.dedent(WITHOUT_US)], str(tmp_path))
    assert ran.exit_code == 0, ran.err
    least, most = np.split(np.array([line.split() for line in ran.out.splitlines()], int), 2, axis=1)
    assert sorted(least.ravel()) == list(range(24)) and (least == most).all()


# Files that two patterns find are there twice, and patterns are not read one after the other.
@pytest.mark.parametrize("patterns", ["*", "b-*", ["c-*", "a-*"], ["b-*", "*-1"], ["[!a]-1"]], ids=str)
def test_the_files_come_in_the_order_of_the_variable(patterns: Any, folder: pathlib.Path) -> None:
    whole = [str(folder / one) for one in patterns] if isinstance(patterns, list) else str(folder / patterns)

    def lines() -> Any:
        return train.batch([lines_of(whole)], 2)

    program = program_of(lines)
    assert not program.arguments and str(program).count("glob(") == 1
    wanted = [batch.tolist() for batch in queuecompat.as_dataset(lines).as_numpy_iterator()]
    assert [batch.tolist() for batch in run_alone(program)] == wanted != []


def test_files_are_looked_for_when_the_program_runs(folder: pathlib.Path) -> None:
    program = program_of(lambda: train.batch([lines_of(str(folder / "a-*"))], 2))
    (folder / "a-95").write_text("more\nand more\n")
    assert len(run_alone(program)) == 3


def test_files_that_a_step_on_whole_batches_reads_are_no_argument(folder: pathlib.Path) -> None:
    def numbered() -> Any:
        files = train.match_filenames_once(str(folder / "*"))
        row = train.range_input_producer(5, num_epochs=1, shuffle=False).dequeue()
        return train.batch([tf.gather(files.read_value(), row), row + 1], 5)

    program = program_of(numbered)
    assert "def batch_step(" in str(program) and not program.arguments
    ((names, _),) = run_alone(program)
    assert names.tolist() == sorted(str(path).encode() for path in folder.iterdir())


def test_a_list_of_files_that_something_else_changes_stays_an_argument(folder: pathlib.Path) -> None:
    def assigned() -> Any:
        files = train.match_filenames_once(str(folder / "b-*"))
        tf1.assign(files, [str(folder / "a-9")], validate_shape=False)
        return train.batch([readers.TextLineReader().read(train.string_input_producer(files, num_epochs=1))[1]], 2)

    program = program_of(assigned)
    assert list(program.arguments) == ["the_matching_filenames"] and "glob(" not in str(program)


def test_a_pattern_that_is_computed_and_other_variables_stay_arguments(folder: pathlib.Path) -> None:
    def computed() -> Any:
        return train.batch([lines_of(tf.strings.join([str(folder), tf.strings.as_string(tf.constant(3))]))], 2)

    def another() -> Any:
        offset = tf1.get_variable("offset", initializer=3, trainable=False)
        return train.batch([train.range_input_producer(4, num_epochs=1).dequeue() + offset], 2)

    assert list(program_of(computed).arguments) == ["the_matching_filenames"]
    assert list(program_of(another).arguments) == ["the_offset"]
