"""Saved graphs that cannot be loaded, and names and values that do not fit: each error says what and why."""

from __future__ import annotations

import pathlib
import random
from typing import Any, Callable

import numpy as np
import pytest
import tensorflow as tf

import queuecompat
import queuecompat.v1 as tf1
from queuecompat._raising import saved_graphs
from queuecompat.errors import QueueCompatRuntimeError, QueueCompatValueError
from tests.meta_graphs.recorded import fetches_of, file_of
from tests.meta_graphs.test_recorded import read


def refused(code: str, source: Any, fetches: Any, **arguments: Any) -> str:
    """The message of the error with that *code*."""
    with pytest.raises(QueueCompatValueError, match=code) as caught:
        queuecompat.dataset_from_meta_graph(source, fetches, **arguments)
    assert caught.value.code == code
    return str(caught.value)


def test_a_file_that_is_not_there_is_said_to_be_missing(tmp_path: pathlib.Path) -> None:
    for path in (tmp_path / "absent.meta", tmp_path):
        with pytest.raises(FileNotFoundError, match="QC517"):
            queuecompat.dataset_from_meta_graph(path, "batch:0")


def test_a_file_that_was_cut_off_is_damaged_wherever_that_happened(tmp_path: pathlib.Path) -> None:
    content = pathlib.Path(file_of("records_shuffled")).read_bytes()
    chance = random.Random(1)
    path = tmp_path / "cut.meta"
    for length in [0, 1, *(chance.randrange(len(content)) for _ in range(40))]:
        path.write_bytes(content[:length])
        with pytest.raises(QueueCompatValueError, match=r"QC517|QC518"):
            queuecompat.dataset_from_meta_graph(path, "shuffle_batch:0")


def test_random_bytes_are_not_a_graph(tmp_path: pathlib.Path) -> None:
    chance = random.Random(2)
    path = tmp_path / "random.meta"
    for length in (1, 10, 1000):
        for _ in range(10):
            path.write_bytes(bytes(chance.randrange(256) for _ in range(length)))
            refused("QC517", path, "batch:0")


def test_bytes_that_were_changed_are_refused_or_harmless(tmp_path: pathlib.Path) -> None:
    """Whatever is in a file, building its dataset raises one of the documented errors, or none."""
    content = pathlib.Path(file_of("numbers_once")).read_bytes()
    chance = random.Random(3)
    path = tmp_path / "changed.meta"
    refusals = 0
    for _ in range(60):
        changed = bytearray(content)
        for _ in range(3):
            changed[chance.randrange(len(changed))] = chance.randrange(256)
        path.write_bytes(changed)
        try:
            queuecompat.dataset_from_meta_graph(path, "pairs:0", strict=True)
        except (QueueCompatValueError, QueueCompatRuntimeError) as refusal:
            assert refusal.code in ("QC305", "QC504", "QC517", "QC518", "QC519", "QC521")
            refusals += 1
    assert 0 < refusals < 60


def test_a_file_that_is_too_large_is_not_read(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(saved_graphs, "_MOST_BYTES", 1000)
    assert "larger than 2 GB" in refused("QC517", file_of("records_shuffled"), "shuffle_batch:0")


def test_a_text_file_with_a_mistake_is_damaged(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "graph.pbtxt"
    path.write_text(str(read("numbers_once")) + "}")
    refused("QC517", path, "pairs:0")


def test_a_graph_without_an_op_that_it_uses_does_not_fit_together() -> None:
    graph = read("numbers_once")
    kept = [node for node in graph.graph_def.node if node.name != "numbers/range"]
    del graph.graph_def.node[:]
    graph.graph_def.node.extend(kept)
    assert "numbers/range" in refused("QC517", graph, "pairs:0")


def test_ops_that_wait_for_each_other_are_refused_before_tensorflow_sees_them() -> None:
    """Its importer ended the process: it follows a long circle of ops by recursion."""
    graph = read("numbers_once")
    for number in range(10_000):
        node = graph.graph_def.node.add(name=f"circle_{number}", op="Identity", input=[f"circle_{number - 1}"])
        node.attr["T"].type = tf.int32.as_datatype_enum
    graph.graph_def.node[-10_000].input[0] = "circle_9999"
    refused("QC517", graph, "circle_0:0")


def test_a_graph_that_queuecompat_built_is_refused_as_such() -> None:
    """It was said to call a Python function, which its program did not."""
    with tf.Graph().as_default():
        number = tf1.train.range_input_producer(4, num_epochs=1).dequeue()
        batch = tf1.train.batch([number], 2)
        graph = tf1.train.export_meta_graph()

    assert "its program ran under queuecompat" in refused("QC517", graph, batch.name)


def test_a_damaged_collection_is_refused() -> None:
    graph = read("numbers_once")
    graph.collection_def["queue_runners"].bytes_list.value[0] = b"\xff\xff"
    assert "queue_runners" in refused("QC517", graph, "pairs:0")


@pytest.mark.parametrize("name", ["shuffle_bach:0", "shuffle_batch:7", "shuffle_batch:x", "", "^shuffle_batch", 5])
def test_a_name_that_is_not_in_the_graph_gets_suggestions(name: Any) -> None:
    message = refused("QC518", file_of("records_shuffled"), [name])
    assert "'shuffle_batch:0'" in message


def test_an_op_without_outputs_cannot_be_fetched() -> None:
    refused("QC518", file_of("numbers_once"), "pairs/fifo_queue_Close")
    assert "fetches names '[]'" in refused("QC518", file_of("numbers_once"), [])


def test_an_op_that_this_tensorflow_does_not_have_is_named() -> None:
    graph = read("lines_of_text")
    for node in graph.graph_def.node:
        if node.op == "DecodeCSV":
            node.op = "DecodeCSVOfALibrary"
    message = refused("QC519", graph, "batch:0")
    assert "DecodeCSVOfALibrary" in message
    fed = {"DecodeCSV:0": 1, "DecodeCSV:1": "word", "DecodeCSV:2": 0.5}
    with pytest.raises(QueueCompatValueError):
        queuecompat.dataset_from_meta_graph(graph, "batch:0", feeds={**fed, "absent:0": 1})
    dataset = queuecompat.dataset_from_meta_graph(graph, "batch:0", feeds=fed, strict=True)
    assert next(dataset.as_numpy_iterator()).tolist() == [1, 1]


def test_python_functions_are_refused_before_anything_runs() -> None:
    assert "'PyFunc'" in refused("QC520", file_of("python_inside"), "batch:0")


def test_a_placeholder_without_a_value_is_named() -> None:
    assert "'rows:0'" in refused("QC521", file_of("fed_at_each_step"), "fed_DequeueMany:0")


def test_a_queue_that_nothing_fills_is_refused() -> None:
    """A session waited for its first element forever."""
    assert "'never_filled'" in refused("QC523", file_of("never_filled"), "never_filled_Dequeue:0")
    assert "'paths:0'" in refused("QC521", file_of("filled_by_the_program"), "batch:0")


def test_the_graph_that_is_passed_is_not_changed() -> None:
    graph = read("filled_by_the_program")
    before = graph.SerializeToString(deterministic=True)
    refused("QC521", graph, "batch:0")
    queuecompat.dataset_from_meta_graph(graph, "batch:1", feeds={"paths:0": [["data/0.png"]], "labels:0": [[0]]})
    assert graph.SerializeToString(deterministic=True) == before


BAD_FEEDS = {
    "of another type": ("slices_of_arrays", "Reshape:0", lambda: [["text"]], "does not fit"),
    "of another shape": ("slices_of_arrays", "Reshape:0", lambda: np.zeros([10, 2, 2, 4], np.float32), "shape"),
    "of another number of rows": ("slices_of_arrays", "Reshape:0", lambda: np.zeros([12, 2, 2, 3]), "12 rows"),
    "of another rank": ("records_in_batches", "filenames/Const:0", lambda: "data/a.tfrecord", "shape"),
}


@pytest.mark.parametrize("case", BAD_FEEDS)
def test_a_value_that_does_not_fit_is_refused(case: str) -> None:
    name, tensor, value, why = BAD_FEEDS[case]
    make: Callable[[], Any] = value
    assert why in refused("QC521", file_of(name), "batch:0", feeds={tensor: make()})


def test_a_feed_for_a_tensor_that_is_not_there_is_refused() -> None:
    assert "feeds names 'names:0'" in refused("QC518", file_of("records_in_batches"), "batch", feeds={"names:0": []})


def test_the_output_of_the_model_is_refused() -> None:
    """With the initial values of its variables it would mean nothing."""
    assert "conv2d/" in refused("QC522", file_of("program_that_trains"), "dense/BiasAdd:0")


def test_what_cannot_be_compiled_is_an_error_in_strict_mode() -> None:
    with pytest.raises(QueueCompatRuntimeError, match=r"QC305.*QC209"):
        queuecompat.dataset_from_meta_graph(file_of("by_priority"), "by_priority_Dequeue:1", strict=True)


def test_without_eager_execution_nothing_is_built() -> None:
    with tf.Graph().as_default(), pytest.raises(QueueCompatRuntimeError, match="QC501"):
        queuecompat.dataset_from_meta_graph(file_of("numbers_once"), "pairs:0")


def test_a_graph_that_tensorflow_takes_and_no_pass_expects_is_damaged() -> None:
    """The variable that counts epochs has another name among the variables than in the graph."""
    graph = read("sparse_handle")
    (variable,) = graph.collection_def["local_variables"].bytes_list.value
    graph.collection_def["local_variables"].bytes_list.value[0] = variable.replace(
        b"limit_epochs/epochs:0", b"limit_epochs/epocks:0"
    )
    said = refused("QC517", graph, fetches_of("sparse_handle"), strict=True)
    assert "no pipeline can be made of it (ValueError:" in said


@pytest.mark.parametrize("error", [AssertionError, IndexError, KeyError, ZeroDivisionError, RecursionError])
def test_what_a_pass_raises_of_a_graph_is_that_the_file_is_damaged(error: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: Any, **__: Any) -> None:
        raise error("something")

    monkeypatch.setattr("queuecompat.meta_graph.dataset_of", fails)
    assert f"({error.__name__}: " in refused("QC517", read("numbers_once"), "pairs:0")


def test_a_wrong_option_is_not_the_fault_of_the_file() -> None:
    options: Any = "fast"
    with pytest.raises(TypeError, match=r"QC531 the option options cannot be a str"):
        queuecompat.dataset_from_meta_graph(read("numbers_once"), "pairs:0", options=options)


@pytest.mark.parametrize("size", [0, -3])
def test_a_graph_that_draws_no_elements_at_once_is_not_compiled(size: int) -> None:
    graph = read("numbers_once")
    (draw,) = [node for node in graph.graph_def.node if node.op in ("QueueDequeueManyV2", "QueueDequeueUpToV2")]
    (count,) = [node for node in graph.graph_def.node if node.name == draw.input[1]]
    draw.op = "QueueDequeueUpToV2"
    draw.attr.pop("_output_shapes", None)
    count.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(size))
    with pytest.raises(QueueCompatRuntimeError, match=f"QC207 .*n={size} makes empty batches") as caught:
        queuecompat.dataset_from_meta_graph(graph, f"{draw.name}:0", strict=True)
    assert caught.value.code == "QC305"
