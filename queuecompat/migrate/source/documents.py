"""A file as the user keeps it, a Python file or a notebook: extracts its source and puts changed source back.

Rule: everything that is not source is preserved byte for byte.
"""

from __future__ import annotations

import dataclasses
import functools
import os
import pathlib
import stat
from typing import List

from queuecompat.migrate.findings import Finding, finding
from queuecompat.migrate.source.notebooks import Notebook
from queuecompat.migrate.source.parsing import Source, UnreadableError, decoded, encoded, parsed

__all__ = ["Document", "opened"]

_NO_FILES = {
    stat.S_IFIFO: "a named pipe", stat.S_IFSOCK: "a socket", stat.S_IFCHR: "a device", stat.S_IFBLK: "a device",
}  # fmt: skip


class Document:
    """A Python file.

    Attributes:
      path: the path of the file.
      content: its bytes.
      text: its Python code; ``source`` is the same, parsed.
      problems: findings about parts that cannot be read; these parts stay unchanged.
    """

    def __init__(self, path: pathlib.Path, content: bytes) -> None:
        self.path, self.content = path, content
        self.problems: List[Finding] = []
        self.text = self._python(decoded(str(path), content))

    @functools.cached_property
    def source(self) -> Source:
        """The text as a syntax tree.

        Raises:
          UnreadableError: the text is not valid Python.
        """
        return parsed(str(self.path), self.text)

    def _python(self, text: str) -> str:
        return text

    def place(self, found: Finding) -> Finding:
        """Converts a finding's position in the source to its position in the file."""
        return found

    def with_source(self, text: str) -> bytes:
        """The bytes of the file with *text* in place of its source."""
        return encoded(text, self.content)


class _NotebookDocument(Document):
    """A notebook: its source is the concatenation of its code cells."""

    def _python(self, text: str) -> str:
        self._notebook = Notebook(str(self.path), text)
        self.problems += self._notebook.problems
        return self._notebook.source

    def place(self, found: Finding) -> Finding:
        cell, line = self._notebook.place(found.line)
        return dataclasses.replace(found, line=self._notebook.json_line(cell, line), where=f"cell {cell}, line {line}")

    def with_source(self, text: str) -> bytes:
        return encoded(self._notebook.with_source(text), self.content)


def opened(path: pathlib.Path) -> Document:
    """Reads the file at *path*.

    Raises:
      UnreadableError: it does not exist, is not a regular file, not text, or not a notebook.
    """
    try:
        # Reading a named pipe that has no writer would block forever.
        kind = stat.S_IFMT(os.stat(path).st_mode)
        if kind in _NO_FILES:
            raise UnreadableError(finding("QC733", str(path), 1, 1, problem=f"it is {_NO_FILES[kind]}"))
        content = path.read_bytes()
    except OSError as problem:
        raise UnreadableError(finding("QC733", str(path), 1, 1, problem=problem.strerror or problem)) from None
    return (_NotebookDocument if path.suffix == ".ipynb" else Document)(path, content)
