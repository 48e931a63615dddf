"""A Keras model that is trained from a list of image files."""

from __future__ import annotations

import os
import pathlib
import re
import subprocess
import sys

import pytest

EXAMPLE = pathlib.Path(__file__).parents[2] / "examples" / "image_list"


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What the example prints; it exits with 1 below 90 % accuracy."""
    directory = tmp_path_factory.mktemp("tiles")
    command = [sys.executable, str(EXAMPLE / "train_tiles.py"), "--data_dir", str(directory)]
    environment = dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3")
    ran = subprocess.run(command, capture_output=True, text=True, timeout=280, env=environment, check=False)
    assert ran.returncode == 0, ran.stdout[-2000:] + ran.stderr[-2000:]
    return ran.stdout


def test_it_learns_to_tell_the_photographs_apart(printed: str) -> None:
    accuracy = re.search(r"accuracy on tiles never seen: ([\d.]+) % \(\d+ of 200\)", printed)
    assert accuracy is not None
    assert float(accuracy.group(1)) >= 90


def test_it_says_what_is_loaded_and_who_waits_for_whom(printed: str) -> None:
    assert re.search(r"<ImageListLoader: 600 images of .*train\.txt, random crops 80x80, mean [\d. ]+,", printed)
    assert re.search(r"waits? for", printed)
    assert printed.count("12/12") == 4  # known cardinality: Keras counts the steps of each epoch
