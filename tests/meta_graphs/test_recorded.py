"""Graphs that TF 1.15.5 saved deliver, as datasets, what TF 1.15.5 delivered from them."""

from __future__ import annotations

import pathlib
import re
import shutil
from typing import Any, List

import numpy as np
import pytest
import tensorflow as tf
from google.protobuf import text_format
from tensorflow.python.framework import function

import queuecompat
from queuecompat.errors import NativePipelineWarning
from tests.dataset.values import values
from tests.meta_graphs.graphs import GRAPHS
from tests.meta_graphs.recorded import delivered, elements_of, fetches_of, file_of, in_any_order, matches

NATIVE = ["buckets", "by_priority", "by_priority_of_two", "iterator_of_its_own"]
NOT_COMPILED = {*NATIVE, "fed_at_each_step", "filled_by_the_program", "never_filled", "python_inside"}


def loaded(name: str, **arguments: Any) -> tf.data.Dataset:
    return queuecompat.dataset_from_meta_graph(file_of(name), fetches_of(name), strict=True, **arguments)


@pytest.mark.parametrize("name", sorted(set(GRAPHS) - NOT_COMPILED))
def test_a_saved_graph_is_compiled_and_delivers_what_tensorflow_1_delivered(name: str) -> None:
    ours, theirs = elements_of(name, loaded(name)), delivered(name)
    assert len(theirs) > 1
    if GRAPHS[name].is_ordered:
        assert matches(ours, theirs)
    else:
        assert len(ours) == len(theirs)
        assert in_any_order(ours) == in_any_order(theirs)


def test_each_iteration_begins_with_the_first_epoch() -> None:
    dataset = loaded("slices_of_arrays")
    assert matches(elements_of("slices_of_arrays", dataset), elements_of("slices_of_arrays", dataset))


@pytest.mark.parametrize("name", NATIVE)
def test_what_cannot_be_compiled_runs_in_a_session_with_a_warning(name: str) -> None:
    with pytest.warns(NativePipelineWarning, match=r"QC209.*(PriorityQueue|iterator|more than an enqueue)"):
        dataset = queuecompat.dataset_from_meta_graph(file_of(name), fetches_of(name))
    assert in_any_order(elements_of(name, dataset)) == in_any_order(delivered(name))


def test_sparse_tensors_go_through_queues_without_a_map_that_would_keep_them() -> None:
    plan = str(queuecompat.explain(loaded("sparse_features")))
    assert "SerializeSparse" in plan
    # An op that runs per example is told with the name that it had, which is TensorFlow 1's.
    assert "TensorsMap" not in re.sub(r"QC309.*|batched: .*", "", plan)
    assert "one by one -> variant" not in plan


def test_a_handle_of_a_sparse_tensor_that_something_else_looks_at_stays_a_handle() -> None:
    assert "AddSparseToTensorsMap" in str(queuecompat.explain(loaded("sparse_handle")))


def test_what_was_taken_out_of_a_queue_keeps_the_shape_that_the_graph_knew() -> None:
    spec = loaded("sparse_rows_of_many").element_spec
    assert [one.shape.as_list() for one in spec] == [[None], [None, 2], [None], [2]]
    assert loaded("whole_pictures").element_spec[1].shape == [2, 4, 4, 3]


def test_only_the_part_of_the_graph_that_is_fetched_is_built() -> None:
    """The model of the program is of no concern: its ops need not even exist any more."""
    graph = read("program_that_trains")
    for node in graph.graph_def.node:
        if node.op in ("Conv2D", "SparseSoftmaxCrossEntropyWithLogits"):
            node.op = f"{node.op}OfALibrary"
    dataset = queuecompat.dataset_from_meta_graph(graph, ["images:0", "labels:0"], strict=True)
    assert matches(elements_of("program_that_trains", dataset), delivered("program_that_trains"))


@pytest.mark.filterwarnings("ignore::queuecompat.errors.NativePipelineWarning")
@pytest.mark.parametrize("name", ["by_priority", "numbers_once"])
def test_devices_of_a_cluster_and_ops_that_were_left_out_do_not_matter(name: str) -> None:
    graph = read(name)
    for node in graph.graph_def.node:
        node.device = "/job:worker/task:3/gpu:0"
        node.attr["_class"].list.s.append(b"loc:@conv2d/kernel")
    dataset = queuecompat.dataset_from_meta_graph(graph, fetches_of(name))
    assert in_any_order(elements_of(name, dataset)) == in_any_order(delivered(name))


def read(name: str) -> Any:
    graph = tf.compat.v1.MetaGraphDef()
    graph.ParseFromString(pathlib.Path(file_of(name)).read_bytes())
    return graph


def test_the_elements_have_the_structure_of_the_fetches() -> None:
    fetches = {"first": "batch:1", "both": ["batch", "batch:0"]}
    dataset = queuecompat.dataset_from_meta_graph(file_of("lines_of_text"), fetches, strict=True)
    element = next(dataset.as_numpy_iterator())
    assert element["first"].tolist() == [b"one", b"none"]
    assert [numbers.tolist() for numbers in element["both"]] == [[1, 2], [1, 2]]
    single = queuecompat.dataset_from_meta_graph(file_of("lines_of_text"), "batch", strict=True)
    assert single.element_spec == tf.TensorSpec([None], tf.int32)


def test_a_text_file_and_a_path_object_are_read_as_well(tmp_path: pathlib.Path) -> None:
    # Not `str`, whose text of bytes protobuf 5 cannot read again.
    (tmp_path / "graph.pbtxt").write_text(text_format.MessageToString(read("numbers_once")))
    dataset = queuecompat.dataset_from_meta_graph(tmp_path / "graph.pbtxt", ["pairs:0"], strict=True)
    assert matches(elements_of("numbers_once", dataset), delivered("numbers_once"))


def test_files_are_found_where_feeds_say(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = [shutil.copy(path, tmp_path) for path in ("data/a.tfrecord", "data/b.tfrecord")]
    monkeypatch.chdir(tmp_path / "..")
    with pytest.raises(tf.errors.NotFoundError):
        values(loaded("records_in_batches"))
    moved = loaded("records_in_batches", feeds={"filenames/Const:0": files})
    assert matches(elements_of("records_in_batches", moved), delivered("records_in_batches"))


@pytest.mark.parametrize("files", [["data/b.tfrecord"], ["data/b.tfrecord"] * 3])
def test_the_number_of_files_may_differ_from_that_of_the_graph(files: List[str]) -> None:
    labels = queuecompat.dataset_from_meta_graph(
        file_of("records_in_batches"), "batch:1", feeds={"filenames/Const": files}, strict=True
    )
    assert sorted(np.concatenate(values(labels)).tolist()) == sorted([*range(5, 12)] * len(files) * 2)


def test_a_placeholder_takes_its_value_from_feeds() -> None:
    rows = np.arange(10.0).reshape(5, 2)
    dataset = loaded("fed_at_each_step", feeds={"rows:0": rows})
    first, second, third = (batch for (batch,) in dataset.take(3).as_numpy_iterator())
    assert np.concatenate([first, second, third]).tolist() == np.concatenate([rows, rows[:1]]).tolist()


def test_a_queue_that_the_program_filled_itself_is_filled_with_what_is_fed_epoch_after_epoch() -> None:
    paths = [[f"data/{number}.png"] for number in range(3)]
    dataset = loaded("filled_by_the_program", feeds={"paths:0": paths, "labels:0": [[0], [1], [2]]})
    images, labels = zip(*dataset.take(3).as_numpy_iterator())
    assert np.concatenate(labels).ravel().tolist() == [0, 1, 2, 0, 1, 2]
    assert np.array_equal(np.concatenate(images)[:3], np.concatenate(images)[3:])
    assert dataset.cardinality() == tf.data.INFINITE_CARDINALITY


def test_a_tensor_that_is_fed_may_be_fetched_and_what_computed_it_is_not_needed() -> None:
    dataset = queuecompat.dataset_from_meta_graph(
        file_of("reference_variables"), ["batch:0", "mean/read:0"], feeds={"mean/read:0": [0.5, 0.0]}, strict=True
    )
    rows, mean = next(dataset.as_numpy_iterator())
    assert mean.tolist() == [0.5, 0]
    assert ((rows + mean)[:, 0] % 2 == 0).all()


def test_the_program_of_a_saved_graph_can_be_written() -> None:
    """From a file of TensorFlow 1 to tf.data source code, without the program that made the file."""
    code = queuecompat.explain(loaded("lines_of_text"), code=True)
    names: Any = {}
    exec(str(code), names)
    assert matches(elements_of("lines_of_text", names["dataset"]()), delivered("lines_of_text"))


def test_the_program_of_a_saved_graph_looks_for_its_files_itself() -> None:
    code = queuecompat.explain(loaded("matched_names"), code=True)
    names: Any = {}
    exec(str(code), names)
    assert not code.arguments
    assert matches(elements_of("matched_names", names["dataset"]()), delivered("matched_names"))


def test_an_endless_graph_makes_an_endless_dataset() -> None:
    assert loaded("numbers_forever").cardinality() == tf.data.INFINITE_CARDINALITY
    assert loaded("numbers_once").cardinality() == 5


def test_functions_of_defun_are_loaded_with_the_part_that_calls_them(tmp_path: pathlib.Path) -> None:
    """They are called by ops of a type of their own, which was said to be none of this TensorFlow's (QC519)."""

    @function.Defun(tf.int32)
    def squared(x: tf.Tensor) -> tf.Tensor:
        return x * x

    with tf.Graph().as_default():
        queue = tf.compat.v1.FIFOQueue(4, [tf.int32], shapes=[[]])
        square = squared(tf.constant(3))
        square.set_shape([])
        tf.compat.v1.train.add_queue_runner(tf.compat.v1.train.QueueRunner(queue, [queue.enqueue([square])]))
        batch = queue.dequeue_many(2, name="squares")
        tf.compat.v1.train.export_meta_graph(str(tmp_path / "squares.meta"))
    dataset = queuecompat.dataset_from_meta_graph(tmp_path / "squares.meta", batch.name)
    assert next(iter(dataset)).numpy().tolist() == [9, 9]
