"""Which files the user's paths mean.

A file is taken as it is, whatever its name. Of a folder, ``*.py`` and ``*.ipynb`` below it are taken, in the order of
their names, without hidden folders, virtual environments and installed packages.
"""

from __future__ import annotations

import os
import pathlib
from typing import Iterator, List, Sequence

__all__ = ["files"]

_SUFFIXES = (".py", ".ipynb")
_LEFT_OUT = {"__pycache__", "node_modules", "site-packages"}


def files(paths: Sequence[str]) -> Iterator[pathlib.Path]:
    """The files, each once; a path that is nowhere comes as it is, for whoever opens it to say so."""
    seen = set()
    for path in paths:
        for found in _below(pathlib.Path(path)):
            if found not in seen:
                seen.add(found)
                yield found


def _below(path: pathlib.Path) -> Iterator[pathlib.Path]:
    if not path.is_dir():
        yield path
        return
    for folder, folders, names in os.walk(path):
        folders[:] = sorted(name for name in folders if not _is_left_out(folder, name))
        yield from (pathlib.Path(folder, name) for name in _wanted(names))


def _wanted(names: Sequence[str]) -> List[str]:
    return sorted(name for name in names if name.endswith(_SUFFIXES) and not name.startswith("."))


def _is_left_out(folder: str, name: str) -> bool:
    return name.startswith(".") or name in _LEFT_OUT or os.path.exists(os.path.join(folder, name, "pyvenv.cfg"))
