"""Which source files are the user's own, and which are a library's.

The user's are those below the folders that the program itself brings into the search path: the
script's folder and PYTHONPATH, and what ``--tree`` names. Whatever was installed, and Python itself,
is not, even where it lies below one of them (a virtual environment beside the script, say).
"""

from __future__ import annotations

import os
import sysconfig
from typing import Iterable, Tuple

__all__ = ["Tree"]

_INSTALLED = (f"{os.sep}site-packages{os.sep}", f"{os.sep}dist-packages{os.sep}")
_OURS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class Tree:
    """The user's files: those below *folders*."""

    def __init__(self, folders: Iterable[str]) -> None:
        self.folders: Tuple[str, ...] = tuple(dict.fromkeys(_folder(folder) for folder in folders))

    @classmethod
    def of_program(cls, folder: str, more: Iterable[str]) -> Tree:
        """Of a program in *folder* ("" is the current one); *more*: folders besides those of PYTHONPATH."""
        python_path = os.environ.get("PYTHONPATH", "").split(os.pathsep)
        return cls([folder or os.getcwd(), *more, *filter(None, python_path)])

    def has(self, path: str) -> bool:
        """Whether the source file *path* is the user's."""
        path = os.path.realpath(path)
        return (
            path.startswith(self.folders)
            and not path.startswith(_LIBRARIES)
            and not any(part in path for part in _INSTALLED)
        )


def _folder(path: str) -> str:
    return os.path.join(os.path.realpath(path), "")


# Python's own modules, and this package.
_LIBRARIES = tuple(_folder(path) for path in (sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib"), _OURS))
