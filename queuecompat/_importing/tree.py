"""Decides which source files are the user's own, and which are a library's.

1. The user's are all files below the folders that the program starts from: the script's folder, PYTHONPATH, and the
   folders that ``--tree`` names. The target of a symbolic link in them counts as well.
2. So are files below folders that are added to ``sys.path`` (``sys.path.append``, ``site.addsitedir``) after the
   program has started.
3. Installed packages, and Python itself, are not, even if they lie below one of these folders: a virtual environment
   beside the script, or a folder that pip filled (``pip install --target``). In a folder that the program starts from,
   only what pip has recorded as installed there is excluded.
4. However, if a folder of rule 1 is inside an installed library, everything below it is the user's. So
   ``--tree .../site-packages/library`` declares that a library is written for TensorFlow 1, and
   ``--tree .../site-packages/library.py`` that one of a single module is.

By rule 2, a library that adds a folder outside of site-packages makes it the user's: a list does not record who added
an entry. Such libraries are rare.

In a TensorFlow 2 program that also has TensorFlow 1 files, there are two more kinds of ``Files``: the modules that a
block imports (``Imported``), and for each of these the files of its own tree (``OwnTree``).
"""

from __future__ import annotations

import contextlib
import csv
import functools
import os
import sys
from typing import FrozenSet, Iterable, List, Optional, Sequence, Tuple

from queuecompat.errors import QueueCompatImportError, error
from queuecompat.installed_files import as_folder, is_installed, is_installed_below, is_python

__all__ = ["RENAME", "Files", "Imported", "OwnTree", "Tree", "library_of"]

RENAME = "rename one of them, or move the TensorFlow 1 files into a package of their own"


class Files:
    """A set of source files.

    Attributes:
      roots: folders that are searched for modules before ``sys.path``.
    """

    roots: Sequence[str] = ()

    def has(self, path: str) -> bool:
        """Whether the source file *path* is one of them."""
        raise NotImplementedError

    def tree_of(self, path: str) -> Files:
        """Returns the files that a module of the file *path* may import."""
        return self


class Tree(Files):
    """The user's files: those below *folders*, or found through an entry of ``sys.path`` that is not in *at_start*."""

    def __init__(self, folders: Iterable[str], at_start: Iterable[str]) -> None:
        named = [form for folder in folders for form in _forms(folder)]
        self.folders: Tuple[str, ...] = tuple(dict.fromkeys(named))
        self.at_start: Tuple[str, ...] = tuple(dict.fromkeys(as_folder(folder) for folder in at_start))
        self._libraries = tuple(folder for folder in self.folders if _is_in_a_library(folder))

    @classmethod
    def of_program(cls, folder: str, more: Iterable[str]) -> Tree:
        """Returns the tree of a program in *folder* ("" is the current folder).

        Args:
          more: further folders, besides those of PYTHONPATH.
        """
        python_path = os.environ.get("PYTHONPATH", "").split(os.pathsep)
        return cls([folder or os.getcwd(), *more, *filter(None, python_path)], _AT_START)

    def has(self, path: str) -> bool:
        """Whether the source file *path* is the user's."""
        as_named = os.path.abspath(path)
        path = os.path.realpath(path)
        if any(path.startswith(folder) and not is_installed_below(folder, path) for folder in self._libraries):
            return True
        if is_installed(path):
            return False
        entry = _entry(path)
        if entry and _was_filled_by_pip(entry):
            first = path[len(entry) :].partition(os.sep)[0]
            if entry not in self.folders or first in _put_by_pip(entry):
                return False
        # A link in such a folder makes its target the program's as well: ``ln -s ../models/slim slim``.
        is_below = path.startswith(self.folders) or as_named.startswith(self.folders)
        return is_below or (bool(entry) and entry not in self.at_start)


class OwnTree(Tree):
    """The files below *folder*, where a TensorFlow 1 module was found, and below folders added to ``sys.path`` since.

    Args:
      is_searched: whether modules are also searched in *folder*, which may not be in ``sys.path``.
    """

    def __init__(self, folder: str, *, is_searched: bool) -> None:
        super().__init__([folder], [*sys.path, ""])
        self.roots = [os.path.realpath(folder)] if is_searched else []

    def require_own(self, name: str) -> None:
        """Raises if importing *name* in this tree would return a different, already imported module.

        Raises:
          QueueCompatImportError: QC514.
        """
        first = name.partition(".")[0]
        present = getattr(sys.modules.get(first), "__file__", None)
        if not present or is_python(present):
            return
        wanted = self._file(first)
        if wanted and os.path.realpath(present) != wanted:
            raise error(QueueCompatImportError, "QC514", wanted=wanted, name=first, present=present, instead=RENAME)

    def _file(self, first: str) -> Optional[str]:
        below = (os.path.join(root, first) for root in self.roots)
        files: List[str] = [file for path in below for file in (os.path.join(path, "__init__.py"), f"{path}.py")]
        return next((os.path.realpath(file) for file in files if os.path.exists(file)), None)


class Imported(Files):
    """All files that are not installed. The modules that such a file imports come from its own tree."""

    def has(self, path: str) -> bool:
        path = os.path.realpath(path)
        return not is_installed(path) and not _was_filled_by_pip(_entry(path) or os.path.dirname(path))

    def tree_of(self, path: str) -> Files:
        path = os.path.realpath(path)
        return OwnTree(_entry(path) or os.path.dirname(path), is_searched=False)


def _entry(path: str) -> str:
    """Returns the longest entry of ``sys.path`` that *path* is below; "" if there is none."""
    entries = (as_folder(entry) for entry in sys.path if isinstance(entry, str))
    return max((entry for entry in entries if path.startswith(entry)), key=len, default="")


def library_of(path: str) -> Optional[str]:
    """Returns what ``--tree`` names for the source file *path*: its top-level package's folder, or an installed module.

    None: it is neither in a package nor installed.
    """
    path = os.path.realpath(path)
    entry = _entry(path)
    first, inside, _ = path[len(entry) :].partition(os.sep)
    if not entry or is_python(path):
        return None
    return entry + first if inside or is_installed(path) or _was_filled_by_pip(entry) else None


def _forms(named: str) -> Tuple[str, str]:
    """Returns the path of a folder, or of a file, that ``--tree`` names, with links resolved and as it is named."""
    if os.path.isfile(named):
        return os.path.realpath(named), os.path.abspath(named)
    return as_folder(named), os.path.join(os.path.abspath(named), "")


def _is_in_a_library(folder: str) -> bool:
    """Whether *folder* belongs to an installed library, and is not a folder that libraries are installed into."""
    above = os.path.dirname(folder.rstrip(os.sep))
    return is_installed_below(os.sep, os.path.join(above, "")) or _was_filled_by_pip(above)


@functools.cache
def _was_filled_by_pip(folder: str) -> bool:
    return bool(_records(folder))


@functools.cache
def _put_by_pip(folder: str) -> FrozenSet[str]:
    """Returns the names in *folder* of files that pip installed, and of folders that contain some."""
    found = set()
    for record in _records(folder):
        with contextlib.suppress(OSError), open(record, encoding="utf-8", newline="") as file:
            found |= {row[0].partition("/")[0] for row in csv.reader(file) if row}
    return frozenset(found)


def _records(folder: str) -> List[str]:
    """Returns the files in which pip recorded what it installed into *folder*."""
    try:
        names = os.listdir(folder)
    except OSError:
        return []
    return [os.path.join(folder, name, "RECORD") for name in names if name.endswith(".dist-info")]


# The entries that Python itself and its .pth files added. The first entry is excluded: it is the folder of the started
# program, which may add it again as its own.
_AT_START = tuple(as_folder(entry) for entry in (sys.path if getattr(sys.flags, "safe_path", False) else sys.path[1:]))
