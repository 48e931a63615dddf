"""A Keras model that is trained from a TF1 input function."""

from __future__ import annotations

import os
import pathlib
import re
import subprocess
import sys

import pytest

EXAMPLE = pathlib.Path(__file__).parents[2] / "examples" / "photographs"


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What the example prints; it exits with 1 below 90 % accuracy."""
    directory = tmp_path_factory.mktemp("tiles")
    command = [sys.executable, str(EXAMPLE / "train_photographs.py"), "--data_dir", str(directory)]
    environment = dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3")
    ran = subprocess.run(command, capture_output=True, text=True, timeout=280, env=environment, check=False)
    assert ran.returncode == 0, ran.stdout[-2000:] + ran.stderr[-2000:]
    return ran.stdout


def test_every_tile_is_tested_once(printed: str) -> None:
    right, count = map(int, re.search(r"\((\d+) of (\d+)\)", printed).groups())  # type: ignore[union-attr]
    assert count == 200
    assert right >= 180


def test_each_epoch_is_a_fresh_one_whose_end_is_known(printed: str) -> None:
    assert printed.count("12/12") == 6


def test_what_was_taken_for_something_else_is_named(printed: str) -> None:
    right, count = map(int, re.search(r"\((\d+) of (\d+)\)", printed).groups())  # type: ignore[union-attr]
    assert printed.count("taken for the other photograph: ") == min(5, count - right)
