"""A Keras model that is trained from a list of image files."""

from __future__ import annotations

import pathlib
import re

import pytest

from tests.forking import Server

EXAMPLE = pathlib.Path(__file__).parents[2] / "examples" / "image_list"


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory, server: Server) -> str:
    """What the example prints; it exits with 1 below 90 % accuracy."""
    directory = str(tmp_path_factory.mktemp("tiles"))
    ran = server.run([str(EXAMPLE / "train_tiles.py"), "--data_dir", directory], directory, deadline=280)
    assert ran.exit_code == 0, ran.out[-2000:] + ran.err[-2000:]
    return ran.out


def test_it_learns_to_tell_the_photographs_apart(printed: str) -> None:
    accuracy = re.search(r"accuracy on tiles never seen: ([\d.]+) % \(\d+ of 200\)", printed)
    assert accuracy is not None
    assert float(accuracy.group(1)) >= 90


def test_it_prints_what_is_loaded_and_whether_model_or_loader_waits(printed: str) -> None:
    assert re.search(r"<ImageListLoader: 600 images of .*train\.txt, random crops 80x80, mean [\d. ]+,", printed)
    assert re.search(r"waits? for", printed)
    assert printed.count("12/12") == 4  # known cardinality: Keras counts the steps of each epoch
