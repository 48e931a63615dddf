"""Writes changed files, as diffs or in place of the old files.

Rule 1: at every moment a path holds either the old file or the new one. Line ends, encoding and file mode are kept.
Rule 2: the files of a program change together: if one cannot be written, none is.
"""

from __future__ import annotations

import difflib
import os
import pathlib
import shutil
import tempfile
from typing import Iterator, List, Tuple

__all__ = ["Staging", "diff"]

_NO_NEWLINE = "\\ No newline at end of file"


def diff(path: pathlib.Path, old: str, new: str) -> str:
    """The unified diff from *old* to *new*, in the form that ``patch -p1`` accepts; "" if they are equal."""
    before, after = old.splitlines(keepends=True), new.splitlines(keepends=True)
    name = path.as_posix().lstrip("/")
    lines = difflib.unified_diff(before, after, f"a/{name}", f"b/{name}")
    return "".join(_ended(lines))


def _ended(lines: Iterator[str]) -> Iterator[str]:
    for line in lines:
        yield line if line.endswith("\n") else f"{line}\n{_NO_NEWLINE}\n"


class Staging:
    """Files that change together: all new contents are on disk before the first one replaces its file.

    Use it in a ``with`` block. Without ``commit()``, or after an error, the temporary files are removed.
    """

    def __init__(self) -> None:
        self._waiting: List[Tuple[str, pathlib.Path]] = []

    def __enter__(self) -> Staging:
        return self

    def __exit__(self, *_: object) -> None:
        for name, _path in self._waiting:
            os.unlink(name)

    def add(self, path: pathlib.Path, content: bytes) -> None:
        """Writes *content* to a temporary file next to the file at *path*, or next to the target of a symbolic link.

        Raises:
          OSError: the disk is full, or the folder is not writable.
        """
        path = pathlib.Path(os.path.realpath(path))
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        self._waiting.append((name, path))
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        shutil.copymode(path, name)

    def commit(self) -> None:
        """Moves each temporary file to its final path."""
        while self._waiting:
            os.replace(*self._waiting[0])
            del self._waiting[0]
