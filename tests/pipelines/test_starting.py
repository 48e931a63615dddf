"""What a pipeline costs to build and to start: functions traced, functions in the graph."""

from __future__ import annotations

import gc
import pathlib
import weakref
from typing import Any, Callable, Dict, List, Tuple

import pytest
import tensorflow as tf

import queuecompat.v1 as v1
from queuecompat._backends.tfdata import functions


def _library(graph: tf.Graph) -> List[Any]:
    return list(graph.as_graph_def().library.function)


def _lines(folder: pathlib.Path) -> Any:
    (folder / "lines.txt").write_text("a\nb\nc\n")
    files = v1.train.string_input_producer([str(folder / "lines.txt")], shuffle=False)
    _, line = v1.TextLineReader().read(files)
    return v1.train.batch([line], 2)


def _names(folder: pathlib.Path) -> List[str]:
    with tf.Graph().as_default() as graph:
        _lines(folder)
    # Gates and shared streams are captured, and their names are the graph's own.
    captured = {"ResourceCountUpTo", "IteratorGetNext"}
    functions = [one for one in _library(graph) if all(node.op not in captured for node in one.node_def)]
    assert len(functions) > 3
    return sorted(function.signature.name for function in functions)


def test_the_same_pipeline_in_another_graph_has_the_same_functions(tmp_path: pathlib.Path) -> None:
    # Names used to count up in a process: the optimiser, and a loaded graph, saw other functions each time.
    assert _names(tmp_path) == _names(tmp_path)


def test_tensorflow_is_told_that_the_functions_are_of_datasets() -> None:
    with tf.Graph().as_default() as graph:
        v1.train.batch([v1.train.range_input_producer(5, shuffle=False).dequeue() * 2], 2)
    functions = _library(graph)
    assert functions
    assert all(function.attr["_tf_data_function"].b for function in functions)


# What a function computes, whether the graph's optimiser passes it by, and whether it runs on its device as it is.
COMPUTED: Dict[str, Tuple[Callable[[Any], Any], bool, bool]] = {
    "whole numbers": (lambda n: n * 2, True, True),
    # The optimiser has to see x / 255.
    "arithmetic that is the same everywhere": (lambda n: tf.cast(n, tf.float32) * 2 / 255.0, False, True),
    "a draw": (lambda n: tf.random.uniform([2]) * tf.cast(n, tf.float32), False, True),
    "bits that depend on the place in a register": (lambda n: tf.exp(tf.cast(n * 2, tf.float32)), False, False),
}


@pytest.mark.parametrize("name", COMPUTED)
def test_which_functions_skip_the_optimiser_and_the_rewrites_for_devices(name: str) -> None:
    compute, is_passed_by, is_on_one_device = COMPUTED[name]
    with tf.Graph().as_default() as graph:
        v1.train.batch([compute(v1.train.range_input_producer(5, shuffle=False).dequeue())], 2)
    computing = [one for one in _library(graph) if any(node.op in ("Mul", "RandomUniform") for node in one.node_def)]
    assert computing
    for one in computing:
        assert one.attr["experimental_ints_on_device"].b == is_on_one_device
        assert one.attr["_tf_data_function"].b == is_passed_by


def test_a_look_upstream_of_a_batch_adds_no_producer(tmp_path: pathlib.Path) -> None:
    # Its reader has keys, that of the batch has none: they used to have all the files' functions twice.
    with tf.Graph().as_default() as graph:
        _lines(tmp_path)
        graph.finalize()
    assert [op.type for op in graph.get_operations()].count("UnbatchDataset") == 1


def test_the_native_call_with_the_same_arguments_is_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from queuecompat._native import reference

    calls: List[str] = []
    original = reference._expected
    monkeypatch.setattr(reference, "_expected", lambda call, *rest: (calls.append(call), original(call, *rest))[1])
    for _ in range(2):
        with tf.Graph().as_default():
            v1.train.batch([v1.train.range_input_producer(5, capacity=97).dequeue()], 3, capacity=98)
    assert sorted(calls) == ["batch", "input_producer", "range_input_producer"]


def test_the_native_call_is_asked_again_where_a_shape_is_different() -> None:
    with tf.Graph().as_default():
        for length in (3, 4):
            batch = v1.train.batch([tf.zeros([length], name="same")], 2)
            assert batch.shape.as_list() == [2, length]


def test_a_graph_with_pipelines_stays_as_new_as_it_was() -> None:
    """Functions without a version made the graph an old one, in which a scalar placeholder has no shape."""
    with tf.Graph().as_default() as graph:
        before = graph.graph_def_versions.producer
        v1.train.batch([v1.train.range_input_producer(5).dequeue()], 2)
        assert graph.graph_def_versions.producer == before
        assert v1.placeholder(tf.float32, []).shape.rank == 0


def test_functions_that_are_traced_once_keep_no_graph_alive() -> None:
    """Of the first graph that asked for one: its counters and streams are known where the function is traced."""
    functions._memo.clear()
    graph = tf.Graph()
    with graph.as_default():
        number = v1.train.range_input_producer(100).dequeue()
        batches = [v1.train.shuffle_batch([number], 5, 200, 20), v1.train.batch([number], 3)]
        graph.finalize()
    assert functions._memo
    kept = weakref.ref(graph)
    del graph, number, batches
    gc.collect()
    assert kept() is None
