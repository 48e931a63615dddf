"""``data_service`` in sessions: two workers compute a TF1 pipeline, which gives what it gives without them."""

from __future__ import annotations

import collections
import json
import pathlib
import re
import signal
import socket
import threading
import time
from typing import Any, Callable, Dict, List, Set

import numpy as np
import pytest
import tensorflow as real

import queuecompat
import queuecompat.v1 as tf
from queuecompat._backends.tfdata import dispatchers
from queuecompat.errors import DataServiceWarning, QueueCompatRuntimeError, QueueCompatValueError
from tests.forking import Server
from tests.pipelines.running import drain_built, started
from tests.service.cluster import Cluster, free_port

TOTAL = 300
# What stays here asks for no dispatcher.
NOWHERE = "grpc://localhost:1"
Build = Callable[[Any], Any]


def number(queue: Any) -> Any:
    _, record = tf.TFRecordReader().read(queue)
    return tf.string_to_number(record, tf.int32)


def shuffled(files: Any, **how: Any) -> Any:
    queue = tf.train.string_input_producer(files, num_epochs=2)
    return tf.train.shuffle_batch([number(queue)], 7, 60, 20, **how)


def joined(files: Any, **how: Any) -> Any:
    queue = tf.train.string_input_producer(files, num_epochs=2)
    return tf.train.shuffle_batch_join([[number(queue)] for _ in range(3)], 7, 60, 20, **how)


def found(files: Any, **how: Any) -> Any:
    pattern = files[0][:-2] + "*"
    return shuffled(tf.train.match_filenames_once(pattern), **how)


def vectors(files: Any, **how: Any) -> Any:
    queue = tf.train.string_input_producer(files, num_epochs=2)
    _, records = tf.TFRecordReader().read_up_to(queue, 4)
    return tf.train.batch([tf.string_to_number(records, tf.int32)], 7, capacity=60, enqueue_many=True, **how)


def rows(files: Any, **how: Any) -> Any:
    row = tf.train.slice_input_producer([tf.range(TOTAL)], num_epochs=2)
    return tf.train.batch(row, 7, capacity=60, **how)


PIPELINES: Dict[str, Any] = {one.__name__: one for one in (shuffled, joined, found, vectors, rows)}


@pytest.mark.parametrize("name", PIPELINES)
def test_the_elements_are_those_that_come_without_a_service(name: str, files: List[str], cluster: Cluster) -> None:
    def build() -> Any:
        return PIPELINES[name](files, allow_smaller_final_batch=True)

    assert "data service" in str(explained(build, data_service=cluster.address))
    batches = drain_built(build, data_service=cluster.address)
    here = drain_built(build)
    assert sorted(np.concatenate(batches)) == sorted(np.concatenate(here)) == sorted(2 * list(range(TOTAL)))
    assert sorted(map(len, batches)) == sorted(map(len, here))  # one partial batch in all


def explained(build: Callable[[], Any], **options: Any) -> Any:
    with real.Graph().as_default(), queuecompat.options(**options):
        build()
        return queuecompat.explain()


@pytest.mark.parametrize("name", PIPELINES)
def test_the_last_partial_batch_is_dropped_once_and_not_by_each_worker(
    name: str, files: List[str], cluster: Cluster
) -> None:
    batches = drain_built(lambda: PIPELINES[name](files), data_service=cluster.address)
    assert [len(batch) for batch in batches] == [7] * (2 * TOTAL // 7)


def test_rows_come_in_an_order_of_their_own_in_every_epoch_and_every_session(cluster: Cluster) -> None:
    """Each epoch is whole before the next one begins, as far as one worker has it."""

    def build() -> Any:
        queue = tf.train.range_input_producer(64, num_epochs=2, capacity=8)
        return tf.train.batch([queue.dequeue()], 8, capacity=8)

    first, second = (np.concatenate(drain_built(build, data_service=cluster.address)) for _ in range(2))
    assert collections.Counter(first.tolist()) == dict.fromkeys(range(64), 2)
    assert first.tolist() != second.tolist()
    assert first[:64].tolist() != sorted(first[:64])


def test_an_endless_pipeline_goes_on_and_ends_with_the_coordinator(files: List[str], cluster: Cluster) -> None:
    with real.Graph().as_default() as graph:
        with queuecompat.options(data_service=cluster.address):
            batch = tf.train.shuffle_batch([number(tf.train.string_input_producer(files))], 10, 60, 20)
        with started(graph) as sess:
            seen = collections.Counter(one for _ in range(90) for one in sess.run(batch).tolist())
    assert len(seen) == TOTAL
    assert max(seen.values()) < 12  # 900 of 300 numbers: none comes much more often than three times


def test_a_second_session_of_a_graph_has_all_data_again(files: List[str], cluster: Cluster) -> None:
    with real.Graph().as_default() as graph:
        with queuecompat.options(data_service=cluster.address):
            batch = shuffled(files)
        for _ in range(2):
            count = 0
            with started(graph) as sess, pytest.raises(real.errors.OutOfRangeError):
                while True:
                    count += len(sess.run(batch))
            assert count == 595


def test_ops_on_a_batch_and_feeds_are_those_of_the_program(files: List[str], cluster: Cluster) -> None:
    with real.Graph().as_default() as graph:
        with queuecompat.options(data_service=cluster.address):
            batch = shuffled(files)
        double = 2 * batch
        with started(graph) as sess:
            one, twice = sess.run([batch, double])
            assert (2 * one).tolist() == twice.tolist()
            assert sess.run(double, {batch: np.arange(7)}).tolist() == [0, 2, 4, 6, 8, 10, 12]


def test_bad_data_is_an_error_of_the_step_and_names_the_pipeline(tmp_path: pathlib.Path, cluster: Cluster) -> None:
    path = str(tmp_path / "bad")
    with real.io.TFRecordWriter(path) as writer:
        writer.write(b"no number")
    with real.Graph().as_default() as graph:
        with queuecompat.options(data_service=cluster.address):
            batch = shuffled([path])
        words = r"no number(.|\n)*pipeline:  'shuffle_batch'"
        with pytest.raises(real.errors.InvalidArgumentError, match=words), started(graph) as sess:
            sess.run(batch)


def test_a_missing_file_is_an_error_of_the_step(cluster: Cluster) -> None:
    with real.Graph().as_default() as graph:
        with queuecompat.options(data_service=cluster.address):
            batch = shuffled(["/nowhere/at/all"])
        with pytest.raises(real.errors.NotFoundError, match="nowhere"), started(graph) as sess:
            sess.run(batch)


def test_a_worker_that_is_killed_and_comes_back_takes_up_new_work_and_nothing_comes_twice(
    tmp_path: pathlib.Path,
) -> None:
    files, of_file = [str(tmp_path / f"file-{number}") for number in range(60)], 20
    for place, name in enumerate(files):
        with real.io.TFRecordWriter(name) as writer:
            for record in range(place * of_file, (place + 1) * of_file):
                writer.write(b"%d" % record)
    ports = [str(free_port()) for _ in range(2)]
    own = Cluster(tmp_path / "processes", ports)
    try:
        seen: List[int] = []
        workers: Set[bytes] = set()
        with real.Graph().as_default() as graph:
            with queuecompat.options(data_service=own.address):
                value = number(tf.train.string_input_producer(files, num_epochs=1, shuffle=False))
                batch = tf.train.batch([value, tf.read_file("name")], 5, 1, 10, allow_smaller_final_batch=True)

            def step(sess: Any) -> None:
                numbers, names = sess.run(batch)
                seen.extend(numbers.tolist())
                workers.update(names.tolist())

            with started(graph) as sess, pytest.raises(real.errors.OutOfRangeError):
                for _ in range(3):
                    step(sess)
                own.workers[0].end(signal.SIGKILL)
                own.start_worker(ports[0]).says("worker: of the dispatcher")
                # On a busy machine the data would be at its end before the dispatcher asks the new worker for anything.
                for _ in range(240):
                    if b"worker-4" in workers:
                        break
                    time.sleep(0.1)
                    step(sess)
                while True:
                    step(sess)
        assert len(seen) == len(set(seen))
        # What it had in work is lost, a few files and a few batches, and nothing else.
        assert len(files) * of_file - 200 <= len(seen) <= len(files) * of_file
        assert b"worker-4" in workers
    finally:
        own.end()


def test_without_workers_a_step_after_a_stop_is_at_the_end_of_the_data(files: List[str]) -> None:
    dispatcher = real.data.experimental.service.DispatchServer()
    with real.Graph().as_default() as graph:
        with queuecompat.options(data_service=dispatcher.target):
            batch = shuffled(files)
        with tf.Session(graph=graph) as sess:
            sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
            coord = tf.train.Coordinator()
            threads = tf.train.start_queue_runners(sess, coord)
            coord.request_stop()
            coord.join(threads, stop_grace_period_secs=20)
            with pytest.raises(real.errors.OutOfRangeError):
                sess.run(batch)


def test_without_workers_a_step_waits_until_the_coordinator_stops(files: List[str]) -> None:
    dispatcher = real.data.experimental.service.DispatchServer()
    with real.Graph().as_default() as graph:
        with queuecompat.options(data_service=dispatcher.target):
            batch = shuffled(files)
        ended: List[BaseException] = []
        with tf.Session(graph=graph) as sess:
            sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
            coord = tf.train.Coordinator()
            threads = tf.train.start_queue_runners(sess, coord)
            asks = threading.Event()

            def step() -> None:
                asks.set()
                try:
                    sess.run(batch)
                except real.errors.OpError as error:
                    ended.append(error)

            thread = threading.Thread(target=step)
            thread.start()
            asks.wait()
            coord.request_stop()
            coord.join(threads, stop_grace_period_secs=20)
            thread.join(20)
            assert not thread.is_alive()
        assert [type(one) for one in ended] == [real.errors.OutOfRangeError]


def test_a_dispatcher_that_is_not_there_is_an_error_at_the_start(
    files: List[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """TensorFlow itself would ask for it forever."""
    monkeypatch.setattr(dispatchers, "PATIENCE", 0.0)
    with pytest.raises(QueueCompatRuntimeError, match=r"QC361.*localhost"):
        drain_built(lambda: shuffled(files), data_service=f"grpc://localhost:{free_port()}")


def test_what_listens_there_has_to_speak_grpc(files: List[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dispatchers, "PATIENCE", 0.0)
    with socket.create_server(("localhost", 0)) as listener:

        def answer() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

        thread = threading.Thread(target=answer)
        thread.start()
        with pytest.raises(QueueCompatRuntimeError, match=r"QC361.*does not speak gRPC"):
            drain_built(lambda: shuffled(files), data_service=f"localhost:{listener.getsockname()[1]}")
        thread.join()


TRAINER = """
import json, os, signal, sys
import tensorflow as tf
files, out, steps = json.loads(sys.argv[1]), sys.argv[2], int(sys.argv[3] or -1)
queue = tf.train.string_input_producer(files, num_epochs=3)
_, record = tf.TFRecordReader().read(queue)
number = tf.string_to_number(record, tf.int32)
batch = tf.train.shuffle_batch([number], 6, 60, 20, allow_smaller_final_batch=True)
seen = []
with tf.Session() as sess:
    sess.run(tf.local_variables_initializer())
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess, coord)
    try:
        while not coord.should_stop():
            seen += sess.run(batch).tolist()
            steps -= 1
            if steps == 0:
                with open(out, "w") as file:
                    json.dump(seen, file)
                os.kill(os.getpid(), signal.SIGKILL)
    except tf.errors.OutOfRangeError:
        coord.request_stop()
    coord.join(threads)
json.dump(seen, open(out, "w"))
"""


def test_a_trainer_that_is_killed_and_names_its_job_again_goes_on_with_what_is_left(
    files: List[str], cluster: Cluster, server: Server, tmp_path: pathlib.Path
) -> None:
    """Without a name it has all data again. What was on the way to the one that was killed is lost."""
    (tmp_path / "train.py").write_text(TRAINER)
    seen: Dict[str, List[int]] = {}
    again = tmp_path.name  # of a job that has ended nothing comes any more, also to a second try of this test
    for name, job in (("killed", again), ("second", again), ("without", "")):
        folder = tmp_path / name
        folder.mkdir()
        kept = folder / "seen"
        command = [str(tmp_path / "train.py"), json.dumps(files), str(kept), "10" if name == "killed" else ""]
        launcher = ["run", "--strict", "--data-service", cluster.address, *(["--job-name", job] if job else [])]
        ran = server.run(command, str(folder), launcher=launcher)
        assert ran.exit_code == (-signal.SIGKILL if name == "killed" else 0), ran.err
        seen[name] = json.loads(kept.read_text())
    assert len(seen["killed"]) == 60
    together = collections.Counter(seen["killed"] + seen["second"])
    assert max(together.values()) <= 3
    assert 3 * TOTAL - 300 <= sum(together.values()) < 3 * TOTAL
    assert collections.Counter(seen["without"]) == dict.fromkeys(range(TOTAL), 3)


def test_programs_of_one_job_share_the_data(
    files: List[str], cluster: Cluster, server: Server, tmp_path: pathlib.Path
) -> None:
    (tmp_path / "train.py").write_text(TRAINER)
    running = []
    for name in ("a", "b"):
        folder = tmp_path / name
        folder.mkdir()
        command = [str(tmp_path / "train.py"), json.dumps(files), str(folder / "seen"), ""]
        launcher = ["run", "--strict", "--data-service", cluster.address, "--job-name", tmp_path.name]
        running.append(server.start(command, str(folder), launcher=launcher))
    for program in running:
        ran = program.wait()
        assert ran.exit_code == 0, ran.err
    seen = [json.loads((tmp_path / name / "seen").read_text()) for name in ("a", "b")]
    assert collections.Counter(seen[0] + seen[1]) == dict.fromkeys(range(TOTAL), 3)


def stays_here(build: Callable[[], Any], address: str) -> str:
    """What is said of what *build* builds: that this process computes it, and why."""
    with real.Graph().as_default() as graph:
        with queuecompat.options(data_service=address):
            build()
        with pytest.warns(DataServiceWarning, match="QC360") as caught:
            shown = str(queuecompat.explain(graph))
    (one,) = caught
    assert "data service at" not in shown
    assert str(one.message).splitlines()[0] in shown
    return str(one.message)


def python_function(files: Any) -> Any:
    value = number(tf.train.string_input_producer(files, num_epochs=1, shuffle=False))
    return tf.train.batch([tf.py_func(lambda one: one, [value], tf.int32)], 5, shapes=[[]])


def variable(files: Any) -> Any:
    scale = tf.get_variable("scale", [], tf.int32, initializer=tf.zeros_initializer())
    return tf.train.batch([number(tf.train.string_input_producer(files, num_epochs=1)) + scale], 5)


def seeded_shuffle(files: Any) -> Any:
    return tf.train.shuffle_batch([number(tf.train.string_input_producer(files, num_epochs=1))], 5, 20, 9, seed=3)


def seeded_order(files: Any) -> Any:
    return tf.train.batch([number(tf.train.string_input_producer(files, num_epochs=1, seed=3))], 5)


def seeded_op(files: Any) -> Any:
    value = number(tf.train.string_input_producer(files, num_epochs=1))
    return tf.train.batch([value + tf.random_uniform([], 0, 9, tf.int32, seed=4)], 5)


def own_queue(files: Any) -> Any:
    queue = tf.FIFOQueue(10, tf.int32, [[]])
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(1)]))
    return tf.train.batch([queue.dequeue() + 1], 5)


def array(files: Any) -> Any:
    row = tf.train.slice_input_producer([np.zeros([100_000, 4], np.float32)], num_epochs=1)
    return tf.train.batch(row, 5)


def table(files: Any) -> Any:
    words = tf.contrib.lookup.index_table_from_tensor(["a", "b"])
    value = tf.as_string(number(tf.train.string_input_producer(files, num_epochs=1)))
    return tf.train.batch([words.lookup(value)], 5)


def two_sources(files: Any) -> Any:
    values = [number(tf.train.string_input_producer(files, num_epochs=1)) for _ in range(2)]
    return tf.train.batch(values, 5)


def other_lists(files: Any) -> Any:
    queue = tf.train.string_input_producer(files, num_epochs=1)
    return tf.train.batch_join([[number(queue)], [number(queue) + 1]], 5)


def padded(files: Any) -> Any:
    value = number(tf.train.string_input_producer(files, num_epochs=1))
    return tf.train.batch([tf.fill([value], 1)], 5, dynamic_pad=True)


def global_order(files: Any) -> Any:
    with queuecompat.options(shuffle="global"):
        return shuffled(files)


def by_index(files: Any) -> Any:
    with queuecompat.options(random="by_index"):
        value = number(tf.train.string_input_producer(files, num_epochs=1, shuffle=False))
        return tf.train.batch([value + tf.random_uniform([], 0, 5, tf.int32)], 5)


STAYING = {
    python_function: "PyFunc.*calls a Python function, made at .*test_sessions.py:\\d+",
    variable: "reads the variable 'scale'",
    seeded_shuffle: "its shuffling has a seed",
    seeded_order: "the order of .* has a seed",
    seeded_op: "RandomUniformInt.* has a seed",
    own_queue: "which TensorFlow runs itself",
    array: "NumPy array that this process keeps",
    table: "looks up values in the table",
    two_sources: "combines elements of 'ReaderReadV2'",
    other_lists: "its lists are not copies",
    padded: "last partial batches .dynamic_pad",
    global_order: "blocks of records",
    by_index: "random='by_index'",
}


@pytest.mark.filterwarnings("default::queuecompat.errors.NativePipelineWarning")
@pytest.mark.parametrize("build", STAYING, ids=lambda one: one.__name__)
def test_what_belongs_to_this_process_is_named_and_stays(build: Build, files: List[str]) -> None:
    said = stays_here(lambda: build(files), NOWHERE)
    assert re.search(STAYING[build], said), said
    assert "made at:  tests" in said


def test_strict_makes_that_an_error(files: List[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("queuecompat._native.strictness._is_strict", True)
    with pytest.raises(QueueCompatRuntimeError, match=r"QC305.*PyFunc"):
        drain_built(lambda: python_function(files), data_service=NOWHERE)


def test_a_pipeline_that_stays_local_delivers_the_same_elements(files: List[str]) -> None:
    with pytest.warns(DataServiceWarning):
        batches = drain_built(lambda: python_function(files), data_service=NOWHERE)
    assert np.concatenate(batches).tolist() == np.concatenate(drain_built(lambda: python_function(files))).tolist()


@pytest.mark.parametrize("wrong", ["somewhere", "grpc://host", "host:x", 5])
def test_an_address_has_a_host_and_a_port(wrong: Any) -> None:
    with pytest.raises(QueueCompatValueError, match="QC531"), queuecompat.options(data_service=wrong):
        pass


def test_a_block_may_turn_the_service_of_the_process_off() -> None:
    with queuecompat.options(data_service="grpc://host:1", data_service_job="j"):
        with queuecompat.options(data_service=None):
            tf.train.range_input_producer(3)
        wrong = queuecompat.options(data_service=None, data_service_job="j")
        with pytest.raises(QueueCompatValueError, match="data_service_job"), wrong:
            pass
