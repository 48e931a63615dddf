"""Which source files are the user's own, and which are a library's.

1. The user's are those below the folders that start the program: the script's folder and PYTHONPATH, and what
   ``--tree`` names.
2. So are those of the folders that are added to ``sys.path`` (``sys.path.append``, ``site.addsitedir``) after
   the program has started.
3. What was installed, and Python itself, is not, even where it lies below one of them: a virtual environment
   beside the script, or a folder that pip filled (``pip install --target``).

By rule 2 a library that prepares a folder outside site-packages makes it the user's. Lists have no memory of who
added to them, and such libraries are rare.
"""

from __future__ import annotations

import functools
import os
import sys
import sysconfig
from typing import Iterable, Tuple

__all__ = ["Tree"]

_INSTALLED = (f"{os.sep}site-packages{os.sep}", f"{os.sep}dist-packages{os.sep}")
_OURS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class Tree:
    """The user's files: those below *folders*, and those found through an entry of ``sys.path`` not in *at_start*."""

    def __init__(self, folders: Iterable[str], at_start: Iterable[str]) -> None:
        self.folders: Tuple[str, ...] = tuple(dict.fromkeys(_folder(folder) for folder in folders))
        self.at_start: Tuple[str, ...] = tuple(dict.fromkeys(_folder(folder) for folder in at_start))

    @classmethod
    def of_program(cls, folder: str, more: Iterable[str]) -> Tree:
        """Of a program in *folder* ("" is the current one); *more*: folders besides those of PYTHONPATH."""
        python_path = os.environ.get("PYTHONPATH", "").split(os.pathsep)
        return cls([folder or os.getcwd(), *more, *filter(None, python_path)], _AT_START)

    def has(self, path: str) -> bool:
        """Whether the source file *path* is the user's."""
        path = os.path.realpath(path)
        if path.startswith(_LIBRARIES) or any(part in path for part in _INSTALLED):
            return False
        entry = self._entry(path)
        if entry and _was_filled_by_pip(entry) and entry not in self.folders:
            return False
        return path.startswith(self.folders) or (bool(entry) and entry not in self.at_start)

    def _entry(self, path: str) -> str:
        """The entry of ``sys.path`` that *path* is below, the nearest of several; "" if there is none."""
        entries = (_folder(entry) for entry in sys.path if isinstance(entry, str))
        return max((entry for entry in entries if path.startswith(entry)), key=len, default="")


@functools.cache
def _was_filled_by_pip(folder: str) -> bool:
    try:
        return any(name.endswith(".dist-info") for name in os.listdir(folder))
    except OSError:
        return False


def _folder(path: str) -> str:
    return os.path.join(os.path.realpath(path), "")


# Python's own modules, and this package.
_LIBRARIES = tuple(_folder(path) for path in (sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib"), _OURS))
# What Python itself and its .pth files put there. The first entry is the folder of whatever was started, which a
# program may add again as its own.
_AT_START = tuple(_folder(entry) for entry in (sys.path if getattr(sys.flags, "safe_path", False) else sys.path[1:]))
