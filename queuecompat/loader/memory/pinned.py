"""Pinned memory, from which a GPU copies without the processor's help: the argument ``pin_memory``.

Rule 1: batches are written into pinned memory, so pinning costs no copy. Arrays that are made elsewhere (batches of
        *collate* or *batch_transform*, and of processes with ``copy=False``) are copied into it.
Rule 2: PyTorch allocates the memory, and the tensors of a batch are views of the tensor that it allocated. So PyTorch's
        allocator knows of each copy to a GPU, and does not reuse the memory before that copy has ended, even if the
        batch is gone: ``batch = batch.to("cuda", non_blocking=True)`` drops it while the copy still waits for the GPU.
Rule 3: without a GPU, a program that was written for one still runs, with a warning and ordinary memory.
"""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from queuecompat.errors import layout, warn_user
from queuecompat.loader.memory.blocks import Memory, owner_of

__all__ = ["PinnedMemory", "pinned_memory"]

_ALIGNMENT = 64  # bytes


def pinned_memory(torch: Any, made_at: str) -> Optional[PinnedMemory]:
    """Returns an allocator of pinned memory if there is a GPU; otherwise warns (QC645), and returns None."""
    if torch.cuda.is_available():
        return PinnedMemory(torch)
    why = "torch.cuda.is_available() is False"
    warn_user(layout("QC645", made_at, raised=why), RuntimeWarning)
    return None


class PinnedMemory:
    """Allocates pinned memory, and makes PyTorch tensors of arrays in it."""

    def __init__(self, torch: Any) -> None:
        self._torch = torch

    def allocated(self, size: int) -> Memory:
        tensor = self._torch.empty(size + _ALIGNMENT, dtype=self._torch.uint8, pin_memory=True)
        return Memory(tensor, tensor.data_ptr() + -tensor.data_ptr() % _ALIGNMENT, size)

    def tensor(self, array: np.ndarray) -> Any:
        """Returns a tensor in pinned memory with the content of *array*. It shares the memory of *array* if that was
        allocated here; otherwise it is a copy."""
        plain = self._torch.from_numpy(array)
        owner = owner_of(array)
        if not isinstance(owner, self._torch.Tensor):
            return plain.pin_memory()
        first, rest = divmod(array.ctypes.data - owner.data_ptr(), array.itemsize)
        if rest:
            return plain.pin_memory()  # a tensor cannot begin at an offset that is not a multiple of the item size
        empty = self._torch.empty(0, dtype=plain.dtype)
        return empty.set_(owner.untyped_storage(), first, plain.shape, plain.stride())
