"""``queuecompat check``: every rule over every file."""

from __future__ import annotations

import dataclasses
import pathlib
import re
from typing import Dict, Iterable, List, Mapping, Sequence, Tuple

from queuecompat.migrate.check.packages import needs
from queuecompat.migrate.check.rules import ORDER
from queuecompat.migrate.check.starts import UNKNOWN, Facts, Start, facts, starts
from queuecompat.migrate.findings import CLEAN, FOUND, UNREAD, Finding
from queuecompat.migrate.source.documents import Document, opened
from queuecompat.migrate.source.files import files
from queuecompat.migrate.source.parsing import Source, UnreadableError, plain_tree
from queuecompat.migrate.source.progress import Progress

__all__ = ["Checked", "check", "check_source"]

# Without one of these no rule finds anything, and most files of a project have none.
_WORTH_A_LOOK = re.compile(r"tensorflow|tf_slim|queuecompat|\.\s*(batch|cache|make_\w+|map|shuffle)\s*\(")


@dataclasses.dataclass(frozen=True)
class Checked:
    """What came out.

    Attributes:
      read: how many files were read, all of each.
      findings: what the rules found, in the order of files and lines.
      unread: files, or cells of notebooks, that could not be read, and why.
      links: symbolic links that were not followed.
      starts: the files that a user starts.
      packages: those that have to be installed besides, and a name and a file that need each.
    """

    read: int
    findings: Sequence[Finding]
    unread: Sequence[Finding]
    links: Sequence[Finding] = ()
    starts: Sequence[Start] = ()
    packages: Mapping[str, Tuple[str, str]] = dataclasses.field(default_factory=dict)

    @property
    def everything(self) -> Sequence[Finding]:
        """All that is to be said, in the order of files and lines."""
        return sorted([*self.findings, *self.unread, *self.links])

    def selected(self, codes: Sequence[str]) -> Checked:
        """With those findings alone whose code begins with one of *codes*; what could not be read stays."""
        findings = [one for one in self.findings if one.code.startswith(tuple(codes))]
        return dataclasses.replace(self, findings=findings)

    @property
    def exit_code(self) -> int:
        return UNREAD if self.unread else FOUND if self.findings else CLEAN


def check(paths: Sequence[str]) -> Checked:
    """Reads the files that *paths* mean, and runs none of them."""
    found = files(paths)
    return dataclasses.replace(_check(Progress(found.taken)), links=found.links)


def check_source(source: Source) -> List[Finding]:
    """What all rules find in one source, in the order of its lines."""
    return sorted({found for rule in ORDER for found in rule(source)})


def _check(paths: Iterable[pathlib.Path]) -> Checked:
    read = 0
    findings: List[Finding] = []
    unread: List[Finding] = []
    files_facts: Dict[str, Facts] = {}
    packages: Dict[str, Tuple[str, str]] = {}
    for path in paths:
        try:
            document = opened(path)
            found, shown = _read(document)
            if found:
                for need in needs(document.source):
                    packages.setdefault(need.package, (need.name, str(path)))
        except UnreadableError as problem:
            unread.append(problem.finding)
            files_facts[str(path)] = UNKNOWN  # what imports it does so still
            continue
        findings += found
        unread += document.problems
        read += not document.problems
        if path.suffix != ".ipynb":
            files_facts[str(path)] = shown
    return Checked(read, findings, unread, starts=starts(files_facts), packages=packages)


def _read(document: Document) -> Tuple[List[Finding], Facts]:
    """What is found in a file, and what its start depends on."""
    if not _WORTH_A_LOOK.search(document.text):
        # Whether it is Python at all takes a small part of the time of a syntax tree with all its spaces.
        return [], facts(plain_tree(str(document.path), document.text))
    found = [document.place(one) for one in check_source(document.source)]
    try:
        return found, facts(plain_tree(str(document.path), document.text))
    except UnreadableError:  # written for a newer Python than this one
        return found, UNKNOWN
