"""A file as its user keeps it: a Python file, or a notebook; its source goes out and comes back.

Rule: all that is not source comes back byte for byte.
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
      path: of the file.
      content: its bytes.
      text: what is to be looked at; ``source`` is the same, parsed.
      problems: parts of it that cannot be read; they are left as they are.
    """

    def __init__(self, path: pathlib.Path, content: bytes) -> None:
        self.path, self.content = path, content
        self.problems: List[Finding] = []
        self.text = self._python(decoded(str(path), content))

    @functools.cached_property
    def source(self) -> Source:
        """The text as a syntax tree.

        Raises:
          UnreadableError: it is no Python.
        """
        return parsed(str(self.path), self.text)

    def _python(self, text: str) -> str:
        return text

    def place(self, found: Finding) -> Finding:
        """A finding in the source as one in the file."""
        return found

    def with_source(self, text: str) -> bytes:
        """The file with *text* in place of its source."""
        return encoded(text, self.content)


class _NotebookDocument(Document):
    """A notebook: its code cells, one after the other, are its source."""

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
    """The file at *path*.

    Raises:
      UnreadableError: it is not there, is no plain file, no text, or no notebook.
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
