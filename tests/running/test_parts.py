"""``run --shard auto``: an unchanged program reads the part that what started it says."""

from __future__ import annotations

import json
import os
import pathlib
from typing import Any, Dict, Optional, Tuple

import pytest

from queuecompat._plan.parts import part_of
from queuecompat.errors import QueueCompatValueError
from tests.forking import Server

COUNT = 20

PROGRAM = """
import tensorflow as tf
number = tf.train.range_input_producer(20, num_epochs=1, shuffle=False).dequeue()
batch = tf.train.batch([number], 2)
with tf.Session() as sess:
    sess.run(tf.local_variables_initializer())
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(coord=coord)
    try:
        while True:
            print(*sess.run(batch))
    except tf.errors.OutOfRangeError:
        coord.request_stop()
    coord.join(threads)
"""

IN_A_SCOPE = """
import queuecompat
import tensorflow as tf
with tf.distribute.experimental.MultiWorkerMirroredStrategy().scope():
    number = tf.train.range_input_producer(20, num_epochs=1, shuffle=False).dequeue()
    batch = tf.train.batch([number], 2)
print(queuecompat.explain(batch))
"""

WORKERS = ["localhost:1", "localhost:2"]


def cluster(job: str, index: Any, **jobs: Any) -> Dict[str, str]:
    return {"TF_CONFIG": json.dumps({"cluster": jobs or {"worker": WORKERS}, "task": {"type": job, "index": index}})}


@pytest.fixture(autouse=True)
def nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tests themselves may run on a cluster."""
    for name in [*os.environ]:
        if name == "TF_CONFIG" or name.startswith(("HOROVOD_", "OMPI_COMM_WORLD_")):
            monkeypatch.delenv(name)


def run(program: str, folder: pathlib.Path, server: Server, environment: Dict[str, str]) -> str:
    (folder / "program.py").write_text(program)
    launcher = ["run", "--shard", "auto"]
    done = server.run(["program.py"], str(folder), launcher=launcher, environment=environment)
    assert done.exit_code == 0, done.err
    return done.out


PROCESSES: Dict[str, Tuple[Dict[str, str], Tuple[int, int]]] = {
    "the first worker of TF_CONFIG": (cluster("worker", 0), (0, 10)),
    "the second worker of TF_CONFIG": (cluster("worker", 1), (10, 20)),
    "Horovod": ({"HOROVOD_RANK": "1", "HOROVOD_SIZE": "4"}, (5, 10)),
    "Open MPI": ({"OMPI_COMM_WORLD_RANK": "3", "OMPI_COMM_WORLD_SIZE": "4"}, (15, 20)),
}


@pytest.mark.parametrize("name", PROCESSES)
def test_run_reads_the_part_of_its_process(name: str, tmp_path: pathlib.Path, server: Server) -> None:
    environment, (begin, end) = PROCESSES[name]
    out = run(PROGRAM, tmp_path, server, environment)
    # Of five numbers the last one is no batch of two: each worker drops its own remainder.
    whole = (end - begin) // 2 * 2
    assert [int(number) for number in out.split()] == list(range(begin, begin + whole))


def test_the_part_is_that_of_a_strategy_that_knows_its_cluster_by_tf_config(
    tmp_path: pathlib.Path, server: Server
) -> None:
    """In a graph it starts no server. The session would need one, and all workers: ``tests/dataset/distributed.py``."""
    out = run(IN_A_SCOPE, tmp_path, server, cluster("worker", 1))
    assert "part 1 of 2" in out


@pytest.mark.parametrize(
    ("environment", "part"),
    [
        (cluster("worker", 0, chief=["a:1"], worker=WORKERS), (1, 3)),
        (cluster("worker", "1", master=["a:1"], worker=WORKERS), (2, 3)),
        (cluster("ps", 0, worker=WORKERS, ps=["b:1"]), (0, 1)),
        ({"TF_CONFIG": json.dumps({"cluster": {"worker": WORKERS}})}, (0, 1)),
        ({"TF_CONFIG": "{}", "HOROVOD_RANK": "1", "HOROVOD_SIZE": "2"}, (1, 2)),
        ({**cluster("worker", 0), "HOROVOD_RANK": "3", "HOROVOD_SIZE": "4"}, (0, 2)),
        ({"HOROVOD_RANK": "1", "HOROVOD_SIZE": "2", "OMPI_COMM_WORLD_RANK": "3", "OMPI_COMM_WORLD_SIZE": "4"}, (1, 2)),
        ({"OMPI_COMM_WORLD_RANK": "1"}, (0, 1)),
        (cluster("worker", 3, worker={"1": "a:1", "3": "b:1"}), (1, 2)),
        ({"TF_CONFIG": json.dumps({"cluster": None, "task": None})}, (0, 1)),
        ({}, (0, 1)),
    ],
    ids=lambda given: None if isinstance(given, tuple) else " ".join(given) or "nothing",
)
def test_the_first_that_says_something_decides(
    environment: Dict[str, str], part: Optional[Tuple[int, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert part_of("auto") == part


@pytest.mark.parametrize(
    ("environment", "why"),
    [
        (cluster("worker", 5), "TF_CONFIG says that this process is worker 5, but its cluster has worker 0, worker 1"),
        (cluster("worker", -1), "worker -1"),
        (cluster("worker", "x"), "worker x"),
        (cluster("chief", 0), "is chief 0"),
        (cluster("worker", 1, worker="a:1,b:1"), "not a JSON object"),
        ({"TF_CONFIG": "{"}, "TF_CONFIG is not a JSON object with the lists of a cluster and a task: '{'"),
        ({"TF_CONFIG": "null"}, "not a JSON object"),
        ({"HOROVOD_RANK": "1", "HOROVOD_SIZE": "1"}, "HOROVOD_RANK is '1' and HOROVOD_SIZE is '1'"),
        ({"HOROVOD_RANK": "-1", "HOROVOD_SIZE": "2"}, "HOROVOD_RANK"),
        ({"OMPI_COMM_WORLD_RANK": "", "OMPI_COMM_WORLD_SIZE": "2"}, "OMPI_COMM_WORLD_RANK is ''"),
    ],
)
def test_a_part_that_cannot_be_is_an_error(
    environment: Dict[str, str], why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Worker 5 of two read all data, as each of the two did, and a rank that is not below the size read nothing."""
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(QueueCompatValueError, match="QC532") as caught:
        part_of("auto")
    assert why in str(caught.value)


def test_run_stops_at_a_part_that_cannot_be(tmp_path: pathlib.Path, server: Server) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    launcher = ["run", "--shard", "auto"]
    done = server.run(["program.py"], str(tmp_path), launcher=launcher, environment=cluster("worker", 2))
    assert done.exit_code == 1 and done.out == ""
    assert "QC532" in done.err and "made at:  program.py:" in done.err
