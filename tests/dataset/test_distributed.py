"""Datasets among devices and processes, each in a process of its own: ``distributed.py``."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import pytest

PROGRAM = pathlib.Path(__file__).with_name("distributed.py")
ROOT = PROGRAM.parents[2]


@pytest.mark.parametrize("name", ["among_devices", "among_processes"])
def test_every_element_comes_once(name: str) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, str(PROGRAM), name], check=False, capture_output=True, text=True, env=environment, timeout=200
    )
    assert done.returncode == 0, done.stderr[-5000:]
