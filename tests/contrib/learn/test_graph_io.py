"""The readers of ``contrib.learn``: compiled from file names to parsed batches; shared lists run in a cluster too."""

from __future__ import annotations

import pathlib
from typing import Any, List

import numpy as np
import pytest

import queuecompat
import queuecompat.v1 as tf
from queuecompat.contrib import learn
from tests.pipelines.running import drain, started, write_records

FEATURES = {"number": tf.FixedLenFeature([], tf.int64), "some": tf.VarLenFeature(tf.int64)}


def example(number: int) -> bytes:
    feature = {
        "number": tf.train.Feature(int64_list=tf.train.Int64List(value=[number])),
        "some": tf.train.Feature(int64_list=tf.train.Int64List(value=range(number % 3))),
    }
    return tf.train.Example(features=tf.train.Features(feature=feature)).SerializeToString()


@pytest.fixture
def pattern(tmp_path: pathlib.Path) -> str:
    for file in range(4):
        write_records(tmp_path / f"{file}.records", [example(file * 5 + place) for place in range(5)])
    return str(tmp_path / "*.records")


def test_the_way_from_file_names_to_parsed_batches_is_compiled(pattern: str) -> None:
    parsed = learn.read_batch_record_features(pattern, 4, FEATURES, num_epochs=2, queue_capacity=30)
    explanation = queuecompat.explain()
    assert explanation.native == []
    assert [name for name, _ in explanation.compiled] == ["dequeue_record_examples/fifo_queue_Dequeue_whole"]
    assert "ParseExample" in str(explanation)
    batches = drain(parsed)
    assert sorted(np.concatenate([batch["number"] for batch in batches])) == sorted(list(range(20)) * 2)
    for batch in batches:
        assert batch["some"].dense_shape[0] == len(batch["number"])
        assert len(batch["some"].values) == sum(number % 3 for number in batch["number"])


def test_parsed_batches_are_made_ahead_up_to_the_capacity(pattern: str) -> None:
    learn.read_batch_record_features(pattern, 4, FEATURES, queue_capacity=30)
    learn.io.queue_parsed_features({"a": tf.train.range_input_producer(9).dequeue()}, feature_queue_capacity=7)
    plan = dict(queuecompat.explain().compiled)["queue_parsed_features/fifo_queue_Dequeue_whole"]
    ahead = sum(getattr(step, "parallel_calls", 1) - 1 + getattr(step, "count", 0) for step in plan.steps)
    assert 1 <= ahead <= 7 + 1


def test_readers_share_the_files_out(pattern: str) -> None:
    keys, _ = learn.read_keyed_batch_examples(
        pattern, 4, tf.TFRecordReader, num_epochs=1, queue_capacity=30, num_threads=3, read_batch_size=2
    )
    assert len({key for batch in drain(keys) for key in batch}) == 20


def test_the_seed_fixes_the_order_of_the_files(pattern: str) -> None:
    def first_keys() -> List[bytes]:
        with tf.Graph().as_default():
            keys, _ = learn.read_keyed_batch_examples_shared_queue(
                pattern, 5, tf.TFRecordReader, num_epochs=3, queue_capacity=6, seed=4
            )
            with started() as sess:
                sess.run(keys)
                return sess.run("obtain_next/obtain_next_expanded_list:0").tolist()

    orders = first_keys()
    assert orders == first_keys()
    assert len(orders) == 12 and sorted(orders[:4]) == sorted(orders[4:8]) and orders[:4] != orders[4:8]


def test_workers_of_a_cluster_share_one_list_of_files(pattern: str) -> None:
    """Two sessions of one server, as two workers see the variables of their parameter server."""
    server = tf.train.Server.create_local_server()
    keys, _ = learn.read_keyed_batch_examples_shared_queue(
        pattern, 5, tf.TextLineReader, False, num_epochs=1, queue_capacity=6
    )
    with tf.Session(server.target) as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(2):  # another worker takes these
            sess.run(tf.count_up_to(tf.global_variables("obtain_next/obtain_next_counter")[0], 4))
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess, coord)
        seen = []
        with pytest.raises(tf.errors.OutOfRangeError):
            while True:
                seen += sess.run(keys).tolist()
        coord.request_stop()
        coord.join(threads)
    files = {pathlib.Path(key.decode()).name.split(":")[0] for key in seen}
    assert files == {"2.records", "3.records"}


def test_a_native_source_is_queued_natively() -> None:
    number = tf.train.range_input_producer(6, num_epochs=1, shuffle=False).dequeue()
    fed = number * tf.placeholder_with_default(tf.constant(2), []) * tf.placeholder(tf.int32, [], name="n")
    with pytest.warns(queuecompat.errors.NativePipelineWarning, match="QC201"):
        learn.io.queue_parsed_features({"a": fed}, num_enqueue_threads=1)


def test_a_parse_function_keeps_its_dict(pattern: str) -> None:
    parsed = {}

    def parse(record: Any) -> Any:
        parsed.update(tf.parse_single_example(record, {"number": FEATURES["number"]}))
        return parsed

    _, batch = learn.read_keyed_batch_examples(pattern, 4, tf.TFRecordReader, parse_fn=parse, queue_capacity=30)
    assert list(parsed) == ["number"] and list(batch) == ["number"]


def test_removed_names_of_models_say_what_to_use_instead() -> None:
    for name, words in {
        "DNNClassifier": r"instead: +tf\.estimator\.DNNClassifier accepts the same input functions",
        "Estimator": r"instead: +tf\.estimator\.Estimator accepts the same input functions",
        "MetricSpec": r"instead: +the argument eval_metric_ops of tf\.estimator",
        "never_was_there": r"'tf\.contrib\.learn\.never_was_there' was not found: TensorFlow 1\.15 had no such name",
        "monitors": "SessionRunHook",
        "extract_dask_data": "compute",
    }.items():
        with pytest.raises(AttributeError, match=words):
            getattr(learn, name)
    with pytest.raises(AttributeError, match=r"keras\.datasets"):
        learn.datasets.load_iris  # noqa: B018
    with pytest.raises(AttributeError, match="compute"):
        learn.io.extract_dask_labels  # noqa: B018


def test_every_public_name_can_be_had() -> None:
    for package in (learn, learn.io):
        for name in package.__all__:
            assert getattr(package, name) is not None or name.startswith("HAS")
        assert dir(package) == sorted(package.__all__)
