"""A shuffle buffer of decoded images at a small scale: it holds the names of their files."""

from __future__ import annotations

import pathlib
from typing import Dict

import pytest

from tests.forking import Server

from . import peak_memory
from .data import make_jpegs

CAPACITY, FILES = 1_000, 64
ROOT = pathlib.Path(__file__).parents[2]


@pytest.fixture(scope="module")
def held(tmp_path_factory: pytest.TempPathFactory, server: Server) -> Dict[str, int]:
    folder = tmp_path_factory.mktemp("jpegs")
    make_jpegs(folder, FILES)
    found = {}
    for side in ("ours/2", "native/2"):
        words = ["-m", "tests.bench.peak_memory", "--side", side, "--data_dir", str(folder)]
        words += ["--count", str(FILES), "--capacity", str(CAPACITY)]
        ran = server.run(words, str(folder), environment={"PYTHONPATH": str(ROOT)})
        assert ran.exit_code == 0, ran.err
        found[side] = int(ran.out)
    return found


def test_what_is_mixed_are_the_names_of_images(held: Dict[str, int]) -> None:
    pixels = CAPACITY * 224 * 224 * 3  # 144 MiB; what threads and buffers of TensorFlow take besides differs by machine
    assert held["native/2"] > pixels
    assert held["ours/2"] < held["native/2"] - pixels * 3 // 4


def test_the_table_compares_with_the_queues_of_tensorflow(held: Dict[str, int]) -> None:
    *_, ours, native = peak_memory.table(held, CAPACITY).splitlines()
    assert ours.startswith("| ours/2 |")
    assert native.endswith("| 1.00 |")
