"""Clusters of real server processes on this machine: one parameter server, two workers, as users ran them."""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import socket
import subprocess
import sys
from typing import Any, Dict, Iterator, List

import pytest

PROGRAM = pathlib.Path(__file__).with_name("program.py")
DEADLINE = 240  # seconds; it takes ten on a quiet machine


def free_ports(count: int) -> List[str]:
    with contextlib.ExitStack() as sockets:
        taken = [sockets.enter_context(socket.socket()) for _ in range(count)]
        for one in taken:
            one.bind(("localhost", 0))
        return [str(one.getsockname()[1]) for one in taken]


@contextlib.contextmanager
def cluster(way: str, folder: pathlib.Path) -> Iterator[List[subprocess.Popen]]:
    """The parameter server and the two workers; none of them outlives the block."""
    ports = ",".join(free_ports(3))
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(filter(None, sys.path)), TF_CPP_MIN_LOG_LEVEL="3")
    tasks: List[subprocess.Popen] = []
    try:
        for job, task in (("ps", 0), ("worker", 0), ("worker", 1)):
            command = [sys.executable, str(PROGRAM), "queuecompat.v1", job, str(task), ports, str(folder), way]
            pipe = subprocess.PIPE
            tasks.append(subprocess.Popen(command, env=environment, stdout=pipe, stderr=pipe, text=True))
        yield tasks
    finally:
        for one in tasks:
            one.kill()
            one.communicate()


def results(way: str, folder: pathlib.Path) -> List[Dict[str, Any]]:
    """What each worker said at its end, and ``log``: what it said beside."""
    found = []
    with cluster(way, folder) as (_, *workers):
        for worker in workers:
            try:
                said, log = worker.communicate(timeout=DEADLINE)
            except subprocess.TimeoutExpired:
                worker.kill()
                pytest.fail(f"a worker hangs:\n{worker.communicate()[1][-5000:]}")
            assert worker.returncode == 0, log[-5000:]
            found.append({**json.loads(said.splitlines()[-1]), "log": log})
    return found


def assert_each_worker_had_everything_once(found: List[Dict[str, Any]]) -> None:
    """What TF 1.15.5 gives, too: it runs program.py as it is, with ``tensorflow`` for NAMESPACE."""
    for worker in found:
        assert worker["given"] == list(range(8))
        assert worker["finite"] and worker["losses"] == 4


@pytest.mark.timeout(DEADLINE * 2)
@pytest.mark.parametrize("way", ["monitored", "outside", "synchronous", "supervisor"])
def test_two_workers_and_a_parameter_server_train_to_the_end_of_their_data(way: str, tmp_path: pathlib.Path) -> None:
    found = results(way, tmp_path)
    assert_each_worker_had_everything_once(found)
    assert not any("QC2" in worker["log"] for worker in found)


@pytest.mark.timeout(DEADLINE * 2)
def test_an_input_that_reads_a_variable_of_the_parameter_server_runs_on_queues_and_says_so(
    tmp_path: pathlib.Path,
) -> None:
    """It was compiled, and the worker found no such variable: FailedPreconditionError, uninitialized value."""
    found = results("parameter", tmp_path)
    assert_each_worker_had_everything_once(found)
    assert all("QC212 cannot compile stage 'batch': 'mean:0'" in worker["log"] for worker in found)
