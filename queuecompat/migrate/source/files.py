"""Which files the user's paths mean.

A file is taken as it is, whatever its name. Of a folder, ``*.py`` and ``*.ipynb`` below it are taken, in the order of
their names, without hidden folders, environments, installed packages, and what tools have built.
"""

from __future__ import annotations

import os
import pathlib
from typing import Iterator, List, Sequence

__all__ = ["files"]

_SUFFIXES = (".py", ".ipynb")
_LEFT_OUT = {"__pycache__", "__pypackages__", "node_modules", "site-packages"}
# What setuptools builds into, in the folder of a project; elsewhere it may be a package of that name.
_BUILT = {"build", "dist"}
_PROJECT = ("setup.py", "pyproject.toml", "setup.cfg")
# What an environment has at its top: of venv and virtualenv, of conda, of virtualenv of 2017.
_ENVIRONMENT = ("pyvenv.cfg", "conda-meta", os.path.join("bin", "activate_this.py"))


def files(paths: Sequence[str]) -> Iterator[pathlib.Path]:
    """The files, each once; a path that does not exist is among them: opening it says so."""
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
    if name.startswith(".") or name in _LEFT_OUT or name.endswith(".egg-info"):
        return True
    if name in _BUILT and any(os.path.exists(os.path.join(folder, one)) for one in _PROJECT):
        return True
    return any(os.path.exists(os.path.join(folder, name, one)) for one in _ENVIRONMENT)
