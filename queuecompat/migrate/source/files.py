"""Finds the files that the user's paths refer to.

A file is taken whatever its name. Of a folder, all ``*.py`` and ``*.ipynb`` files below it are taken, in the order of
their names, except in hidden folders, environments, installed packages and build output. A symbolic link that leads
outside all given paths is reported and not followed, because its target may belong to another program.
"""

from __future__ import annotations

import os
import pathlib
from typing import Iterator, List, NamedTuple, Sequence

from queuecompat.migrate.findings import Finding, finding

__all__ = ["Files", "files", "is_test", "path_from"]

_SUFFIXES = (".py", ".ipynb")
_LEFT_OUT = {"__pycache__", "__pypackages__", "node_modules", "site-packages"}
# setuptools builds into these, in a project's folder; elsewhere they may be packages of that name.
_BUILT = {"build", "dist"}
_PROJECT = ("setup.py", "pyproject.toml", "setup.cfg")
# What an environment has at its top level: of venv and virtualenv, of conda, of virtualenv of 2017.
_ENVIRONMENT = ("pyvenv.cfg", "conda-meta", os.path.join("bin", "activate_this.py"))


class Files(NamedTuple):
    """The files that the given paths refer to.

    Attributes:
      taken: the files, each once; includes paths that do not exist, which are reported when they are opened.
      links: findings about symbolic links that lead elsewhere and were not followed.
    """

    taken: List[pathlib.Path]
    links: List[Finding]


def is_test(file: str) -> bool:
    """Whether *file* has a name that test runners look for."""
    name = os.path.splitext(os.path.basename(file))[0]
    return name.startswith("test_") or name.endswith("_test")


def files(paths: Sequence[str]) -> Files:
    """The files that *paths* refer to."""
    given = [os.path.realpath(path) for path in paths]
    found = list(dict.fromkeys(one for path in paths for one in _below(pathlib.Path(path))))
    named = {pathlib.Path(path) for path in paths}
    links = [one for one in found if one not in named and one.is_symlink() and _leads_out(one, given)]
    taken = [one for one in found if one not in links and (one in named or not one.is_dir())]
    return Files(taken, [finding("QC734", str(one), 1, 1, target=os.path.realpath(one)) for one in links])


def _leads_out(link: pathlib.Path, given: Sequence[str]) -> bool:
    """Whether the target of *link* is neither one of the *given* paths nor below one."""
    target = os.path.realpath(link)
    return os.path.exists(target) and not any(target == one or target.startswith(one + os.sep) for one in given)


def _below(path: pathlib.Path) -> Iterator[pathlib.Path]:
    """The files below a folder, and its links to other folders; for any other path, *path* itself."""
    if not path.is_dir():
        yield path
        return
    for folder, folders, names in os.walk(path):
        folders[:] = sorted(name for name in folders if not _is_left_out(folder, name))
        links = [name for name in folders if os.path.islink(os.path.join(folder, name))]
        yield from (pathlib.Path(folder, name) for name in sorted([*_wanted(names), *links]))


def _wanted(names: Sequence[str]) -> List[str]:
    return sorted(name for name in names if name.endswith(_SUFFIXES) and not name.startswith("."))


def _is_left_out(folder: str, name: str) -> bool:
    if name.startswith(".") or name in _LEFT_OUT or name.endswith(".egg-info"):
        return True
    if name in _BUILT and any(os.path.exists(os.path.join(folder, one)) for one in _PROJECT):
        return True
    return any(os.path.exists(os.path.join(folder, name, one)) for one in _ENVIRONMENT)


def path_from(file: str, other: str) -> str:
    """The path of the file *other*, from the folder of *file*."""
    folder = os.path.dirname(os.path.abspath(file))
    return os.path.relpath(os.path.abspath(other), folder).replace(os.sep, "/")
