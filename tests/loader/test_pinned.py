"""Pinned memory, with a module in the place of PyTorch: where batches are written, what is copied, and who uses the
memory again. The last tests need PyTorch itself, and one of them a GPU.
"""

from __future__ import annotations

import sys
import types
import weakref
from typing import Any, List

import numpy as np
import pytest

from queuecompat import BackgroundLoader
from tests.loader import loads


class Tensor:
    """Of NumPy's memory; pinned if its storage was allocated so."""

    pinned: List[weakref.ref[np.ndarray]] = []  # the storages

    def __init__(self, array: np.ndarray, storage: Any = None, *, was_copied: bool = False) -> None:
        self.array = array
        self.storage = array if storage is None else storage
        self.was_copied = was_copied

    @property
    def dtype(self) -> Any:
        return self.array.dtype

    @property
    def shape(self) -> Any:
        return self.array.shape

    def stride(self) -> Any:
        return tuple(size // self.array.itemsize for size in self.array.strides)

    def data_ptr(self) -> int:
        return self.array.ctypes.data

    def untyped_storage(self) -> np.ndarray:
        return self.storage

    def set_(self, storage: np.ndarray, first: int, shape: Any, stride: Any) -> Tensor:
        size = self.array.itemsize
        strides = [number * size for number in stride]
        return Tensor(np.ndarray(shape, self.array.dtype, storage, first * size, strides), storage)

    def is_pinned(self) -> bool:
        return any(storage() is self.storage for storage in Tensor.pinned)

    def pin_memory(self) -> Tensor:
        copy = empty(self.array.nbytes, dtype=np.uint8, pin_memory=True).array
        whole = copy.view(self.array.dtype).reshape(self.array.shape)
        whole[...] = self.array
        return Tensor(whole, copy, was_copied=True)


def empty(size: int, *, dtype: Any, pin_memory: bool = False) -> Tensor:
    array = np.empty(size, dtype)
    if pin_memory:
        Tensor.pinned.append(weakref.ref(array))
    return Tensor(array)


@pytest.fixture
def torch(monkeypatch: pytest.MonkeyPatch) -> Any:
    module = types.ModuleType("torch")
    parts = {
        "Tensor": Tensor,
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


_PROCESS = {"workers": "processes", "num_workers": 1}


@pytest.mark.parametrize("kinds", [{}, {"copy": False}, _PROCESS, {**_PROCESS, "copy": False}])
def test_memory_that_a_copy_to_a_gpu_still_reads_is_not_written(torch: Any, kinds: Any) -> None:
    """Such a copy holds PyTorch's storage, and neither the tensor nor the array."""
    copies = []
    loader = BackgroundLoader(range(160), loads.same, batch_size=4, output="torch", pin_memory=True, **kinds)
    for batch in loader:
        assert batch.is_pinned()
        storage = batch.untyped_storage()
        copies.append((storage, batch.data_ptr() - storage.ctypes.data))
        del batch
    read = [storage[first : first + 32].view(np.int64).tolist() for storage, first in copies]
    assert read == [list(range(first, first + 4)) for first in range(0, 160, 4)]


def test_pinned_memory_is_returned_when_nothing_shows_it(torch: Any) -> None:
    most = 0
    for batch in BackgroundLoader(range(4000), batch_size=4, capacity=8, output="torch", pin_memory=True):
        assert batch.is_pinned()
        Tensor.pinned = [storage for storage in Tensor.pinned if storage() is not None]
        most = max(most, len(Tensor.pinned))
    assert most <= 8


def test_part_of_a_batch_and_another_order_of_its_axes_are_views_too(torch: Any) -> None:
    def changed(batch: Any) -> Any:
        return batch[1:], batch.T, batch[:, ::2]

    kinds = {"batch_size": 2, "batch_transform": changed, "output": "torch", "pin_memory": True}
    (parts,) = BackgroundLoader(np.arange(8).reshape(2, 4), lambda row: row, **kinds)
    wanted = [[[4, 5, 6, 7]], [[0, 4], [1, 5], [2, 6], [3, 7]], [[0, 2], [4, 6]]]
    assert [part.array.tolist() for part in parts] == wanted
    assert all(part.is_pinned() and not part.was_copied for part in parts)


def test_what_a_transform_returns_as_it_was_is_in_pinned_memory_with_processes_too(torch: Any) -> None:
    kinds = {"batch_size": 4, "workers": "processes", "num_workers": 1, "output": "torch", "pin_memory": True}
    batches = list(BackgroundLoader(range(12), loads.same, batch_transform=lambda batch: batch, **kinds))
    assert [batch.array.tolist() for batch in batches] == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]
    assert all(batch.is_pinned() for batch in batches)


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


@pytest.mark.parametrize("kinds", [{}, {"copy": False}, _PROCESS, {**_PROCESS, "copy": False}])
def test_copies_that_wait_for_a_gpu_read_their_own_batch(kinds: Any) -> None:
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("needs a GPU")
    copies = []
    loader = BackgroundLoader(
        range(6400), loads.filled, batch_size=64, num_workers=2, output="torch", pin_memory=True, **kinds
    )
    for batch in loader:
        torch.cuda._sleep(20_000_000)  # cycles, some 10 ms; copies come after them
        copies.append(batch.to("cuda", non_blocking=True))
        del batch
    wanted = torch.arange(6400, dtype=torch.float32).reshape(100, 64)
    assert all((copy.cpu() == rows[:, None]).all() for copy, rows in zip(copies, wanted))
