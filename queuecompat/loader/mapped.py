"""Memory-mapped arrays as sources: worker processes map the file themselves.

Pickled, such an array would be read as a whole and copied to every process.
"""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["reopened_in_processes"]


class _Mapped:
    """Pickled instead of *array*; unpickled, it is the same part of the same file, for reading."""

    def __init__(self, array: np.memmap) -> None:
        self._array = array

    def __reduce__(self) -> Any:
        array: Any = self._array
        order = "C" if array.flags.c_contiguous else "F"
        return np.memmap, (array.filename, array.dtype, "r", array.offset, array.shape, order)


def reopened_in_processes(source: Any) -> Any:
    """*source*; or, if it is a whole mapped file, what is pickled instead."""
    if not isinstance(source, np.memmap) or isinstance(source.base, np.ndarray):
        return source  # a part of a mapped array does not know where in the file it is
    is_whole = source.flags.c_contiguous or source.flags.f_contiguous
    # Of "copy on write", the file does not have what was written.
    return _Mapped(source) if source.filename is not None and source.mode != "c" and is_whole else source
