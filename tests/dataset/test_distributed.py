"""Datasets among devices and processes, each in a process of its own: ``distributed.py``."""

from __future__ import annotations

import json
import pathlib

import pytest

from tests.forking import Server
from tests.service.cluster import free_port

PROGRAM = pathlib.Path(__file__).with_name("distributed.py")
ROOT = PROGRAM.parents[2]


@pytest.mark.parametrize("name", ["among_devices", "among_processes"])
def test_every_element_comes_once(name: str, tmp_path: pathlib.Path, server: Server) -> None:
    done = server.run([str(PROGRAM), name], str(tmp_path), environment={"PYTHONPATH": str(ROOT)}, deadline=200)
    assert done.exit_code == 0, done.err[-5000:]


def test_each_worker_of_a_strategy_reads_its_part(tmp_path: pathlib.Path, server: Server) -> None:
    ports = [f"localhost:{free_port()}" for _ in range(2)]
    workers = []
    for number in range(2):
        folder = tmp_path / str(number)
        folder.mkdir()
        command = [str(PROGRAM), "of_a_worker", str(number), *ports]
        workers.append(server.start(command, str(folder), environment={"PYTHONPATH": str(ROOT), "TF_CONFIG": "{}"}))
    found = []
    for worker in workers:
        ran = worker.wait()
        assert ran.exit_code == 0, ran.err[-5000:]
        found.append(json.loads(ran.out.splitlines()[-1]))
    for way in found[0]:
        parts = [one[way] for one in found]
        assert [len(part) for part in parts] == [30, 30], way
        assert sorted(parts[0] + parts[1]) == list(range(60)), way
