"""Memory-mapped arrays as sources: worker processes map the file themselves.

Pickling such an array would read the whole file and send a copy to every process.
"""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["reopened_in_processes"]


class _Mapped:
    """Is pickled in the place of *array*; unpickling it maps the same part of the same file, read-only."""

    def __init__(self, array: np.memmap) -> None:
        self._array = array

    def __reduce__(self) -> Any:
        array: Any = self._array
        order = "C" if array.flags.c_contiguous else "F"
        return np.memmap, (array.filename, array.dtype, "r", array.offset, array.shape, order)


def reopened_in_processes(source: Any) -> Any:
    """Returns *source*; or, if it is a whole memory-mapped array, an object that is pickled instead and maps the file
    again."""
    if not isinstance(source, np.memmap) or isinstance(source.base, np.ndarray):
        return source  # a slice of a mapped array does not know its place in the file
    is_whole = source.flags.c_contiguous or source.flags.f_contiguous
    # With mode "c" (copy on write), what the program wrote into the array is not in the file.
    return _Mapped(source) if source.filename is not None and source.mode != "c" and is_whole else source
