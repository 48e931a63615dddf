"""Pinned memory, with a module in the place of PyTorch: where batches are written, and what is copied."""

from __future__ import annotations

import sys
import types
from typing import Any, List

import numpy as np
import pytest

from queuecompat import BackgroundLoader
from tests.loader import loads


class Tensor:
    """Of NumPy's memory; pinned if it lies in memory that was allocated so."""

    pinned: List[Any] = []

    def __init__(self, array: np.ndarray, *, was_copied: bool = False) -> None:
        self.array = array
        self.was_copied = was_copied

    def data_ptr(self) -> int:
        return self.array.ctypes.data

    def is_pinned(self) -> bool:
        return any(low <= self.array.ctypes.data < low + size for low, size in Tensor.pinned)

    def pin_memory(self) -> Tensor:
        copy = empty(self.array.nbytes, dtype=np.uint8, pin_memory=True).array
        whole = copy.view(self.array.dtype).reshape(self.array.shape)
        whole[...] = self.array
        return Tensor(whole, was_copied=True)


def empty(size: int, *, dtype: Any, pin_memory: bool) -> Tensor:
    assert pin_memory
    array = np.empty(size, dtype)
    Tensor.pinned.append((array.ctypes.data, size))
    return Tensor(array)


@pytest.fixture
def torch(monkeypatch: pytest.MonkeyPatch) -> Any:
    module = types.ModuleType("torch")
    parts = {
        "cuda": types.SimpleNamespace(is_available=lambda: True),
        "empty": empty,
        "from_numpy": Tensor,
        "uint8": np.uint8,
    }
    module.__dict__.update(parts)
    monkeypatch.setitem(sys.modules, "torch", module)
    Tensor.pinned = []
    return module


@pytest.mark.parametrize("workers", ["threads", "processes"])
def test_batches_are_written_into_pinned_memory(torch: Any, workers: str) -> None:
    kinds = {"batch_size": 4, "workers": workers, "num_workers": 1, "output": "torch", "pin_memory": True}
    batches = list(BackgroundLoader(range(12), loads.same, **kinds))
    assert [batch.array.tolist() for batch in batches] == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]
    assert all(batch.is_pinned() and not batch.was_copied for batch in batches)
    assert [batch.data_ptr() % 64 for batch in batches] == [0, 0, 0]


def test_pinned_memory_is_used_again(torch: Any) -> None:
    for batch in BackgroundLoader(range(4000), batch_size=4, capacity=8, output="torch", pin_memory=True):
        assert batch.is_pinned()
    assert len(Tensor.pinned) <= 8


def test_what_a_transform_returns_is_copied_into_pinned_memory(torch: Any) -> None:
    kinds = {"batch_size": 4, "output": "torch", "pin_memory": True}
    batches = list(BackgroundLoader(range(8), batch_transform=lambda batch: batch + 1, **kinds))
    assert [batch.array.tolist() for batch in batches] == [[1, 2, 3, 4], [5, 6, 7, 8]]
    assert all(batch.is_pinned() and batch.was_copied for batch in batches)


def test_without_a_gpu_it_is_a_warning_and_ordinary_memory(torch: Any) -> None:
    torch.cuda = types.SimpleNamespace(is_available=lambda: False)
    with pytest.warns(RuntimeWarning, match="QC645 pin_memory=True needs a GPU"):
        loader = BackgroundLoader(range(4), batch_size=4, output="torch", pin_memory=True)
    assert [batch.is_pinned() for batch in loader] == [False]


def test_pinned_memory_is_pytorchs() -> None:
    with pytest.raises(ValueError, match=r"QC601 .*pin_memory"):
        BackgroundLoader(range(4), batch_size=4, pin_memory=True)


def test_with_pytorch_itself_batches_are_pinned_or_a_warning_says_why_they_are_not() -> None:
    torch = pytest.importorskip("torch")
    kinds: Any = {"batch_size": 4, "output": "torch", "pin_memory": True}
    if torch.cuda.is_available():
        loader = BackgroundLoader(range(8), **kinds)
    else:
        with pytest.warns(RuntimeWarning, match="QC645 pin_memory=True needs a GPU"):
            loader = BackgroundLoader(range(8), **kinds)
    batches = list(loader)
    assert [batch.tolist() for batch in batches] == [[0, 1, 2, 3], [4, 5, 6, 7]]
    assert all(batch.is_pinned() == torch.cuda.is_available() for batch in batches)
