"""The plan of a dataset, and the program that it stands for."""

from __future__ import annotations

import pathlib
import re
import zlib
from typing import Any, Callable, Dict, List

import numpy as np
import pytest
import tensorflow as tf

import queuecompat
from queuecompat import contrib, image, readers, train
from tests.dataset.positions import INPUT_FNS, UNSEEDED
from tests.dataset.values import numbers

tf1 = tf.compat.v1


def number_of(count: int = 12) -> tf.Tensor:
    return train.range_input_producer(count, num_epochs=2, seed=3).dequeue()


def _pictures(folder: pathlib.Path) -> Any:
    """The bytes of an image and its label, out of encoded examples."""
    path = str(folder / "records")
    with tf.io.TFRecordWriter(path) as writer:
        for label in range(40):
            pixels = np.full([8, 8, 1], label, np.uint8).tobytes()
            feature = {
                "image": tf.train.Feature(bytes_list=tf.train.BytesList(value=[pixels])),
                "label": tf.train.Feature(int64_list=tf.train.Int64List(value=[label])),
            }
            writer.write(tf.train.Example(features=tf.train.Features(feature=feature)).SerializeToString())
    _, record = readers.TFRecordReader().read(train.string_input_producer([path], num_epochs=2, seed=1))
    features = {"image": tf1.FixedLenFeature([], tf.string), "label": tf1.FixedLenFeature([], tf.int64)}
    parsed = tf1.parse_single_example(record, features)
    return parsed["image"], parsed["label"]


def records(folder: pathlib.Path) -> Any:
    """Images with labels, cropped, flipped; and what comes after the batch."""
    content, label = _pictures(folder)
    picture = tf.reshape(tf1.decode_raw(content, tf.uint8), [8, 8, 1])
    picture = tf1.image.random_flip_left_right(image.random_crop(picture, [6, 6, 1], seed=4), seed=5)
    scaled = tf.cast(picture, tf.float32) / 255.0
    pictures, labels = train.shuffle_batch([scaled, label], 4, 20, 10, seed=6)
    return {"image": pictures, "labels": (tf.one_hot(labels, 40), None, [labels])}


def records_without_seeds(folder: pathlib.Path) -> Any:
    """Parsed, cut and scaled a batch at a time."""
    pictures, labels = _pictures(folder)
    scaled = tf.cast(tf.reshape(tf1.decode_raw(pictures, tf.uint8), [8, 8, 1])[1:7, 1:7], tf.float32) / 255.0
    return train.batch([scaled, labels], 4, capacity=20)


def keys_and_lines(folder: pathlib.Path) -> Any:
    (folder / "lines").write_text("header\none\ntwo\nthree\n")
    queue = train.string_input_producer([str(folder / "lines")], num_epochs=1)
    return train.batch(readers.TextLineReader(skip_header_lines=1).read(queue), 2, allow_smaller_final_batch=True)


def keys_and_records(folder: pathlib.Path) -> Any:
    path = str(folder / "records")
    with tf.io.TFRecordWriter(path, "GZIP") as writer:
        for text in (b"", b"a", b"bcd"):
            writer.write(text)
    options = tf.io.TFRecordOptions(compression_type="GZIP")
    return readers.TFRecordReader(options=options).read_up_to(train.string_input_producer([path], num_epochs=1), 2)


def fixed_lengths(folder: pathlib.Path) -> Any:
    (folder / "bytes").write_bytes(zlib.compress(bytes(range(50))))
    queue = train.string_input_producer([str(folder / "bytes")], num_epochs=1)
    return readers.FixedLengthRecordReader(4, header_bytes=2, hop_bytes=5, encoding="ZLIB").read(queue)


def branches_and_loops(_: pathlib.Path) -> Any:
    number = number_of()
    is_even, nan = tf.equal(number % 2, 0), float("nan")
    branched = tf.cond(is_even, lambda: (number * 10, tf.constant(1.5)), lambda: (number, tf.constant(nan)))
    _, power = tf.while_loop(lambda n, _: n > 0, lambda n, power: (n - 1, power * 2), (number, tf.constant(1)))
    mapped = tf.map_fn(lambda one: one * one, tf.stack([number, power]))
    return train.batch([*branched, power, mapped], 4)


def padded_and_kept(_: pathlib.Path) -> Any:
    number = number_of()
    return train.maybe_batch([tf.range(number), tf.cast(number, tf.float32)], number > 3, 4, dynamic_pad=True)


def rows_cut(_: pathlib.Path) -> Any:
    number = number_of()
    return train.batch([tf.stack([number, number + 100])], 3, enqueue_many=True)


def buckets(_: pathlib.Path) -> Any:
    number = number_of()
    inputs = [tf.range(number)]
    return contrib.training.bucket_by_sequence_length(number + 1, inputs, 3, [4, 8], dynamic_pad=True)


def sparse_and_ragged(_: pathlib.Path) -> Any:
    batch = train.batch([number_of()], 4)
    return tf.sparse.from_dense(tf.stack([batch, batch])), tf.RaggedTensor.from_row_lengths(batch, [1, 3])


def variables_tables_arrays(_: pathlib.Path) -> Any:
    offset = tf1.get_variable("offset", initializer=5)
    words = tf.lookup.KeyValueTensorInitializer(tf.range(60), tf.range(60) ** 2)
    table = tf.lookup.StaticHashTable(words, -1)
    array = np.arange(2**19, dtype=np.int64).reshape(16, -1)
    (row,) = train.slice_input_producer([array], num_epochs=1, seed=1)
    number = number_of()
    return train.batch([row[0], table.lookup(number) + offset], 2)


def a_function_of_python(_: pathlib.Path) -> Any:
    number = number_of()
    doubled = tf.reshape(tf1.py_func(lambda n: np.int32(n * 2), [number], tf.int32, stateful=False), [])
    return train.batch([doubled, number], 4)


def ends_by_itself(_: pathlib.Path) -> Any:
    limit = tf1.get_variable("limit", initializer=0, use_resource=True)
    return train.batch([limit.count_up_to(10)], 2)


def queue_of_its_own(_: pathlib.Path) -> Any:
    queue = tf1.FIFOQueue(8, [tf.int32], shapes=[[]])
    tf1.train.add_queue_runner(tf1.train.QueueRunner(queue, [queue.enqueue(number_of())]))
    return queue.dequeue_up_to(5)


def rows_that_may_be_empty(_: pathlib.Path) -> Any:
    number = number_of()
    block = [tf.ones([2, number % 3], tf.int32) * number, tf.stack([number, number])]
    return train.batch(block, 3, enqueue_many=True, dynamic_pad=True)


def one_row_that_may_be_empty(_: pathlib.Path) -> Any:
    block = tf.ones([2, number_of() % 3], tf.int32)
    return train.batch([block], 3, enqueue_many=True, dynamic_pad=True)


def two_queues(_: pathlib.Path) -> Any:
    return numbers(8, 2), (train.batch([number_of(), tf.constant("word")], 4),)


CASES: Dict[str, Callable[[pathlib.Path], Any]] = {
    case.__name__: case
    for case in (
        a_function_of_python,
        branches_and_loops,
        buckets,
        ends_by_itself,
        fixed_lengths,
        keys_and_lines,
        keys_and_records,
        one_row_that_may_be_empty,
        padded_and_kept,
        queue_of_its_own,
        records,
        records_without_seeds,
        rows_cut,
        rows_that_may_be_empty,
        sparse_and_ragged,
        two_queues,
        variables_tables_arrays,
    )
}
for one in set(INPUT_FNS) - {*UNSEEDED, "counted"}:
    CASES[one] = lambda _, one=one: INPUT_FNS[one]()


@pytest.mark.parametrize("name", sorted(CASES))
def test_the_program_has_the_elements_of_the_dataset(name: str, tmp_path: pathlib.Path) -> None:
    dataset = queuecompat.as_dataset(CASES[name], tmp_path, strict=True)
    # Of a dataset of its own: a variable that counts is an argument of the program.
    program = queuecompat.explain(queuecompat.as_dataset(CASES[name], tmp_path), code=True)
    made = program.build()
    for ours, theirs in zip(tf.nest.flatten(made.element_spec), tf.nest.flatten(dataset.element_spec)):
        # Of a SparseTensor the program does not know the shape.
        assert ours == theirs or isinstance(ours, tf.SparseTensorSpec), program
    given, wanted = list(made), list(dataset)
    assert len(given) == len(wanted) > 0
    pairs = zip(map(_arrays, given), map(_arrays, wanted))
    if "and grows" in str(queuecompat.explain(dataset)):
        # A program of public functions fills its shuffle buffer first, and so shuffles otherwise; it says so.
        assert "grows" in str(program)
        pairs = zip(_rows(given), _rows(wanted))
    for ours, theirs in pairs:
        # TensorFlow divides by a constant in one of them, and multiplies by its reciprocal in the other.
        for one, other in zip(ours, theirs):
            compare = np.testing.assert_allclose if one.dtype.kind == "f" else np.testing.assert_array_equal
            compare(one, other)


def test_the_program_of_ops_on_whole_batches_is_written_as_such(tmp_path: pathlib.Path) -> None:
    program = str(queuecompat.explain(queuecompat.as_dataset(records_without_seeds, tmp_path), code=True))
    assert "def batch_step(" in program and "def step(" not in program


def test_flips_of_tensorflow_2_run_on_whole_batches() -> None:
    """``tf.image`` decides by a ``tf.cond`` whose branches are functions."""

    def flipped() -> Any:
        row = tf.compat.v1.train.slice_input_producer([np.arange(96, dtype=np.float32).reshape(8, 4, 3)], num_epochs=20)
        image = tf.image.random_flip_up_down(tf.reshape(row[0], [4, 3, 1]))
        return tf.compat.v1.train.batch([image], 8)

    dataset = queuecompat.as_dataset(flipped, strict=True)
    assert "on whole batches" in str(queuecompat.explain(dataset)) and "QC309" not in str(queuecompat.explain(dataset))
    images = np.concatenate(list(dataset.as_numpy_iterator()))
    is_flipped = images[:, 0, 0, 0] > images[:, 3, 0, 0]
    assert 40 < is_flipped.sum() < 120  # of 160; outside of it one run in a million million
    np.testing.assert_array_equal(
        np.where(is_flipped[:, None, None, None], images[:, ::-1], images)[:, 1, 0, 0] % 12, 3
    )


def _arrays(element: Any) -> List[np.ndarray]:
    return [np.asarray(part) for part in tf.nest.flatten(element, expand_composites=True) if part is not None]


def _rows(batches: List[Any]) -> List[List[np.ndarray]]:
    """The rows of all *batches*, in an order that is the same for the same rows."""
    rows = [list(row) for batch in batches for row in zip(*_arrays(batch))]
    return sorted(rows, key=lambda row: [np.round(part, 3).tolist() for part in row])


def test_a_program_in_a_file_runs_by_itself(tmp_path: pathlib.Path) -> None:
    dataset = queuecompat.as_dataset(records, tmp_path)
    (tmp_path / "program.py").write_text(str(queuecompat.explain(dataset, code=True)))
    names: Dict[str, Any] = {}
    exec((tmp_path / "program.py").read_text(), names)
    assert not any("queuecompat" in str(value) for value in names.values())
    assert len(list(names["dataset"]())) == len(list(dataset)) == 20


def test_a_program_that_calls_a_function_of_python_says_where_that_is(tmp_path: pathlib.Path) -> None:
    lines = str(queuecompat.explain(queuecompat.as_dataset(a_function_of_python, tmp_path), code=True)).split("\n")
    (place,) = [number for number, line in enumerate(lines) if "tf.raw_ops.PyFunc" in line]
    assert "tf.numpy_function" in lines[place - 1] and "".join(lines).count("numpy_function") == 1


def test_the_plan_of_a_dataset_is_text() -> None:
    dataset = queuecompat.as_dataset(INPUT_FNS["shared"])
    text = str(queuecompat.explain(dataset))
    assert text.startswith("dataset: compiled to tf.data, made at ")
    assert "stream 'input_producer', which several consumers share" in text
    assert text.count("draw" if "draw" in text else "share     the stream") == 2
    assert "compiled" in repr(queuecompat.explain(dataset))


def test_options_do_not_hide_the_plan() -> None:
    dataset = queuecompat.as_dataset(numbers, 4, 2, options=tf.data.Options())
    assert queuecompat.explain(dataset).plan is not None


def test_a_native_dataset_says_why() -> None:
    def input_fn() -> Any:
        return train.batch([number_of()], 3, shared_name="a_name")

    with pytest.warns(UserWarning, match="QC204"):
        dataset = queuecompat.as_dataset(input_fn)
    assert "QC204" in str(queuecompat.explain(dataset))
    with pytest.raises(ValueError, match="QC505"):
        queuecompat.explain(dataset, code=True)


@pytest.mark.parametrize("option", [{"random": "by_index"}, {"checkpoint": True}, {"shard": (0, 2)}])
def test_a_dataset_that_needs_the_index_of_records_names_the_options(option: Any, tmp_path: pathlib.Path) -> None:
    dataset = queuecompat.as_dataset(records_without_seeds, tmp_path, **option)
    with pytest.raises(
        ValueError, match=r"QC505 .*random='by_index' and checkpoint=True .* build the dataset without it"
    ):
        queuecompat.explain(dataset, code=True)


def test_other_datasets_and_graphs_have_no_program() -> None:
    with pytest.raises(TypeError, match="QC506"):
        queuecompat.explain(tf.data.Dataset.range(3))
    with pytest.raises(TypeError, match="QC506"):
        queuecompat.explain(queuecompat.as_dataset(numbers, 4, 2).take(1))
    with pytest.raises(TypeError, match="QC506"):
        queuecompat.explain(tf.Graph(), code=True)


def test_a_large_constant_is_an_argument_of_the_program() -> None:
    def input_fn() -> Any:
        table = tf.constant(np.arange(600.0).reshape(60, 10))
        return train.batch([tf.gather(table, number_of())], 4)

    program = queuecompat.explain(queuecompat.as_dataset(input_fn), code=True)
    assert len(program.arguments) == 1
    assert len(str(program)) < 5000
    assert next(iter(program.build())).shape == [4, 10]
    # The docstring of the program says where the argument comes from.
    names: Dict[str, Any] = {}
    exec(str(program), names)
    assert "in `.arguments`" in names["dataset"].__doc__ and "`.build()`" in names["dataset"].__doc__
    assert next(iter(names["dataset"](**program.arguments))).shape == [4, 10]


def test_a_program_without_arguments_has_no_section_on_arguments() -> None:
    program = queuecompat.explain(queuecompat.as_dataset(lambda: train.batch([number_of()], 4)), code=True)
    assert not program.arguments and "arguments" not in str(program)


def a_tutorial_of_2016(folder: pathlib.Path) -> Any:
    (folder / "bytes").write_bytes(bytes(number % 251 for number in range(3073 * 6)))
    queue = train.string_input_producer([str(folder / "bytes")], num_epochs=1, shuffle=False)
    record = tf.io.decode_raw(readers.FixedLengthRecordReader(3073).read(queue)[1], tf.uint8)
    label = tf.cast(tf1.strided_slice(record, [0], [1]), tf.int32)
    image = tf.transpose(tf.reshape(tf1.strided_slice(record, [1], [3073]), [3, 32, 32]), [1, 2, 0])
    image = tf.image.resize_with_crop_or_pad(tf.cast(image, tf.float32), 24, 28)
    image = tf.maximum(tf.square(image / 255.0 - 0.5), 0.1)[::-1, tf.newaxis, :, 2:]
    return train.batch([image, tf.reshape(label, []), tf.reduce_mean(image, [0, 1], keepdims=True)], 3)


def test_the_program_has_public_functions_and_no_arithmetic_of_constants(tmp_path: pathlib.Path) -> None:
    dataset = queuecompat.as_dataset(a_tutorial_of_2016, tmp_path)
    code = str(queuecompat.explain(dataset, code=True))
    assert "raw_ops" not in code and "Assert" not in code and "import sys" not in code and "tf.pad" not in code
    assert "[:, 1:3073]" in code and "tf.transpose(reshape, [0, 2, 3, 1])" in code
    names: Dict[str, Any] = {}
    exec(code, names)
    for ours, theirs in zip(dataset, names["dataset"]()):
        # The program divides by 255.0, a dataset multiplies by its reciprocal, as sessions do.
        for one, other in zip(ours, theirs):
            np.testing.assert_allclose(one, other, rtol=1e-6)


def test_examples_are_parsed_by_their_features(tmp_path: pathlib.Path) -> None:
    code = str(queuecompat.explain(queuecompat.as_dataset(records, tmp_path), code=True))
    assert re.search(r"tf\.io\.parse_(single_)?example\(", code) and "tf.io.FixedLenFeature([" in code
