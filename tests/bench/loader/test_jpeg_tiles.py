"""The sides load the same tiles, and the arithmetic of the comparison is right."""

from __future__ import annotations

import importlib.util
import itertools
import json
import pathlib
from typing import Any, Dict, List

import numpy as np
import pytest

from queuecompat.loader.images.image_list import ImageList, list_of
from queuecompat.loader.images.reading import read_image

from ..data import make_jpegs
from . import jpeg_tiles
from .tile_sides import BATCH_SIZE, CROP, SIDES, WORKERS

COUNT = BATCH_SIZE + 16
NEEDS = {"PyTorch": "torch", "Grain": "grain", "SPDL": "spdl"}


@pytest.fixture(scope="module")
def data_dir(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    return tmp_path_factory.mktemp("tiles")


@pytest.fixture(scope="module")
def files(data_dir: pathlib.Path) -> ImageList:
    paths, _ = make_jpegs(data_dir, COUNT)
    return list_of(zip(paths, range(COUNT)))


@pytest.mark.parametrize("side", [side for side in SIDES if not side.startswith("tf.data")])
def test_a_side_returns_crops_of_the_tiles_with_their_labels(files: ImageList, side: str) -> None:
    if side in NEEDS and importlib.util.find_spec(NEEDS[side]) is None:
        pytest.skip(f"{NEEDS[side]} is not installed; tox -e bench-loader has it")
    batches = SIDES[side](files, WORKERS)
    labels: List[int] = []
    try:
        for images, its_labels in itertools.islice(batches, 2):
            assert tuple(images.shape) == (BATCH_SIZE, CROP, CROP, 3)
            image, label = np.asarray(images)[7], int(its_labels[7])
            tile = read_image(files[label]).astype(np.float32)
            places = [(top, left) for top in range(33) for left in range(33)]
            assert any(
                np.array_equal(image, crop) or np.array_equal(image, crop[:, ::-1])
                for crop in (tile[top : top + CROP, left : left + CROP] for top, left in places)
            )
            labels += np.asarray(its_labels).tolist()
    finally:
        getattr(batches, "close", lambda: None)()
    assert len(set(labels[:BATCH_SIZE])) == BATCH_SIZE  # each tile once, in an order of its own
    assert labels[:BATCH_SIZE] != sorted(labels[:BATCH_SIZE])


def test_a_run_measures_each_side_in_a_process_of_its_own(
    files: ImageList, data_dir: pathlib.Path, tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "tiles.json"
    arguments = ["--sides", "ours", "one thread", "tf.data", "--rounds", "1", "--seconds", "0.2"]
    arguments += ["--count", str(COUNT), "--data_dir", str(data_dir), "--json", str(file)]
    assert jpeg_tiles.main(arguments) == 0
    record = json.loads(file.read_text())
    (timings,) = record["rounds"]
    assert list(timings) == ["ours", "one thread", "tf.data"]
    assert all(timing["wall_us"] > 0 and timing["examples"] >= BATCH_SIZE for timing in timings.values())
    printed = capsys.readouterr().out
    assert all(f"\n  {side} " in printed for side in timings)


def _round(**walls: float) -> Dict[str, Any]:
    return {side.replace("_", " "): {"wall_us": wall, "cpu_us": wall} for side, wall in walls.items()}


def test_a_ratio_says_how_many_times_faster_ours_is_within_one_round() -> None:
    # The machine was three times slower in the second round, which is no news about the sides.
    rounds = [_round(ours=1, Grain=2), _round(ours=3, Grain=6), _round(ours=1.5, Grain=2)]
    assert jpeg_tiles.ratios(rounds) == {"Grain": 2.0}


@pytest.mark.parametrize(
    ("walls", "missed"),
    [
        ({"thread_pool": 1.1, "PyTorch": 1.6, "Grain": 1.6, "tf.data, cropped": 1.1}, []),
        (
            {"thread_pool": 1.0, "PyTorch": 1.5, "Grain": 1.5, "tf.data, cropped": 1.0},
            ["thread pool", "PyTorch", "Grain", "tf.data, cropped"],
        ),
        ({"one_thread": 0.5, "SPDL": 0.5}, []),
    ],
)
def test_a_missed_target_is_named_and_fails_the_check(
    walls: Dict[str, float], missed: List[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    timings = _round(ours=1.0, **walls)
    monkeypatch.setattr(jpeg_tiles, "measured", lambda *_: iter([timings]))
    monkeypatch.setattr(jpeg_tiles, "make_jpegs", lambda *_: None)
    assert jpeg_tiles.main(["--check"]) == (1 if missed else 0)
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition("missed: ")[2] for line in lines if line.startswith("missed")] == missed


def test_a_late_first_batch_and_more_memory_than_another_side_miss_the_target() -> None:
    def side(first: float, memory: float) -> Dict[str, float]:
        return {"wall_us": 1, "cpu_us": 1, "first_ms": first, "memory_mb": memory}

    assert (
        jpeg_tiles.missed_besides([{"ours": side(12, 90), "thread pool": side(10, 90), "PyTorch": side(9, 50)}]) == []
    )
    late, large = jpeg_tiles.missed_besides([{"ours": side(13, 91), "thread pool": side(10, 90)}])
    assert late.startswith("first batch, 1.30 times") and large.startswith("memory, 91 MB")
