"""``data_service`` of ``as_dataset``."""

from __future__ import annotations

import collections
import pathlib
from typing import Any, List

import numpy as np
import pytest
import tensorflow as tf

import queuecompat
from queuecompat._backends.tfdata import dispatchers
from queuecompat.errors import DataServiceWarning, QueueCompatRuntimeError, QueueCompatValueError
from tests.queues.modes import eagerly as graph  # noqa: F401
from tests.service.cluster import Cluster, free_port

TOTAL = 300


def numbers(files: Any, keeps_all: bool = True) -> Any:
    queue = tf.compat.v1.train.string_input_producer(files, num_epochs=2)
    _, record = tf.compat.v1.TFRecordReader().read(queue)
    number = tf.strings.to_number(record, tf.int32)
    batch = tf.compat.v1.train.shuffle_batch([number], 7, 60, 20, allow_smaller_final_batch=keeps_all)
    return {"number": batch, "double": 2 * batch}


def counts(dataset: tf.data.Dataset) -> Any:
    return collections.Counter(int(one) for batch in dataset for one in batch["number"].numpy())


def test_each_iterator_has_the_elements_that_there_are_without_a_service(files: List[str], cluster: Cluster) -> None:
    dataset = queuecompat.as_dataset(numbers, files, data_service=cluster.address)
    local = queuecompat.as_dataset(numbers, files)
    assert dataset.element_spec == local.element_spec
    orders = []
    for _ in range(2):
        batches = list(dataset)
        assert all((2 * one["number"] == one["double"]).numpy().all() for one in batches)
        orders.append(np.concatenate([one["number"] for one in batches]).tolist())
        assert sorted(orders[-1]) == sorted(counts(local).elements())
    assert orders[0] != orders[1]


def test_the_plan_says_what_the_workers_do(files: List[str], cluster: Cluster) -> None:
    shown = str(queuecompat.explain(queuecompat.as_dataset(numbers, files, data_service=cluster.address)))
    assert f"fetch     from the workers of the tf.data service at {cluster.address}" in shown
    assert "read      TFRecord" in shown
    with pytest.raises(QueueCompatValueError, match="QC505"):
        queuecompat.explain(queuecompat.as_dataset(numbers, files, data_service=cluster.address), code=True)


def test_two_datasets_of_one_job_share_the_elements_of_each_pass(files: List[str], cluster: Cluster) -> None:
    """Each finished iterator is followed by one that is another pass, and not the end of the first."""
    how = {"data_service": cluster.address, "data_service_job": "datasets"}
    first, second = (queuecompat.as_dataset(numbers, files, **how) for _ in range(2))
    for _ in range(2):
        one, other = iter(first), iter(second)
        seen = collections.Counter(next(one)["number"].numpy().tolist() + next(other)["number"].numpy().tolist())
        seen += counts(one) + counts(other)  # type: ignore[arg-type]
        assert seen == dict.fromkeys(range(TOTAL), 2)


def test_other_data_are_another_job(files: List[str], cluster: Cluster) -> None:
    """A job of tf.data's has one dataset: the evaluation would get the training data."""
    how = {"data_service": cluster.address, "data_service_job": "halves"}
    halves = [queuecompat.as_dataset(numbers, files[part::2], **how) for part in range(2)]
    seen = [set(counts(half)) for half in halves]
    assert len(seen[0]) == len(seen[1]) == TOTAL // 2
    assert not seen[0] & seen[1]


def test_what_belongs_to_this_process_stays_and_is_named(files: List[str], cluster: Cluster) -> None:
    def python() -> Any:
        queue = tf.compat.v1.train.string_input_producer(files, num_epochs=1)
        _, record = tf.compat.v1.TFRecordReader().read(queue)
        return tf.compat.v1.train.batch([tf.compat.v1.py_func(int, [record], tf.int64)], 5, shapes=[[]])

    with pytest.warns(DataServiceWarning, match=r"QC360.*PyFunc.* made at .*test_datasets.py:\d+"):
        dataset = queuecompat.as_dataset(python, data_service=cluster.address)
    assert "QC360" in str(queuecompat.explain(dataset))
    assert sorted(np.concatenate(list(dataset)).tolist()) == list(range(TOTAL))
    with pytest.raises(QueueCompatRuntimeError, match=r"QC305.*PyFunc"):
        queuecompat.as_dataset(python, data_service=cluster.address, strict=True)


def test_a_dispatcher_that_is_not_there_is_an_error_of_the_first_element(
    files: List[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dispatchers, "PATIENCE", 0.0)
    dataset = queuecompat.as_dataset(numbers, files, data_service=f"grpc://localhost:{free_port()}")
    with pytest.raises(tf.errors.UnknownError, match=r"QC361.*\n  made at:  .*test_datasets.py:\d+"):
        next(iter(dataset))


def test_an_endless_dataset_is_known_to_be_one(files: List[str], cluster: Cluster) -> None:
    def endless() -> Any:
        queue = tf.compat.v1.train.string_input_producer(files)
        _, record = tf.compat.v1.TFRecordReader().read(queue)
        return tf.compat.v1.train.batch([record], 5)

    dataset = queuecompat.as_dataset(endless, data_service=cluster.address)
    assert dataset.cardinality() == tf.data.INFINITE_CARDINALITY
    assert len(list(dataset.take(70))) == 70


def test_workers_that_are_handed_the_files_one_by_one_lose_no_epoch(files: List[str], cluster: Cluster) -> None:
    """TensorFlow's own ``distribute``, which hands out the elements of each source of a dataset by itself.

    An epoch whose rows and number are of two sources is lost when two workers are handed one each; that does not happen
    in every round, so the graph is looked at as well.
    """
    dataset = queuecompat.as_dataset(numbers, files)
    variant = tf.data.experimental.to_variant(dataset)
    graph_def = tf.compat.v1.GraphDef.FromString(tf.raw_ops.DatasetToGraphV2(input_dataset=variant).numpy())
    sources = [node.name for node in graph_def.node if node.op in {"RangeDataset", "TensorSliceDataset"}]
    assert len(sources) == 1
    service = tf.data.experimental.service
    shared = dataset.apply(service.distribute(service.ShardingPolicy.DYNAMIC, cluster.address))
    for _ in range(5):
        assert sorted(counts(shared).elements()) == sorted(counts(dataset).elements())


def test_files_without_a_record_that_are_read_forever_are_an_error(tmp_path: pathlib.Path, cluster: Cluster) -> None:
    """The workers opened them again and again, and the program waited."""
    names = [str(tmp_path / name) for name in "abc"]
    for name in names:
        tf.io.TFRecordWriter(name).close()

    def empty() -> Any:
        _, record = tf.compat.v1.TFRecordReader().read(tf.compat.v1.train.string_input_producer(names))
        return tf.compat.v1.train.batch([record], 5)

    with pytest.raises(tf.errors.InvalidArgumentError, match="QC303 'input_producer' can never produce an element"):
        next(iter(queuecompat.as_dataset(empty, data_service=cluster.address)))


def test_the_position_of_an_iterator_is_refused_to_a_checkpoint(
    tmp_path: pathlib.Path, files: List[str], cluster: Cluster
) -> None:
    """TensorFlow said "PyFunc is stateful"."""
    dataset = queuecompat.as_dataset(numbers, files, data_service=cluster.address)
    for one in (dataset, dataset.prefetch(1)):
        checkpoint = tf.train.Checkpoint(iterator=iter(one))
        with pytest.raises(QueueCompatRuntimeError, match=r"QC362 .*\n  made at:  .*test_datasets.py:\d+"):
            checkpoint.save(str(tmp_path / "saved"))
