"""Finds the file that an import refers to, among the files given to one command.

Rule 1: a module is searched only among the given files: first in the importing file's folder, then in the folders
        above.
Rule 2: a module that is in none of these may be in any other folder that the program has in ``sys.path``; it is the
        nearest file of that name, if there is only one.
"""

from __future__ import annotations

import os
from typing import Dict, Iterable, Iterator, List, NamedTuple, Optional

__all__ = ["ModuleFile", "ModuleFiles"]


class ModuleFile(NamedTuple):
    """A file that is a module.

    Attributes:
      file: the path as the user passed it.
      folder: the folder that must be in ``sys.path`` for the module's dotted name to be found.
    """

    file: str
    folder: str


class ModuleFiles:
    """Finds *files* by their module names."""

    def __init__(self, files: Iterable[str]) -> None:
        self._files = {os.path.splitext(os.path.abspath(file))[0]: file for file in files}
        self._by_name: Dict[str, List[str]] = {}
        for path in self._files:
            whole = os.path.dirname(path) if os.path.basename(path) == "__init__" else path
            self._by_name.setdefault(os.path.basename(whole), []).append(whole)

    def imported(self, importer: str, modules: Iterable[str]) -> List[ModuleFile]:
        """The files that are loaded when *importer* imports *modules*; each once, without *importer* itself."""
        found: List[ModuleFile] = []
        for module in modules:
            for name in _and_packages(module):
                one = self.find(importer, name)
                if one is not None and one.file != importer and one not in found:
                    found.append(one)
        return found

    def find(self, importer: str, module: str) -> Optional[ModuleFile]:
        """The file of *module*, spelled as in *importer*: a relative import has one leading dot per level."""
        dots = len(module) - len(module.lstrip("."))
        path = module[dots:].replace(".", os.sep)
        folder = os.path.dirname(os.path.abspath(importer))
        if dots:
            for _ in range(dots - 1):
                folder = os.path.dirname(folder)
            return self._below(folder, path, os.path.dirname(folder))
        while path:
            found = self._below(folder, path, folder)
            if found is not None:
                return found
            if folder == os.path.dirname(folder):
                return self._elsewhere(importer, path)
            folder = os.path.dirname(folder)
        return None

    def _elsewhere(self, importer: str, path: str) -> Optional[ModuleFile]:
        own = os.path.abspath(importer)
        found = [one for one in self._by_name.get(os.path.basename(path), ()) if one.endswith(os.sep + path)]
        near = [len(os.path.commonpath([one, own])) for one in found]
        if not found or near.count(max(near)) > 1:
            return None
        folder = found[near.index(max(near))][: -len(path) - 1]
        return self._below(folder, path, folder)

    def _below(self, folder: str, path: str, begins: str) -> Optional[ModuleFile]:
        whole = os.path.join(folder, path) if path else folder
        file = self._files.get(whole) or self._files.get(os.path.join(whole, "__init__"))
        return None if file is None else ModuleFile(file, begins)


def _and_packages(module: str) -> Iterator[str]:
    """Yields ``a.b.c``, ``a.b`` and ``a``, because an import loads all of them."""
    while module.strip("."):
        yield module
        module = module.rpartition(".")[0] if "." in module.lstrip(".") else ""
