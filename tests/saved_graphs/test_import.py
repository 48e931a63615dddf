"""A graph with compiled pipelines, saved and loaded again: by queuecompat, and by TensorFlow alone."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys
from typing import List

import numpy as np
import pytest
import tensorflow as tf2

import queuecompat.v1 as tf
from queuecompat.errors import QueueCompatRuntimeError


def save(path: pathlib.Path, clear_devices: bool = False, device: str = "") -> str:
    """The meta graph of a program: batches of 2, doubled by a variable, of the numbers below 6, once."""
    file = str(path / "model.meta")
    with tf.Graph().as_default(), tf.device(device):
        number = tf.train.range_input_producer(6, num_epochs=1, shuffle=False).dequeue()
        batch = tf.train.batch([tf.cast(number, tf.float32)], 2, name="input")
        factor = tf.get_variable("factor", [], initializer=tf.constant_initializer(2.0))
        tf.multiply(batch, factor, name="logits")
        tf.add_to_collection("init", tf.global_variables_initializer())
        tf.train.export_meta_graph(file, clear_devices=clear_devices)
    return file


def everything(scope: str = "") -> List[List[float]]:
    """All that the loaded graph gives, run at once after the start."""
    given = []
    with tf.Session() as sess:
        sess.run(tf.get_collection("init"))
        threads = tf.train.start_queue_runners(sess=sess)
        with pytest.raises(tf.errors.OutOfRangeError):
            while True:
                given.append(sess.run(f"{scope}logits:0").tolist())
        for thread in threads:
            thread.join()
    return given


EVERYTHING = [[0.0, 2.0], [4.0, 6.0], [8.0, 10.0]]


def test_an_imported_pipeline_is_ready_when_the_runners_have_been_started(tmp_path: pathlib.Path) -> None:
    """TensorFlow started it in a thread, and the first run came too early: QC301, most times."""
    tf.train.import_meta_graph(save(tmp_path))
    with tf.Session() as sess:
        sess.run(tf.get_collection("init"))
        threads = tf.train.start_queue_runners(sess=sess, start=False)
        for thread in threads:
            thread.run = lambda: None  # type: ignore[method-assign]
            thread.start()  # has started it by now: no thread is left that could be too late
        assert sess.run("logits:0").tolist() == EVERYTHING[0]


def test_an_imported_pipeline_delivers_every_element_once(tmp_path: pathlib.Path) -> None:
    tf.train.import_meta_graph(save(tmp_path))
    assert everything() == EVERYTHING


def test_a_pipeline_is_imported_below_a_scope(tmp_path: pathlib.Path) -> None:
    tf.train.import_meta_graph(save(tmp_path), import_scope="loaded")
    assert everything("loaded/") == EVERYTHING


def test_two_copies_in_one_graph_each_deliver_every_element(tmp_path: pathlib.Path) -> None:
    file = save(tmp_path)
    for scope in ("one", "two"):
        tf.train.import_meta_graph(file, import_scope=scope)
    for scope in ("one", "two"):
        assert everything(f"{scope}/") == EVERYTHING


def test_a_graph_that_has_a_pipeline_of_these_names_keeps_that_pipeline(tmp_path: pathlib.Path) -> None:
    """The runners of the file refer to ops by name, and so to the graph's own: IndexError at the first step."""
    file = save(tmp_path)
    number = tf.train.range_input_producer(4, num_epochs=1, shuffle=False).dequeue()
    batch = tf.train.batch([tf.cast(number, tf.float32)], 2, name="input")
    tf.train.import_meta_graph(file, input_map={"input:0": batch})
    names = [runner.name for runner in tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)]
    assert names == ["input_producer", "input/fifo_queue"] * 2  # as in TF 1.15.5
    assert everything() == [[0.0, 2.0], [4.0, 6.0]]


def test_of_two_copies_with_the_same_names_the_first_is_started(tmp_path: pathlib.Path) -> None:
    """As in TF 1.15.5: the runners of both refer to the ops of the first."""
    file = str(tmp_path / "no_variables.meta")
    with tf.Graph().as_default():
        number = tf.train.range_input_producer(6, num_epochs=1, shuffle=False).dequeue()
        tf.identity(tf.train.batch([number], 2), name="logits")
        tf.train.export_meta_graph(file)
    for _ in range(2):
        tf.train.import_meta_graph(file)
    assert everything() == [[0, 1], [2, 3], [4, 5]]


def test_a_runner_made_of_the_proto_of_a_compiled_pipeline_starts_it() -> None:
    """IndexError."""
    with tf.Graph().as_default():
        number = tf.train.range_input_producer(4, num_epochs=1, shuffle=False).dequeue()
        batch = tf.train.batch([number], 2)
        protos = [runner.to_proto() for runner in tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)]
        tf.get_default_graph().clear_collection(tf.GraphKeys.QUEUE_RUNNERS)
        with tf.Session() as sess:
            runners = [tf.train.QueueRunner.from_proto(proto) for proto in protos]
            threads = [one for runner in runners for one in runner.create_threads(sess, daemon=True)]
            for thread in threads:
                thread.start()
                thread.join()
            assert [sess.run(batch).tolist() for _ in range(2)] == [[0, 1], [2, 3]]


def test_an_imported_pipeline_that_was_not_started_says_so(tmp_path: pathlib.Path) -> None:
    tf.train.import_meta_graph(save(tmp_path))
    with tf.Session() as sess:
        sess.run(tf.get_collection("init"))
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"QC301 .?'input.?' was run before"):
            sess.run("logits:0")


def test_an_imported_graph_can_be_saved_and_imported_again(tmp_path: pathlib.Path) -> None:
    with tf.Graph().as_default():
        tf.train.import_meta_graph(save(tmp_path))
        tf.train.export_meta_graph(str(tmp_path / "again.meta"))
    tf.train.import_meta_graph(str(tmp_path / "again.meta"))
    assert everything() == EVERYTHING


def test_a_graph_of_a_cluster_runs_anywhere_once_its_devices_are_cleared(tmp_path: pathlib.Path) -> None:
    file = save(tmp_path, clear_devices=True, device="/job:worker/task:1")
    tf.train.import_meta_graph(file)
    graph_def = tf.get_default_graph().as_graph_def()
    functions = [node for function in graph_def.library.function for node in function.node_def]
    # The import makes a new saver.
    assert not [
        node.name for node in (*graph_def.node, *functions) if node.device and not node.name.startswith("save/")
    ]
    assert everything() == EVERYTHING


def test_a_monitored_session_starts_what_was_imported(tmp_path: pathlib.Path) -> None:
    tf.train.import_meta_graph(save(tmp_path))
    given = []
    with tf.train.SingularMonitoredSession() as sess:
        while not sess.should_stop():
            given.append(sess.run("logits:0").tolist())
    assert given == EVERYTHING


def test_an_imported_pipeline_that_tensorflow_itself_imported_is_recognised_at_the_start(
    tmp_path: pathlib.Path,
) -> None:
    """As a saved model's loader does."""
    tf2.compat.v1.train.import_meta_graph(save(tmp_path))
    assert everything() == EVERYTHING


def test_with_install_tensorflows_own_name_imports_pipelines(tmp_path: pathlib.Path) -> None:
    import queuecompat

    file = save(tmp_path)
    with queuecompat.install():
        tf2.compat.v1.train.import_meta_graph(file)
    assert everything() == EVERYTHING


def test_an_array_that_was_never_in_the_graph_is_missed_by_name(tmp_path: pathlib.Path) -> None:
    with tf.Graph().as_default():
        row = tf.train.slice_input_producer([np.zeros([400_000], np.float32)], shuffle=False)[0]
        tf.train.batch([row], 2, name="input")
        tf.train.export_meta_graph(str(tmp_path / "array.meta"))
    tf.train.import_meta_graph(str(tmp_path / "array.meta"))
    with tf.Session() as sess, pytest.raises(QueueCompatRuntimeError, match="QC308 'input_producer"):
        tf.train.start_queue_runners(sess=sess)


ALONE = """
import sys
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
tf.train.import_meta_graph(sys.argv[1])
with tf.Session() as sess:
    sess.run(tf.get_collection("init"))
    try:
        sess.run("logits:0")
    except tf.errors.InvalidArgumentError as problem:
        print(problem.message)
    for thread in tf.train.start_queue_runners(sess=sess):
        thread.join()
    print(sess.run("logits:0"))
print(sorted(op.name for op in tf.get_default_graph().get_operations()))
print(sorted(f.signature.name for f in tf.get_default_graph().as_graph_def().library.function))
assert not [name for name in sys.modules if name.startswith("queuecompat")]
"""


def test_without_queuecompat_the_names_in_the_graph_say_what_it_was(tmp_path: pathlib.Path) -> None:
    file = save(tmp_path)
    environment = dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3")
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", ALONE, file], capture_output=True, text=True, env=environment
    )
    assert done.returncode == 0, done.stderr
    assert "QC301 'input' was run before its pipeline was started" in done.stdout.replace("\\'", "'")
    assert "{{node input_producer/queuecompat_" in done.stdout or "{{node input/queuecompat_" in done.stdout
    assert "[0. 2.]" in done.stdout
    *_, ops, functions = done.stdout.splitlines()
    made_by_tf1 = ("Cast", "factor", "init", "input/fifo_queue", "input_producer/", "logits", "save/")
    unnamed = [name for name in eval(ops) if "queuecompat" not in name and not name.startswith(made_by_tf1)]
    assert [name for name in unnamed if "/" not in name] == ["input", "input_producer", "input_producer_Dequeue"]
    assert all("/fraction_of_32_full" in name for name in unnamed if "/" in name), unnamed
    # TensorFlow names one of its own, of unbatch().
    assert all("queuecompat" in name or "_normalize_" in name for name in eval(functions)), functions
