"""Clusters of real server processes on this machine: one parameter server, two workers, as users ran them."""

from __future__ import annotations

import contextlib
import json
import pathlib
import socket
from typing import Any, Dict, Iterator, List

import pytest

from tests.forking import Program, Server

PROGRAM = pathlib.Path(__file__).with_name("program.py")
ESTIMATOR = pathlib.Path(__file__).with_name("estimator.py")
REMOTE = pathlib.Path(__file__).with_name("remote.py")
DEADLINE = 240  # seconds, of each task; then its stacks are printed


def free_ports(count: int) -> List[str]:
    with contextlib.ExitStack() as sockets:
        taken = [sockets.enter_context(socket.socket()) for _ in range(count)]
        for one in taken:
            one.bind(("localhost", 0))
        return [str(one.getsockname()[1]) for one in taken]


@contextlib.contextmanager
def cluster(way: str, folder: pathlib.Path, server: Server) -> Iterator[List[Program]]:
    """The two workers of a cluster, which end by themselves; its parameter server ends with the block."""
    ports = ",".join(free_ports(3))

    def start(job: str, task: int) -> Program:
        scratch = folder / f"{job}-{task}"
        scratch.mkdir()
        command = [str(PROGRAM), "queuecompat.v1", job, str(task), ports, str(folder), way]
        return server.start(command, str(scratch), deadline=DEADLINE, warns=True)

    parameters, *workers = (start(job, task) for job, task in (("ps", 0), ("worker", 0), ("worker", 1)))
    try:
        yield workers
    finally:
        parameters.kill()


def results(way: str, folder: pathlib.Path, server: Server) -> List[Dict[str, Any]]:
    """What each worker said at its end, and ``log``: what it said beside."""
    with cluster(way, folder, server) as workers:
        ended = [worker.wait() for worker in workers]
    for worker in ended:
        assert worker.exit_code == 0, worker.err[-5000:]
    return [{**json.loads(worker.out.splitlines()[-1]), "log": worker.err} for worker in ended]


def assert_each_worker_had_everything_once(found: List[Dict[str, Any]]) -> None:
    """What TF 1.15.5 gives, too: it runs program.py as it is, with ``tensorflow`` for NAMESPACE."""
    for worker in found:
        assert worker["given"] == list(range(8))
        assert worker["finite"] and worker["losses"] == 4


@pytest.mark.timeout(DEADLINE * 2)
@pytest.mark.parametrize("way", ["monitored", "outside", "synchronous", "supervisor"])
def test_two_workers_and_a_parameter_server_train_to_the_end_of_their_data(
    way: str, tmp_path: pathlib.Path, server: Server
) -> None:
    found = results(way, tmp_path, server)
    assert_each_worker_had_everything_once(found)
    assert not any("QC2" in worker["log"] for worker in found)


@pytest.mark.timeout(DEADLINE * 2)
def test_an_input_that_reads_a_variable_of_the_parameter_server_runs_on_queues_and_says_so(
    tmp_path: pathlib.Path, server: Server
) -> None:
    """It was compiled, and the worker found no such variable: FailedPreconditionError, uninitialized value."""
    found = results("parameter", tmp_path, server)
    assert_each_worker_had_everything_once(found)
    assert all("QC212 cannot compile stage 'batch': 'mean:0'" in worker["log"] for worker in found)


@pytest.mark.timeout(DEADLINE * 2)
def test_a_session_on_the_server_of_a_different_process_reads_to_the_end(
    tmp_path: pathlib.Path, server: Server
) -> None:
    """Its Python functions are not there, such as the one that looks at the end of a file."""
    (port,) = free_ports(1)
    tasks = {task: tmp_path / task for task in ("server", "client")}
    started = {}
    for task, scratch in tasks.items():
        scratch.mkdir()
        started[task] = server.start([str(REMOTE), task, port], str(scratch), deadline=DEADLINE, warns=True)
    try:
        ended = started["client"].wait()
    finally:
        started["server"].kill()
    assert ended.exit_code == 0, ended.err[-5000:]
    assert json.loads(ended.out.splitlines()[-1]) == list(range(20)) * 2


@pytest.mark.timeout(DEADLINE * 2)
def test_an_estimator_is_trained_by_a_chief_and_a_worker(tmp_path: pathlib.Path, server: Server) -> None:
    """TF 1.15.5 runs estimator.py as it is, with ``tensorflow`` for NAMESPACE, and prints the same."""
    ports = ",".join(free_ports(3))
    tasks = {}
    for job in ("ps", "chief", "worker"):
        (tmp_path / job).mkdir()
        command = [str(ESTIMATOR), "queuecompat.v1", job, ports, str(tmp_path / "model")]
        tasks[job] = server.start(command, str(tmp_path / job), deadline=DEADLINE, warns=True)
    try:
        ended = [tasks[job].wait() for job in ("chief", "worker")]
    finally:
        tasks["ps"].kill()
    assert [one.exit_code for one in ended] == [0, 0], [one.err[-3000:] for one in ended]
    found = [json.loads(one.out.splitlines()[-1]) for one in ended]
    # A worker begins seconds after the chief; it may find that all is done. The last steps of both may be under way.
    assert 60 <= sum(one["steps"] for one in found) <= 61
    assert found[0]["at"] == "/job:ps/task:0"
    assert any((tmp_path / "model" / f"model.ckpt-{step}.index").exists() for step in (60, 61))
