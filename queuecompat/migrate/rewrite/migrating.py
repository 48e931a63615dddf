"""``queuecompat migrate``: one rewrite over every file."""

from __future__ import annotations

import dataclasses
import pathlib
from typing import Iterator, List, Sequence

from queuecompat.migrate.findings import CLEAN, FOUND, UNREAD, Finding
from queuecompat.migrate.rewrite.targets import TARGETS
from queuecompat.migrate.source.documents import Document, opened
from queuecompat.migrate.source.files import files
from queuecompat.migrate.source.notebooks import BordersError
from queuecompat.migrate.source.parsing import UnreadableError
from queuecompat.migrate.source.progress import Progress

__all__ = ["Migrated", "exit_code", "migrate"]


@dataclasses.dataclass(frozen=True)
class Migrated:
    """One file.

    Attributes:
      path: of it.
      old: its bytes.
      new: its bytes as they should be; the same where there is nothing to do.
      left: what was left as it is, and why.
      unread: why it, or a cell of it, could not be read.
    """

    path: pathlib.Path
    old: bytes
    new: bytes
    left: Sequence[Finding] = ()
    unread: Sequence[Finding] = ()


def migrate(paths: Sequence[str], to: str) -> Iterator[Migrated]:
    """Each file that *paths* mean, rewritten; nothing is written yet.

    Args:
      to: a key of ``TARGETS``.
    """
    progress = Progress(files(paths))
    for path in progress:
        try:
            migrated = _migrated(opened(path), to)
        except UnreadableError as problem:
            migrated = Migrated(path, b"", b"", unread=[problem.finding])
        if migrated.old != migrated.new or migrated.left or migrated.unread:
            progress.clear()  # whoever takes it has something to print
        yield migrated


def _migrated(document: Document, to: str) -> Migrated:
    source = document.source
    rewritten = TARGETS[to](source)
    left: List[Finding] = [document.place(one) for one in rewritten.left]
    new = document.content
    if rewritten.text != source.text:
        try:
            new = document.with_source(rewritten.text)
        except BordersError:
            left = [document.place(source.found("QC745", source.tree.body[0]))]
    return Migrated(document.path, document.content, new, sorted(left), document.problems)


def exit_code(all_files: Sequence[Migrated]) -> int:
    """The same as of ``check``: what was left is something to find."""
    if any(one.unread for one in all_files):
        return UNREAD
    return FOUND if any(one.left for one in all_files) else CLEAN
