"""Sessions on a server of this process, and where the ops of a pipeline are put."""

from __future__ import annotations

from typing import Any, Dict, List, Set

import numpy as np
import pytest
import tensorflow as tf2

import queuecompat
import queuecompat.v1 as tf
from queuecompat.errors import NativePipelineWarning

CLUSTER = {"ps": ["localhost:1"], "worker": ["localhost:2", "localhost:3"]}
WORKER = "/job:worker/replica:0/task:1/device:CPU:0"


@pytest.fixture(scope="module")
def target() -> str:
    return tf.train.Server.create_local_server().target


def tasks(graph: tf2.Graph) -> Dict[str, Set[str]]:
    """The devices of our ops, and of the tensors that the program runs, by their types."""
    found: Dict[str, Set[str]] = {}
    for node in graph.as_graph_def().node:
        if "/queuecompat_" in node.name or node.op == "IteratorGetNext":
            found.setdefault(node.op, set()).add(node.device)
    return found


def pipeline(first: int = 0, count: int = 6, epochs: Any = 1) -> tf2.Tensor:
    number = tf.train.range_input_producer(count, num_epochs=epochs, shuffle=False).dequeue()
    return tf.train.batch([number + first], 2)


def setter() -> Any:
    return tf.train.replica_device_setter(cluster=CLUSTER, worker_device="/job:worker/task:1")


@pytest.mark.parametrize("device", [setter, lambda: "/job:worker/task:1", lambda: "/job:worker/task:1/gpu:0"])
def test_everything_of_a_pipeline_is_on_the_cpu_of_the_task_where_its_queue_would_be(
    device: Any, graph: tf2.Graph
) -> None:
    """The handles of counters, arrays and start flags used to go to the parameter server."""
    with tf.device(device()):
        row = tf.train.slice_input_producer([np.zeros([400_000], np.float32)], num_epochs=2)[0]
        tf.train.shuffle_batch([row], 2, 32, 8)
    found = tasks(graph)
    assert {"VarHandleOp", "IteratorV2", "ResourceConditionalAccumulator", "MakeIterator", "MutexV2"} <= set(found)
    assert {place for places in found.values() for place in places} == {WORKER}


def test_a_queues_consumer_goes_where_the_queue_is(graph: tf2.Graph) -> None:
    queue = tf.train.range_input_producer(6)
    with tf.device("/job:worker/task:1"):
        tf.train.batch([queue.dequeue()], 2)
    assert {place for places in tasks(graph).values() for place in places} == {"/device:CPU:0"}


def test_the_name_of_the_only_task_of_a_plain_session_says_nothing(graph: tf2.Graph) -> None:
    with tf.device("/job:localhost/replica:0/task:0"):
        offset = tf.get_variable("offset", initializer=1)
    number = tf.train.range_input_producer(6).dequeue()
    tf.train.batch([number + offset], 2)
    assert not [stage for stage in str(queuecompat.explain(graph)).splitlines() if "QC2" in stage]


@pytest.mark.parametrize("use_resource", [False, True])
def test_a_slice_that_reads_what_another_task_holds_is_not_compiled(use_resource: bool, graph: tf2.Graph) -> None:
    with tf.device(setter()):
        mean = tf.get_variable("mean", initializer=1.0, use_resource=use_resource)
        number = tf.train.range_input_producer(6).dequeue()
        with pytest.warns(NativePipelineWarning, match="QC212.*'mean:0' is on /job:ps/replica:0/task:0 of the cluster"):
            tf.train.batch([tf.cast(number, tf.float32) - mean], 2)


def test_what_is_done_with_elements_on_another_task_is_done_there(graph: tf2.Graph) -> None:
    """A Python function is known to the process of its worker alone, and files may be there alone."""
    with tf.device("/job:ps/task:0"):
        queue = tf.train.range_input_producer(6)
    with tf.device("/job:worker/task:1"):
        doubled = tf.py_func(lambda number: 2 * number, [queue.dequeue()], tf.int32)
        with pytest.warns(NativePipelineWarning, match="QC212.*' is on /job:worker/replica:0/task:1"):
            tf.train.batch([tf.reshape(doubled, [])], 2)


def test_a_queue_of_the_programs_own_on_another_task(graph: tf2.Graph) -> None:
    """That the draw and what is beside it are one step was decided where no device was current any more: QC212 left
    the program as an error when the graph was finalised."""
    with tf.device("/job:ps/task:0"):
        number = tf.queue.FIFOQueue(8, [tf.int32], shapes=[[]]).dequeue()
        larger = number + 1
    with tf.device("/job:worker/task:1"):
        tf.train.batch([larger], 2)
        with pytest.warns(NativePipelineWarning, match="QC212"):
            tf.train.batch([number * 2], 2)
    graph.finalize()


def test_a_constant_of_another_task_is_the_same_here(graph: tf2.Graph) -> None:
    with tf.device("/job:ps/task:0"):
        mean = tf.constant(3)
    with tf.device("/job:worker/task:1"):
        tf.train.batch([tf.train.range_input_producer(6).dequeue() - mean], 2)
    graph.finalize()
    assert not [stage for stage in str(queuecompat.explain(graph)).splitlines() if "QC2" in stage]


def test_a_reader_and_its_queue_on_two_tasks_are_what_tensorflow_says_they_are(graph: tf2.Graph) -> None:
    with tf.device("/job:ps/task:0"):
        files = tf.queue.FIFOQueue(8, [tf.string], shapes=[[]])
    with tf.device("/job:worker/task:1"):
        line = tf.TextLineReader().read(files).value
        with pytest.warns(NativePipelineWarning, match="QC212"):
            tf.train.batch([line], 2)
    graph.finalize()


def test_inputs_from_several_tasks_are_not_compiled_into_one(graph: tf2.Graph) -> None:
    numbers = []
    for task in range(2):
        with tf.device(f"/job:worker/task:{task}"):
            numbers.append(tf.train.range_input_producer(6).dequeue())
    with pytest.warns(NativePipelineWarning, match="QC212"):
        tf.train.batch(numbers, 2)
    with pytest.warns(NativePipelineWarning, match="QC212"):
        tf.train.batch_join([[number] for number in numbers], 2)


def test_each_tower_of_one_graph_has_its_pipeline_on_its_own_task(graph: tf2.Graph) -> None:
    for task in range(2):
        with tf.device(f"/job:worker/task:{task}"), tf.name_scope(f"tower_{task}"):
            tf.train.batch([tf.constant(1.0)], 2)
    graph.finalize()
    for op in graph.get_operations():
        if "/queuecompat_" in op.name:
            assert op.device == f"/job:worker/replica:0/task:{op.name[6]}/device:CPU:0", op.name


def drained(session: tf.Session, batch: tf2.Tensor) -> List[int]:
    given: List[int] = []
    try:
        while True:
            given += session.run(batch).tolist()
    except tf.errors.OutOfRangeError:
        return given


def test_a_session_on_a_server_delivers_every_element_once(target: str, graph: tf2.Graph) -> None:
    batch = pipeline()
    with tf.Session(target) as sess:
        tf.train.start_queue_runners(sess=sess)
        assert drained(sess, batch) == [0, 1, 2, 3, 4, 5]


def test_unrelated_pipelines_of_one_name_share_nothing_on_a_server(target: str) -> None:
    """Their arrays had one name on the server: the first pipeline went on with the rows of the second."""
    graphs = [tf.Graph(), tf.Graph()]
    batches, sessions = [], []
    for number, one in enumerate(graphs):
        with one.as_default():
            rows = np.full([400_000], number, np.float32)
            batches.append(tf.train.batch(tf.train.slice_input_producer([rows]), 2, capacity=4))
            sessions.append(tf.Session(target))
            tf.train.start_queue_runners(sess=sessions[-1])
    for _ in range(20):
        for number, (session, batch) in enumerate(zip(sessions, batches)):
            assert session.run(batch).tolist() == [number, number]
    for session in sessions:
        session.close()


def test_each_session_on_a_server_has_its_own_pipeline(target: str, graph: tf2.Graph) -> None:
    """So have TF 1.15.5's: a queue without a shared name belongs to its session, on a server too."""
    batch = pipeline(epochs=None)
    with tf.Session(target) as one:
        tf.train.start_queue_runners(sess=one)
        assert one.run(batch).tolist() == [0, 1]
        with tf.Session(target) as other:
            with pytest.raises(tf.errors.InvalidArgumentError, match="QC301"):
                other.run(batch)
            tf.train.start_queue_runners(sess=other)
            assert other.run(batch).tolist() == [0, 1]
        assert one.run(batch).tolist() == [2, 3]


def test_a_monitored_session_on_a_server_runs_to_the_end(target: str, graph: tf2.Graph) -> None:
    batch = pipeline()
    given: List[int] = []
    with tf.train.MonitoredTrainingSession(master=target) as sess:
        while not sess.should_stop():
            given += sess.run(batch).tolist()
    assert given == [0, 1, 2, 3, 4, 5]
