"""``tf.contrib.data``: names, kinds of datasets, and what becomes of them in a queue pipeline."""

from __future__ import annotations

import pathlib
from typing import Any

import numpy as np
import pytest

import queuecompat
import queuecompat.v1 as tf
from tests.forking import Server
from tests.pipelines.running import drain, write_records

contrib = tf.contrib.data

TRANSFORMATIONS = {
    "assert_element_shape": lambda: contrib.assert_element_shape(tf.TensorShape([])),
    "batch_and_drop_remainder": lambda: contrib.batch_and_drop_remainder(2),
    "padded_batch_and_drop_remainder": lambda: contrib.padded_batch_and_drop_remainder(2, []),
    "sliding_window_batch": lambda: contrib.sliding_window_batch(2),
    "sloppy_interleave": lambda: contrib.sloppy_interleave(tf.data.Dataset.range, 2),
}


@pytest.mark.parametrize("name", sorted(TRANSFORMATIONS))
def test_a_dataset_of_tf1s_kind_stays_of_its_kind(name: str) -> None:
    dataset = tf.data.Dataset.range(4)
    assert isinstance(dataset.apply(TRANSFORMATIONS[name]()), tf.data.Dataset)


@pytest.mark.parametrize("name", sorted(contrib.__all__))
def test_every_public_name_is_there(name: str) -> None:
    assert getattr(contrib, name) is not None


def test_the_names_of_tf_1_3_are_those_of_tf_data() -> None:
    for name in ("Dataset", "FixedLengthRecordDataset", "Iterator", "TFRecordDataset", "TextLineDataset"):
        assert getattr(contrib, name) is getattr(tf.data, name)


def test_a_dataset_of_tf_1_3_is_mapped_by_threads_into_a_buffer() -> None:
    """``map`` refused both arguments."""
    plain = contrib.Dataset.range(6).map(lambda x: x + 1)
    rows = plain.map(lambda x: x * 10, num_threads=2, output_buffer_size=3).repeat(2).map(tf.negative, 2)
    number = rows.make_one_shot_iterator().get_next()
    assert np.concatenate(drain(tf.train.batch([number], 6))).tolist() == [-10, -20, -30, -40, -50, -60] * 2
    functions = tf.get_default_graph().as_graph_def().library.function
    kinds = {"MapDataset", "ParallelMapDatasetV2", "PrefetchDataset"}
    used = sorted(node.op for function in functions for node in function.node_def if node.op in kinds)
    assert used == ["MapDataset", "ParallelMapDatasetV2", "ParallelMapDatasetV2", "PrefetchDataset"]


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (lambda rows: rows.dense_to_sparse_batch(2, [3]).map(lambda batch: batch.values), [1, 2, 3, 4]),
        (lambda rows: rows.group_by_window(lambda row: row[0], lambda key, window: window.batch(2), 2), [[1, 2]]),
        (lambda rows: rows.map(lambda row: tf.check_numerics(6 / row, "zero")).ignore_errors(), [6, 3]),
    ],
)
def test_a_method_of_tf_1_3_returns_a_dataset_of_tf1(made: Any, expected: Any) -> None:
    """The result had no ``make_one_shot_iterator``; the first method was missing."""
    rows = contrib.Dataset.from_tensor_slices(np.array([[1, 2], [3, 4]]))
    with tf.Session() as session:
        assert session.run(made(rows).make_one_shot_iterator().get_next()).tolist() == expected


def test_batches_of_features_go_on_into_a_compiled_pipeline(tmp_path: Any) -> None:
    records = []
    for number in range(6):
        value = tf.train.Feature(int64_list=tf.train.Int64List(value=[number]))
        records.append(tf.train.Example(features=tf.train.Features(feature={"n": value})).SerializeToString())
    path = write_records(tmp_path / "records", records)
    features = {"n": tf.FixedLenFeature([], tf.int64)}
    read = contrib.read_batch_features(path, 3, features, randomize_input=False, num_epochs=1)
    batch = tf.train.batch([read["n"] * 10], 2, enqueue_many=True, shapes=[[]])
    assert np.concatenate(drain(batch)).tolist() == [0, 10, 20, 30, 40, 50]
    assert not queuecompat.explain().native


def test_a_dataset_that_ends_in_a_window_feeds_a_queue_pipeline() -> None:
    windows = tf.data.Dataset.range(5).apply(contrib.sliding_window_batch(2))
    window = tf.data.make_one_shot_iterator(windows).get_next()
    (given,) = drain(tf.train.batch([tf.ensure_shape(window, [2])], 4))
    assert given.tolist() == [[0, 1], [1, 2], [2, 3], [3, 4]]


def test_lists_are_shapes_too() -> None:
    pairs = tf.data.Dataset.from_tensors((np.zeros([2, 3]), np.zeros([4])))
    shaped = pairs.apply(contrib.assert_element_shape(([None, 3], None)))
    assert [shape.as_list() for shape in tf.data.get_output_shapes(shaped)] == [[2, 3], [4]]


@pytest.mark.parametrize("name", ["LMDBDataset", "CheckpointInputPipelineHook", "StatsAggregator", "x"])
def test_a_removed_name_says_why(name: str) -> None:
    with pytest.raises(AttributeError, match=rf"(?s)'tf\.contrib\.data\.{name}' was not found: .*instead: +\w+"):
        getattr(contrib, name)


def test_in_eager_mode_datasets_are_iterated_over(tmp_path: pathlib.Path, server: Server) -> None:
    code = """
import tensorflow as tf
from queuecompat.contrib import data
ds = tf.data.Dataset.range(5)
assert [x.numpy().tolist() for x in ds.apply(data.sliding_window_batch(4))] == [[0, 1, 2, 3], [1, 2, 3, 4]]
assert [x.numpy().tolist() for x in ds.apply(data.batch_and_drop_remainder(2))] == [[0, 1], [2, 3]]
assert int(data.reduce_dataset(ds, data.Reducer(lambda _: tf.constant(0, tf.int64), lambda s, x: s + x, None))) == 10
"""
    ran = server.run(["-c", code], str(tmp_path))
    assert ran.exit_code == 0, ran.err
