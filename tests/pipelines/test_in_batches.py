"""Whole programs whose ops run on batches: the same elements as one by one, in TF1's bounds, and with TF1's errors."""

from __future__ import annotations

import collections
import pathlib
from typing import Any, List, Sequence

import numpy as np
import pytest
import tensorflow
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import queuecompat
import queuecompat.v1 as tf
from queuecompat import _passes as passes
from queuecompat import processors
from queuecompat._analysis.batched import form
from queuecompat._passes.batch_first import batch_first
from tests.batched.rowwise import assert_same
from tests.pipelines.running import drain, started

COUNT, SIZE = 50, 8
IMAGES = np.random.RandomState(0).randint(0, 255, [COUNT, 3, 32, 32]).astype(np.uint8)
LABELS = np.arange(COUNT, dtype=np.uint8)


@pytest.fixture
def cifar(tmp_path: pathlib.Path) -> str:
    path = tmp_path / "data_batch_1.bin"
    path.write_bytes(b"".join(bytes([label]) + image.tobytes() for label, image in zip(LABELS, IMAGES)))
    return str(path)


@pytest.fixture
def records(tmp_path: pathlib.Path) -> str:
    path = str(tmp_path / "images.tfrecord")
    with tensorflow.io.TFRecordWriter(path) as writer:
        for label, image in zip(LABELS, IMAGES):
            example = tensorflow.train.Example()
            example.features.feature["image_raw"].bytes_list.value.append(image.tobytes())
            example.features.feature["label"].int64_list.value.append(int(label))
            writer.write(example.SerializeToString())
    return path


def read_cifar(path: str, num_epochs: int = 1) -> Any:
    """The reader of the CIFAR-10 tutorial."""
    names = tf.train.string_input_producer([path], num_epochs=num_epochs)
    _, value = tf.FixedLengthRecordReader(record_bytes=1 + 3072).read(names)
    values = tf.decode_raw(value, tf.uint8)
    label = tf.cast(tf.strided_slice(values, [0], [1]), tf.int32)
    depth_major = tf.reshape(tf.strided_slice(values, [1], [1 + 3072]), [3, 32, 32])
    label.set_shape([1])
    return tf.transpose(depth_major, [1, 2, 0]), label


def read_record(path: str) -> Any:
    names = tf.train.string_input_producer([path], num_epochs=1)
    _, value = tf.TFRecordReader().read(names)
    features = {"image_raw": tf.FixedLenFeature([], tf.string), "label": tf.FixedLenFeature([], tf.int64)}
    parsed = tf.parse_single_example(value, features)
    return tf.reshape(tf.decode_raw(parsed["image_raw"], tf.uint8), [32, 32, 3]), parsed["label"]


def multiset(batches: Sequence[Any]) -> Any:
    return collections.Counter(
        tuple(np.asarray(part).tobytes() for part in row) for batch in batches for row in zip(*batch)
    )


def text() -> str:
    return str(queuecompat.explain())


def without_the_pass(monkeypatch: Any) -> None:
    monkeypatch.setattr(passes, "ORDER", tuple(one for one in passes.ORDER if one is not batch_first))


def both_ways(build: Any, monkeypatch: Any) -> List[Any]:
    """The batches of *build* with the pass and without it."""
    results = []
    for is_batched in (True, False):
        if not is_batched:
            without_the_pass(monkeypatch)
        with tensorflow.Graph().as_default():
            batch = build()
            assert ("on whole batches" in text()) == is_batched, text()
            results.append(drain(batch))
    return results


@pytest.mark.parametrize("whole_batches", [True, False], ids=["no rest", "with the rest"])
def test_a_tutorial_of_images_has_the_same_elements(cifar: str, monkeypatch: Any, whole_batches: bool) -> None:
    def build() -> Any:
        image, label = read_cifar(cifar, num_epochs=2)
        image = tf.image.resize_image_with_crop_or_pad(tf.cast(image, tf.float32), 24, 24)
        image = tf.image.per_image_standardization(image)
        image.set_shape([24, 24, 3])
        return tf.train.shuffle_batch(
            [image, label], SIZE, 64, 16, num_threads=4, allow_smaller_final_batch=not whole_batches
        )

    batched, alone = both_ways(build, monkeypatch)
    assert sum(multiset(batched).values()) == (96 if whole_batches else 100)
    if not whole_batches:
        assert multiset(batched) == multiset(alone)
    assert {row[0].shape for batch in batched for row in [batch]} <= {(SIZE, 24, 24, 3), (100 % SIZE, 24, 24, 3)}


def test_a_tutorial_of_images_runs_no_op_of_its_reader_for_each_element(
    cifar: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processors, "usable", lambda: 2)
    image, label = read_cifar(cifar)
    tf.train.shuffle_batch([tf.cast(image, tf.float32), label], SIZE, 64, 16)
    (calls,) = [line for line in text().splitlines() if "in parallel" in line]
    assert "one by one" not in text() and "on whole batches, 2 in parallel" in calls
    assert "shuffle   buffer of 48 of string[]" in text()


def test_records_in_order_have_the_same_elements_in_the_same_order(records: str, monkeypatch: Any) -> None:
    def build() -> Any:
        image, label = read_record(records)
        return tf.train.batch([tf.cast(image, tf.float32) / 255.0 - 0.5, label], SIZE, allow_smaller_final_batch=True)

    batched, alone = both_ways(build, monkeypatch)
    assert [[part.tobytes() for part in batch] for batch in batched] == [
        [part.tobytes() for part in batch] for batch in alone
    ]


def test_random_crops_and_flips_are_drawn_again_for_each_element(records: str) -> None:
    image, label = read_record(records)
    crop = tf.image.random_flip_left_right(tf.random_crop(image, [28, 24, 3]))
    batch = tf.train.shuffle_batch([crop, label], 10, 40, 8)
    assert "one by one" not in text() and "in parallel" not in text()
    places = set()
    for crops, labels in drain(batch):
        for one, number in zip(crops, labels):
            whole = IMAGES[number].reshape([32, 32, 3])
            windows = {
                (top, left, is_flipped): whole[top : top + 28, left : left + 24][:, :: -1 if is_flipped else 1]
                for top in range(5)
                for left in range(9)
                for is_flipped in (False, True)
            }
            places.add(next(place for place, window in windows.items() if (window == one).all()))
    assert len(places) > 15
    assert {is_flipped for _, _, is_flipped in places} == {False, True}


def test_lines_of_numbers_have_the_same_elements(tmp_path: pathlib.Path, monkeypatch: Any) -> None:
    path = tmp_path / "a.csv"
    path.write_text("".join(f"{n / 3},{n},{'' if n % 2 else n}\n" for n in range(COUNT)))

    def build() -> Any:
        names = tf.train.string_input_producer([str(path)], num_epochs=1)
        _, line = tf.TextLineReader().read(names)
        a, b, c = tf.decode_csv(line, [[0.0], [0], [-1.0]])
        return tf.train.shuffle_batch([tf.stack([a, c]), b], SIZE, 30, 5, allow_smaller_final_batch=True)

    batched, alone = both_ways(build, monkeypatch)
    assert multiset(batched) == multiset(alone)


def test_what_a_seed_fixes_comes_out_the_same(records: str, monkeypatch: Any) -> None:
    def build() -> Any:
        image, label = read_record(records)
        crop = tf.image.random_flip_left_right(tf.random_crop(image, [28, 24, 3], seed=3), seed=4)
        return tf.train.batch([tf.cast(crop, tf.float32), label], SIZE)

    batched, alone = both_ways(build, monkeypatch)
    assert [[part.tobytes() for part in batch] for batch in batched] == [
        [part.tobytes() for part in batch] for batch in alone
    ]


def test_the_text_says_what_runs_for_each_example_and_where_it_was_made() -> None:
    pngs = [tensorflow.io.encode_png(image.transpose([1, 2, 0])) for image in IMAGES[:4]]
    with tf.Session() as session:
        contents = session.run(pngs)
    content = tf.train.slice_input_producer([np.array(contents)])[0]
    image = tf.reshape(tf.image.decode_png(content, 3), [32, 32, 3])
    tf.train.batch([tf.image.random_flip_left_right(tf.cast(image, tf.float32))], 2)
    assert "DecodePng (tests/pipelines/test_in_batches.py:" in text()
    assert "runs per example: it has no form for whole batches" in text()
    assert "; batched: " in text()


def test_capacity_bounds_the_records_that_are_held(records: str) -> None:
    image, label = read_record(records)
    tf.train.batch([tf.cast(image, tf.float32), label], SIZE, capacity=32)
    assert "memory  at most 40 elements" in text()


def test_a_large_image_stays_with_its_element() -> None:
    images = np.zeros([4, 200, 200, 3], np.uint8)
    image = tf.train.slice_input_producer([images])[0]
    tf.train.batch([tf.image.random_flip_left_right(tf.cast(image, tf.float32))], 2)
    assert "are faster one by one" in text()


def test_a_large_table_is_no_large_element() -> None:
    number = tf.train.range_input_producer(4, shuffle=False).dequeue()
    row = tf.gather(tf.constant(np.arange(80_000).reshape(-1, 4)), number)
    tf.train.batch([tf.random_crop(row, [2])], 2)
    assert "on whole batches" in text() and text().count(" map ") == 1


def test_a_record_of_the_wrong_length_is_an_error_of_its_op(tmp_path: pathlib.Path) -> None:
    path = str(tmp_path / "bad")
    with tensorflow.io.TFRecordWriter(path) as writer:
        for content in (b"1234", b"12345678", b"1234"):
            writer.write(content)
    names = tf.train.string_input_producer([path], num_epochs=1, shuffle=False)
    _, value = tf.TFRecordReader().read(names)
    batch = tf.train.batch([tf.reshape(tf.decode_raw(value, tf.uint8), [2, 2])], 3)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"DecodeRaw|Reshape"):
        drain([batch])


OPS = {
    "cast": lambda x: tensorflow.cast(x, tensorflow.float32),
    "scale": lambda x: x * 3,
    "flip": lambda x: tensorflow.reverse(x, [0]),
    "transpose": lambda x: tensorflow.transpose(x),
    "flatten": lambda x: tensorflow.reshape(x, [-1]),
    "stack": lambda x: tensorflow.stack([x, x], -1),
    "pad": lambda x: tensorflow.pad(x, [[1, 0]] * x.shape.rank),
    "largest": lambda x: tensorflow.reduce_max(x, 0, keepdims=True),
    "mean": lambda x: (
        x - tensorflow.cast(tensorflow.reduce_mean(tensorflow.cast(x, tensorflow.float32)), x.dtype)
        if x.dtype.is_floating
        else x
    ),
    "first": lambda x: x[:2],
    "last": lambda x: x[..., -1:],
    "exp": lambda x: tensorflow.exp(tensorflow.cast(x, tensorflow.float32) / 300),
    "cond": lambda x: tensorflow.cond(
        tensorflow.reduce_max(x) > 90, lambda: tensorflow.reverse(x, [-1]), lambda: x + tensorflow.ones_like(x)
    ),
    "assert": lambda x: tensorflow.ensure_shape(x, x.shape),
    "square": tensorflow.square,
}


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(
    chain=st.lists(st.sampled_from(sorted(OPS)), min_size=1, max_size=6),
    shape=st.lists(st.integers(1, 5), min_size=1, max_size=3),
    dtype=st.sampled_from(["float32", "int32"]),
)
def test_a_generated_slice_has_the_same_bits_wherever_it_is_cut(chain: List[str], shape: List[int], dtype: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(form, "SMALLEST_SHARE", 0)
        check_generated(chain, shape, dtype)


def check_generated(chain: List[str], shape: List[int], dtype: str) -> None:
    rows = (np.random.RandomState(len(chain)).rand(5, *shape) * 100).astype(dtype)

    def build(x: Any) -> Any:
        for name in ["scale", *chain, "square"]:
            x = OPS[name](x)
        return x

    with tensorflow.Graph().as_default():
        assert_same(build, [rows], whole="exp" not in chain)


def numbers_in_lines(path: pathlib.Path, lines: Sequence[str]) -> Any:
    path.write_text("".join(f"{line}\n" for line in lines))
    names = tf.train.string_input_producer([str(path)], num_epochs=1, shuffle=False)
    _, line = tf.TextLineReader().read(names)
    return tf.train.batch([tf.string_to_number(line, tf.int32)], 2)


def test_after_a_bad_record_the_next_run_continues_after_its_batch(tmp_path: pathlib.Path) -> None:
    batch = numbers_in_lines(tmp_path / "a.txt", ["1", "2", "3", "bad", "5", "6"])
    assert "on whole batches" in text()
    with tf.Session() as sess:
        tf.train.start_queue_runners(sess)
        assert sess.run(batch).tolist() == [1, 2]
        with pytest.raises(tf.errors.InvalidArgumentError, match="bad"):
            sess.run(batch)
        assert sess.run(batch).tolist() == [5, 6]


def test_a_bad_record_that_is_left_over_at_the_end_is_not_parsed(tmp_path: pathlib.Path) -> None:
    assert [one.tolist() for (one,) in drain([numbers_in_lines(tmp_path / "a.txt", ["1", "2", "bad"])])] == [[1, 2]]


def test_an_error_in_a_batch_names_the_op_and_its_line_as_for_one_element(tmp_path: pathlib.Path) -> None:
    batch = numbers_in_lines(tmp_path / "a.txt", ["1", "bad"])
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"op: .*'StringToNumber', made at \S*test_in_batches.py:"):
        drain([batch])


def test_an_error_of_what_a_rule_adds_names_the_op_that_it_stands_for(tmp_path: pathlib.Path) -> None:
    path = str(tmp_path / "long")
    with tensorflow.io.TFRecordWriter(path) as writer:
        for _ in range(2):
            writer.write(b"12345678")
    _, value = tf.TFRecordReader().read(tf.train.string_input_producer([path], num_epochs=1))
    batch = tf.train.batch([tf.reshape(tf.decode_raw(value, tf.uint8), [2, 2])], 2)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"op: .*'Reshape', made at \S*test_in_batches.py:"):
        drain([batch])


TEXTS = [list(range(number % 7 + 1)) for number in range(COUNT)]


@pytest.fixture
def texts(tmp_path: pathlib.Path) -> str:
    path = str(tmp_path / "texts.tfrecord")
    with tensorflow.io.TFRecordWriter(path) as writer:
        for number, ids in enumerate(TEXTS):
            example = tensorflow.train.Example()
            example.features.feature["ids"].int64_list.value.extend(ids)
            example.features.feature["label"].int64_list.value.append(number)
            writer.write(example.SerializeToString())
    return path


def read_text(path: str) -> Any:
    names = tf.train.string_input_producer([path], num_epochs=1)
    _, value = tf.TFRecordReader().read(names)
    features = {"ids": tf.VarLenFeature(tf.int64), "label": tf.FixedLenFeature([], tf.int64)}
    parsed = tf.parse_single_example(value, features)
    return tf.sparse_tensor_to_dense(parsed["ids"]), parsed["label"]


@pytest.mark.parametrize("is_smaller", [True, False], ids=["with the rest", "no rest"])
def test_padded_batches_have_the_same_elements(texts: str, monkeypatch: Any, is_smaller: bool) -> None:
    def build() -> Any:
        ids, label = read_text(texts)
        both = [ids[:-1], tf.cast(ids[1:], tf.float32) / 255.0, label]
        return tf.train.batch(both, SIZE, dynamic_pad=True, allow_smaller_final_batch=is_smaller)

    batched, alone = both_ways(build, monkeypatch)
    assert len(batched) == -(-COUNT // SIZE) if is_smaller else COUNT // SIZE
    assert [[(part.shape, part.tobytes()) for part in batch] for batch in batched] == [
        [(part.shape, part.tobytes()) for part in batch] for batch in alone
    ]


def test_the_op_that_needs_one_length_of_padded_texts_is_named(texts: str) -> None:
    ids, label = read_text(texts)
    tf.train.batch([ids, tf.reduce_sum(ids), label], SIZE, dynamic_pad=True)
    assert "QC309 Sum (tests/pipelines/test_in_batches.py:" in text()


def test_a_slice_beyond_the_end_of_one_text_is_the_error_of_the_users_op(texts: str) -> None:
    ids, label = read_text(texts)
    batch = tf.train.batch([tf.slice(ids, [1], [tf.size(ids)]), label], SIZE, dynamic_pad=True)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"op: .*'Slice', made at \S*test_in_batches.py:") as error:
        drain(batch)
    assert "record 0 of the file" in str(error.value)


@pytest.mark.parametrize("is_smaller", [True, False], ids=["with the rest", "no rest"])
@pytest.mark.parametrize(
    "kept", [lambda x: x % 3 < 1, lambda x: x < 0, lambda x: x >= 20], ids=["some", "none", "late"]
)
def test_what_is_kept_of_whole_batches_has_the_same_order(
    texts: str, monkeypatch: Any, kept: Any, is_smaller: bool
) -> None:
    def build() -> Any:
        _, label = read_text(texts)
        both = [tf.cast(label, tf.float32) / 7.0, label]
        return tf.train.maybe_batch(both, kept(label), SIZE, allow_smaller_final_batch=is_smaller)

    batched, alone = both_ways(build, monkeypatch)
    assert [[(part.shape, part.tobytes()) for part in batch] for batch in batched] == [
        [(part.shape, part.tobytes()) for part in batch] for batch in alone
    ]


def test_what_is_kept_does_not_wait_for_more_than_the_programs_own_queue_has() -> None:
    """A batch of 2 needs the 3 numbers that are there, and no fourth one."""
    queue = tf.FIFOQueue(10, [tf.int32], [[]])
    fill = queue.enqueue_many([[1, 2, 3]])
    x = queue.dequeue()
    batch = tf.train.maybe_batch([x * 2], x > 1, 2, capacity=8)
    with started() as sess:
        sess.run(fill)
        assert sess.run(batch).tolist() == [4, 6]
