"""Changed files: as diffs, or in the places of the old ones.

Rule 1: at every moment there is either the old file or the new one. Line ends, encoding and the file's mode stay.
Rule 2: files that are one program change together: where one cannot be written, none is.
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
    """The unified diff from *old* to *new*, as ``patch -p1`` takes it; "" where they are the same."""
    before, after = old.splitlines(keepends=True), new.splitlines(keepends=True)
    name = path.as_posix().lstrip("/")
    lines = difflib.unified_diff(before, after, f"a/{name}", f"b/{name}")
    return "".join(_ended(lines))


def _ended(lines: Iterator[str]) -> Iterator[str]:
    for line in lines:
        yield line if line.endswith("\n") else f"{line}\n{_NO_NEWLINE}\n"


class Staging:
    """Files that are changed together: all new contents are on the disk before the first one takes its place.

    Within ``with``; without ``commit()``, and after an error, nothing of it stays.
    """

    def __init__(self) -> None:
        self._waiting: List[Tuple[str, pathlib.Path]] = []

    def __enter__(self) -> Staging:
        return self

    def __exit__(self, *_: object) -> None:
        for name, _path in self._waiting:
            os.unlink(name)

    def add(self, path: pathlib.Path, content: bytes) -> None:
        """Writes *content* beside the file at *path*, or beside the one that it links to.

        Raises:
          OSError: there is no room for it, or it may not be written there.
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
        """Puts each in the place of its file."""
        while self._waiting:
            os.replace(*self._waiting[0])
            del self._waiting[0]
