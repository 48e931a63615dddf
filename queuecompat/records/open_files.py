"""Files that many threads read from at arbitrary positions.

Rule 1: No file position is shared, so reading needs no lock.
Rule 2: Only names are pickled: each process opens the files itself.
"""

from __future__ import annotations

import os
import stat
import threading
import weakref
from typing import Any, Dict, Iterable, List, Union

from queuecompat.errors import QueueCompatTypeError, error
from queuecompat.plurals import type_of

__all__ = ["OpenFiles", "PathLike", "is_read_once", "paths_of", "read_at"]

PathLike = Union[str, bytes, "os.PathLike[str]"]


def paths_of(paths: Union[PathLike, Iterable[PathLike]]) -> List[str]:
    """Returns the names of one file, or of several.

    Raises:
      QueueCompatTypeError: QC601, they are in a set: records are numbered in the order of their files.
    """
    if isinstance(paths, (set, frozenset)):
        given = f"{type_of(paths)}, whose order changes from run to run,"
        raise error(QueueCompatTypeError, "QC601", argument="paths", given=given, needed="sorted(paths)")
    return [os.fsdecode(path) for path in ([paths] if isinstance(paths, (str, bytes, os.PathLike)) else paths)]


def is_read_once(path: str) -> bool:
    """Whether *path* is a pipe or a device: opening it may block, and data that was read from it is gone."""
    try:
        kind = stat.S_IFMT(os.stat(path).st_mode)
    except (OSError, ValueError):
        return False  # not a local file: opening it will raise the right error
    return kind not in (stat.S_IFREG, stat.S_IFDIR)


class OpenFiles:
    """Files that are opened when they are first read, and closed with this object."""

    def __init__(self) -> None:
        self._open: Dict[str, int] = {}
        self._lock = threading.Lock()
        weakref.finalize(self, _close, self._open)

    def read(self, path: str, size: int, offset: int) -> bytes:
        """Returns *size* bytes from *offset* on; fewer at the end of the file."""
        with self._lock:
            if path not in self._open:
                self._open[path] = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
            file = self._open[path]
        return read_at(file, size, offset)

    def __reduce__(self) -> Any:
        return OpenFiles, ()


def _close(files: Dict[str, int]) -> None:
    for file in files.values():
        os.close(file)


_seeking = threading.Lock()


def read_at(file: int, size: int, offset: int) -> bytes:
    """Returns *size* bytes from *offset* on; fewer at the end of the file."""
    parts = []
    while size > 0:
        if hasattr(os, "pread"):
            part = os.pread(file, size, offset)
        else:  # Windows
            with _seeking:
                os.lseek(file, offset, os.SEEK_SET)
                part = os.read(file, size)
        if not part:
            break
        parts.append(part)
        size, offset = size - len(part), offset + len(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)
