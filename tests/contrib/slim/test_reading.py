"""``slim.parallel_reader`` and ``DatasetDataProvider``: compiled, exactly once, to the end of the data."""

from __future__ import annotations

from typing import Any, List

import numpy as np
import pytest

import queuecompat
import queuecompat.v1 as tf
from queuecompat._backends.text import held
from tests.contrib.slim.test_prefetch_queue import assert_all_compiled, until_the_end
from tests.pipelines.running import drain, started, write_records

slim = tf.contrib.slim


def example(number: int) -> bytes:
    value = tf.train.Feature(int64_list=tf.train.Int64List(value=[number]))
    return tf.train.Example(features=tf.train.Features(feature={"number": value})).SerializeToString()


def files_of(folder: Any, files: int = 5, records: int = 8) -> List[str]:
    return [
        write_records(folder / f"{f}.rec", [example(f * records + r) for r in range(records)]) for f in range(files)
    ]


def dataset(files: Any) -> Any:
    decoder = slim.tfexample_decoder.TFExampleDecoder(
        {"number": tf.FixedLenFeature([], tf.int64)}, {"number": slim.tfexample_decoder.Tensor("number")}
    )
    return slim.dataset.Dataset(files, tf.TFRecordReader, decoder, 40, {})


def provider(files: Any, **arguments: Any) -> Any:
    return slim.dataset_data_provider.DatasetDataProvider(dataset(files), **arguments)


@pytest.mark.parametrize("shuffle", [True, False])
@pytest.mark.parametrize("num_readers", [1, 3, 9])
def test_every_record_is_read_once_an_epoch(tmp_path: Any, num_readers: int, shuffle: bool) -> None:
    (number,) = provider(files_of(tmp_path), num_readers=num_readers, shuffle=shuffle, num_epochs=2).get(["number"])
    assert_all_compiled()
    given = drain(number)
    assert sorted(given) == sorted(list(range(40)) * 2)
    assert (given == list(range(40)) * 2) == (num_readers == 1 and not shuffle)


def test_the_whole_pipeline_of_a_slim_script_is_one_plan_without_keys(tmp_path: Any) -> None:
    (number,) = provider(files_of(tmp_path), num_readers=3, num_epochs=1, common_queue_capacity=32).get(["number"])
    batch = tf.train.batch([number], 4, num_threads=4, capacity=20)
    queue = slim.prefetch_queue.prefetch_queue([batch, tf.one_hot(batch, 40)], capacity=2)
    clones = [queue.dequeue() for _ in range(2)]
    assert_all_compiled()
    plans = dict(queuecompat.explain().compiled)
    kinds = [type(step).__name__ for step in plans["prefetch_queue"].steps]
    assert [kind for kind in kinds if kind not in ("Count", "Prefetch")] == ["Merge", "Shuffle", "Run", "Batch", "Run"]
    assert "with keys" not in str(queuecompat.explain())
    with started() as sess:
        steps = [sess.run(clones[n % 2]) for n in range(6)] + until_the_end(sess, clones[1])
    assert all((hot.argmax(axis=1) == numbers).all() for numbers, hot in steps)
    assert sorted(np.concatenate([numbers for numbers, _ in steps]).tolist()) == list(range(40))


def test_a_record_comes_with_its_own_key(tmp_path: Any) -> None:
    given = drain(provider(files_of(tmp_path), num_readers=3, num_epochs=1).get(["number", "record_key"]))
    size = len(example(1)) + 16  # a record and its frame
    for number, key in given:
        name, _, offset = key.decode().rpartition("/")[2].partition(":")
        assert (name, int(offset)) == (f"{number // 8}.rec", number % 8 * size)


def test_items_that_are_asked_for_one_after_the_other_belong_to_one_record(tmp_path: Any) -> None:
    given = provider(files_of(tmp_path), num_readers=3, num_epochs=1)
    (number,), (key,) = given.get(["number"]), given.get(["record_key"])
    key.set_shape([])  # TF1 did not know it either
    batch = tf.train.batch([number, key], 8)
    assert_all_compiled()
    for numbers, keys in drain(batch):
        assert [int(key.decode().rpartition("/")[2].split(".")[0]) for key in keys] == (numbers // 8).tolist()


def test_a_shuffle_buffer_mixes_over_its_whole_capacity(tmp_path: Any) -> None:
    files = files_of(tmp_path, files=1, records=400)
    (number,) = provider(files, num_epochs=1, common_queue_capacity=200, common_queue_min=100).get(["number"])
    given = drain(number)
    assert sorted(given) == list(range(400))
    assert np.mean(np.abs(np.array(given) - np.arange(400))) > 50


def test_a_seed_fixes_the_order_of_one_reader(tmp_path: Any) -> None:
    files, orders = files_of(tmp_path), []
    for seed in (3, 3, 4):
        with tf.Graph().as_default():
            orders.append(drain(provider(files, num_epochs=1, seed=seed).get(["number"])))
    assert orders[0] == orders[1]
    assert orders[0] != orders[2]


def test_files_are_read_in_the_order_of_the_seed_where_records_are_taken_in_order(tmp_path: Any) -> None:
    """A pool of one does not mix; the files' order is then TF1's."""
    files = files_of(tmp_path)
    _, value = slim.parallel_reader.parallel_read(
        files, tf.TFRecordReader, 1, num_readers=1, seed=5, capacity=1, min_after_dequeue=0
    )
    names = tf.train.string_input_producer(files, num_epochs=1, seed=5)
    _, expected = tf.TFRecordReader().read(names)
    assert drain(value) == drain(expected)


def test_what_the_common_queue_and_its_readers_hold_is_bounded(tmp_path: Any) -> None:
    provider(files_of(tmp_path), num_readers=3, common_queue_capacity=64)
    (plan,) = (plan for name, plan in queuecompat.explain().compiled if name == "parallel_read/common_queue_Dequeue")
    assert sum(elements for _, elements, _ in held(plan)) <= 64


def test_an_unbounded_shuffle_buffer_still_mixes(tmp_path: Any) -> None:
    _, value = slim.parallel_reader.parallel_read(files_of(tmp_path), tf.TFRecordReader, 1, num_readers=1, capacity=-1)
    assert "buffer of 1024" in str(queuecompat.explain())
    assert len(drain(value)) == 40


def test_a_corrupt_record_reaches_the_program_itself(tmp_path: Any) -> None:
    files = files_of(tmp_path, files=2)
    with open(files[1], "r+b") as file:
        file.seek(14)
        file.write(b"?")
    (number,) = provider(files, num_readers=2, num_epochs=1, shuffle=False).get(["number"])
    with started() as sess, pytest.raises(tf.errors.DataLossError):
        for _ in range(100):
            sess.run(number)


@pytest.mark.parametrize("num_readers", [1, 3])
def test_files_without_a_record_that_are_read_forever_are_an_error(tmp_path: Any, num_readers: int) -> None:
    files = [write_records(tmp_path / str(f), []) for f in range(2)]
    _, value = slim.parallel_reader.parallel_read(files, tf.TFRecordReader, num_readers=num_readers)
    with started() as sess, pytest.raises(tf.errors.InvalidArgumentError, match="QC303"):
        sess.run(value)


def test_a_common_queue_of_the_programs_own_is_filled_natively_and_exactly_once(tmp_path: Any) -> None:
    common = tf.RandomShuffleQueue(16, 4, [tf.string, tf.string])
    reader = slim.parallel_reader.ParallelReader(tf.TFRecordReader, common, num_readers=3)
    names = tf.train.string_input_producer(files_of(tmp_path), num_epochs=1)
    # A second `read` would be a second queue runner, which may meet the queue that the first has closed.
    record = reader.read(names)
    with started() as sess:
        given = [value for _, value in until_the_end(sess, record)]
    assert sorted(given) == sorted(example(number) for number in range(40))


def test_readers_of_tensorflows_own_are_taken_too(tmp_path: Any) -> None:
    from tensorflow.compat.v1 import TFRecordReader

    with pytest.warns(UserWarning, match="QC206"):  # the queue of names has to be there for them
        _, value = slim.parallel_reader.parallel_read(files_of(tmp_path), TFRecordReader, 1, num_readers=2)
    assert sorted(drain(value)) == sorted(example(number) for number in range(40))


def test_a_single_pass_is_compiled(tmp_path: Any) -> None:
    files_of(tmp_path)
    _, value = slim.parallel_reader.single_pass_read(str(tmp_path / "*.rec"), tf.TFRecordReader)
    assert_all_compiled()
    assert sorted(drain(value)) == sorted(example(number) for number in range(40))


def test_an_item_named_like_the_records_key_is_an_error_that_names_it(tmp_path: Any) -> None:
    with pytest.raises(ValueError, match="`record_key` cannot also be used for a dataset item: number"):
        provider(files_of(tmp_path), record_key="number")
