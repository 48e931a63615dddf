"""Memory that a GPU copies from without the processor's help: pinned, in PyTorch's words.

Rule 1: batches are written into such memory, so pinning costs no copy. What is not written there (batches of
        *collate* or *batch_transform*, and of processes with ``copy=False``) is copied into it.
Rule 2: the memory is PyTorch's, and its tensors are views of the one that was allocated. So its allocator knows of each
        copy to a GPU, and does not use the memory again before that has ended, even if the batch is gone:
        ``batch = batch.to("cuda", non_blocking=True)`` drops it while the copy still waits for the GPU.
Rule 3: without a GPU there is none, and a program that was written for one runs all the same, with a warning.
"""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from queuecompat.errors import layout, warn_user
from queuecompat.loader.memory.blocks import Memory, owner_of

__all__ = ["PinnedMemory", "pinned_memory"]

_ALIGNMENT = 64  # bytes


def pinned_memory(torch: Any, made_at: str) -> Optional[PinnedMemory]:
    """Where there is a GPU; None, with the warning QC645, where there is none."""
    if torch.cuda.is_available():
        return PinnedMemory(torch)
    why = "torch.cuda.is_available() is False"
    warn_user(layout("QC645", made_at, raised=why), RuntimeWarning)
    return None


class PinnedMemory:
    """Allocates pinned memory, and makes tensors of the arrays in it."""

    def __init__(self, torch: Any) -> None:
        self._torch = torch

    def allocated(self, size: int) -> Memory:
        tensor = self._torch.empty(size + _ALIGNMENT, dtype=self._torch.uint8, pin_memory=True)
        return Memory(tensor, tensor.data_ptr() + -tensor.data_ptr() % _ALIGNMENT, size)

    def tensor(self, array: np.ndarray) -> Any:
        """A tensor of what *array* shows, in pinned memory: the same memory, if it is pinned."""
        plain = self._torch.from_numpy(array)
        owner = owner_of(array)
        if not isinstance(owner, self._torch.Tensor):
            return plain.pin_memory()
        first, rest = divmod(array.ctypes.data - owner.data_ptr(), array.itemsize)
        if rest:
            return plain.pin_memory()  # no tensor can begin there
        empty = self._torch.empty(0, dtype=plain.dtype)
        return empty.set_(owner.untyped_storage(), first, plain.shape, plain.stride())
