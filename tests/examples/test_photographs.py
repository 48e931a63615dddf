"""A Keras model that is trained from a TF1 input function."""

from __future__ import annotations

import pathlib
import re

import pytest

from tests.forking import Server

EXAMPLE = pathlib.Path(__file__).parents[2] / "examples" / "photographs"


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory, server: Server) -> str:
    """What the example prints; it exits with 1 below 90 % accuracy."""
    directory = str(tmp_path_factory.mktemp("tiles"))
    ran = server.run([str(EXAMPLE / "train_photographs.py"), "--data_dir", directory], directory, deadline=280)
    assert ran.exit_code == 0, ran.out[-2000:] + ran.err[-2000:]
    return ran.out


def test_every_tile_is_tested_once(printed: str) -> None:
    right, count = map(int, re.search(r"\((\d+) of (\d+)\)", printed).groups())  # type: ignore[union-attr]
    assert count == 200
    assert right >= 180


def test_each_epoch_is_a_fresh_one_whose_end_is_known(printed: str) -> None:
    assert printed.count("12/12") == 6


def test_what_was_taken_for_something_else_is_named(printed: str) -> None:
    right, count = map(int, re.search(r"\((\d+) of (\d+)\)", printed).groups())  # type: ignore[union-attr]
    assert printed.count("taken for the other photograph: ") == min(5, count - right)
