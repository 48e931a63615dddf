"""Datasets among devices and processes, each in a process of its own: ``distributed.py``."""

from __future__ import annotations

import pathlib

import pytest

from tests.forking import Server

PROGRAM = pathlib.Path(__file__).with_name("distributed.py")
ROOT = PROGRAM.parents[2]


@pytest.mark.parametrize("name", ["among_devices", "among_processes"])
def test_every_element_comes_once(name: str, tmp_path: pathlib.Path, server: Server) -> None:
    done = server.run([str(PROGRAM), name], str(tmp_path), environment={"PYTHONPATH": str(ROOT)}, deadline=200)
    assert done.exit_code == 0, done.err[-5000:]
