"""Memory that a GPU copies from without the processor's help: pinned, in PyTorch's words.

Rule 1: batches are written into such memory, so pinning costs no copy. What is not written there (batches of
        *collate* or *batch_transform*) is copied into it by ``outputs.py``.
Rule 2: without a GPU there is none, and a program that was written for one runs all the same, with a warning.
"""

from __future__ import annotations

from typing import Any, Callable, Optional

from queuecompat.errors import layout, warn_user
from queuecompat.loader.blocks import Memory

__all__ = ["pinned_memory"]

_ALIGNMENT = 64  # bytes


def pinned_memory(torch: Any, made_at: str) -> Optional[Callable[[int], Memory]]:
    """What allocates so many bytes of it; None, with the warning QC645, where there is no GPU."""
    if not torch.cuda.is_available():
        why = "torch.cuda.is_available() is False"
        warn_user(layout("QC645", made_at, raised=why), RuntimeWarning)
        return None

    def allocated(size: int) -> Memory:
        tensor = torch.empty(size + _ALIGNMENT, dtype=torch.uint8, pin_memory=True)
        return Memory(tensor, tensor.data_ptr() + -tensor.data_ptr() % _ALIGNMENT, size)

    return allocated
