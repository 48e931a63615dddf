"""What a pipeline needs is made once, when the program is done with building, and before anything can miss it."""

from __future__ import annotations

import pathlib
import threading
from typing import Any, List

import numpy as np
import pytest
import tensorflow

import queuecompat.v1 as tf
from queuecompat._session.streams import filled_streams

LINES = [b"a", b"b", b"c"]


@pytest.fixture(autouse=True)
def fresh_graph() -> Any:
    with tensorflow.Graph().as_default():
        yield


@pytest.fixture
def reader(tmp_path: pathlib.Path) -> Any:
    """A pipeline that ends with a reader: its lines."""
    file = tmp_path / "lines.txt"
    file.write_bytes(b"\n".join(LINES) + b"\n")
    names = tf.train.string_input_producer([str(file)], shuffle=False)
    return tf.TextLineReader().read(names)[1]


def started(session: Any, tensor: Any, steps: int = 3) -> List[Any]:
    coordinator = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(session, coordinator)
    values = [session.run(tensor) for _ in range(steps)]
    coordinator.request_stop()
    coordinator.join(threads)
    return values


def kinds() -> List[str]:
    return [op.type for op in tf.get_default_graph().get_operations()]


def test_while_a_program_builds_nothing_is_lowered(reader: Any) -> None:
    tf.train.shuffle_batch([reader], 2, 20, 5)
    assert "MakeIterator" not in kinds()


def test_each_stream_is_lowered_once_though_later_calls_change_what_it_is(reader: Any) -> None:
    batches = [tf.train.batch([reader], 2) for _ in range(3)]
    with tf.Session() as session:
        started(session, batches[0], steps=1)
        session.graph.as_graph_def()  # previews that no step has asked for are made, too
    # Three batches, the reader's own tensors, the reader and the producer that they share.
    assert kinds().count("MakeIterator") == kinds().count("IteratorV2")


def test_a_graph_is_complete_when_it_is_finalised(reader: Any) -> None:
    tf.get_default_graph().finalize()
    with tf.Session() as session:
        assert started(session, reader) == LINES


def test_a_graph_definition_is_complete(reader: Any) -> None:
    graph_def = tf.get_default_graph().as_graph_def()
    assert "MakeIterator" in [node.op for node in graph_def.node]


@pytest.mark.parametrize("how", [{}, {"clear_devices": True}])
@pytest.mark.parametrize("names_the_graph", [False, True])
def test_an_exported_graph_is_complete(reader: Any, how: Any, names_the_graph: bool) -> None:
    graph = tf.get_default_graph()
    with tensorflow.Graph().as_default() if names_the_graph else graph.as_default():
        exported = tf.train.export_meta_graph(None, None, None, None, None, False, graph, **how)
    assert "MakeIterator" in [node.op for node in exported.graph_def.node]
    with tensorflow.Graph().as_default():
        tf.train.import_meta_graph(exported)
        with tf.Session() as session:
            assert started(session, reader.name) == LINES


def test_an_op_that_starts_a_queue_can_be_run_by_its_name(reader: Any) -> None:
    with tf.Session() as session:
        session.run("input_producer/input_producer_EnqueueMany")
        assert session.run(reader) == LINES[0]


def test_what_is_added_after_a_start_is_lowered_at_once(reader: Any) -> None:
    with tf.Session() as session:
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coordinator)
        before = kinds().count("MakeIterator")
        tf.train.slice_input_producer([np.arange(3)])
        assert kinds().count("MakeIterator") > before
        coordinator.request_stop()
        coordinator.join(threads)


def test_a_step_of_another_thread_waits_until_everything_is_lowered(reader: Any, monkeypatch: Any) -> None:
    """The second thread arrives while the first one is lowering. It runs an op that does not need the pipeline."""
    arrived, has_run, lower, lowered = threading.Event(), threading.Event(), filled_streams.lower, []
    ready = tf.no_op()

    def slow(*args: Any) -> Any:
        lowered.append(threading.get_ident())
        if len(lowered) == 1:
            second.start()
            assert arrived.wait(30)
        assert not has_run.wait(0.2)
        return lower(*args)

    def step() -> None:
        arrived.set()
        session.run(ready)
        has_run.set()

    monkeypatch.setattr(filled_streams, "lower", slow)
    with tf.Session() as session:
        second = threading.Thread(target=step)
        session.run(ready)
        second.join(30)
    assert has_run.is_set()
    assert set(lowered) == {threading.get_ident()}
    assert kinds().count("MakeIterator") == kinds().count("IteratorV2")


def test_what_fails_while_it_is_lowered_fails_again(reader: Any, monkeypatch: Any) -> None:
    def fails(*_: Any) -> Any:
        raise ValueError("not lowered")

    with monkeypatch.context() as patch, tf.Session() as session:
        patch.setattr(filled_streams, "lower", fails)
        for _ in range(2):
            with pytest.raises(ValueError, match="not lowered"):
                tf.train.start_queue_runners(session)
