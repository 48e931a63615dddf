"""A changed file: as a diff, or in the place of the old one.

Rule: at every moment there is either the old file or the new one. Line ends, encoding and the file's mode stay.
"""

from __future__ import annotations

import difflib
import os
import pathlib
import shutil
import tempfile
from typing import Iterator

__all__ = ["diff", "write"]

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


def write(path: pathlib.Path, content: bytes) -> None:
    """Puts *content* in the place of the file at *path*, or of the one that it links to."""
    path = pathlib.Path(os.path.realpath(path))
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        shutil.copymode(path, name)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise
