"""Memory-mapped arrays as sources."""

from __future__ import annotations

import pathlib
import pickle
from typing import Any

import numpy as np
import pytest

from queuecompat import BackgroundLoader
from queuecompat.loader.calls import Call


@pytest.fixture
def file(tmp_path: pathlib.Path) -> str:
    np.save(tmp_path / "rows.npy", np.arange(200_000, dtype=np.float32).reshape(-1, 4))
    return str(tmp_path / "rows.npy")


def arrays(file: str, tmp_path: pathlib.Path) -> Any:
    values = np.load(file)
    columns = np.asfortranarray(values)
    np.save(tmp_path / "columns.npy", columns)
    raw = np.memmap(tmp_path / "raw", np.int16, "w+", offset=512, shape=(50, 3))
    raw[:] = np.arange(150).reshape(50, 3)
    written = np.load(file, mmap_mode="c")
    written[0] = -1
    yield np.load(file, mmap_mode="r"), True
    yield np.load(file, mmap_mode="r+"), True
    yield np.load(tmp_path / "columns.npy", mmap_mode="r"), True
    yield raw, True
    yield np.load(file, mmap_mode="r")[10:40_000], False
    yield np.load(file, mmap_mode="r")[:, ::2], False
    yield written, False


def test_a_mapped_file_is_mapped_again_and_not_copied(file: str, tmp_path: pathlib.Path) -> None:
    """What is pickled for worker processes used to have the size of the file."""
    for array, is_mapped in arrays(file, tmp_path):
        data = pickle.dumps(Call.of(array, None).for_processes(is_sequence=True))
        assert (len(data) < 1000) == is_mapped
        again = pickle.loads(data).source
        np.testing.assert_array_equal(again, array)
        assert again.dtype == array.dtype


def test_processes_load_rows_of_a_mapped_file(file: str) -> None:
    source = np.load(file, mmap_mode="r")
    kinds: Any = dict(batch_size=1000, shuffle=True, seed=1, num_workers=1)
    with BackgroundLoader(source, workers="processes", **kinds) as loader:
        for batch, expected in zip(loader, BackgroundLoader(np.load(file), **kinds)):
            np.testing.assert_array_equal(batch, expected)
