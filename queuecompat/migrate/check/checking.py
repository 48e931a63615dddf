"""``queuecompat check``: runs every rule over every file."""

from __future__ import annotations

import dataclasses
import pathlib
import re
from typing import Dict, List, Mapping, Sequence, Set, Tuple

from queuecompat.migrate.analysis.module_files import ModuleFiles
from queuecompat.migrate.analysis.older_names import may_have_older_names
from queuecompat.migrate.analysis.reexports import reexports
from queuecompat.migrate.check.packages import needs
from queuecompat.migrate.check.rules import ORDER
from queuecompat.migrate.check.starts import UNKNOWN, Facts, Start, facts, facts_of_lines, starts
from queuecompat.migrate.findings import CLEAN, FOUND, UNREAD, Finding
from queuecompat.migrate.source.documents import Document, opened
from queuecompat.migrate.source.files import files
from queuecompat.migrate.source.names import Reexports
from queuecompat.migrate.source.parsing import Source, UnreadableError, plain_tree
from queuecompat.migrate.source.progress import Progress

__all__ = ["Checked", "check", "check_source"]

# No rule except the one for older names finds anything in a file without one of these, which most files lack.
_WORTH_A_LOOK = re.compile(r"tensorflow|tf_slim|queuecompat|\.\s*(batch|cache|make_\w+|map|shuffle)\s*\(")
# A file that matches is part of a program that uses TensorFlow, and so is every file that it imports.
_OF_TENSORFLOW = re.compile(r"tensorflow|tf_slim|queuecompat")


@dataclasses.dataclass(frozen=True)
class Checked:
    """The result of ``check``.

    Attributes:
      read: how many files were read completely.
      findings: what the rules found, in the order of files and lines.
      unread: findings about files, or cells of notebooks, that could not be read.
      links: findings about symbolic links that were not followed.
      starts: the files that a user starts.
      packages: further packages that must be installed, each with a name that needs it and that name's file.
      is_part: whether some findings are left out. The others then do not tell which files run unchanged.
    """

    read: int
    findings: Sequence[Finding]
    unread: Sequence[Finding]
    links: Sequence[Finding] = ()
    starts: Sequence[Start] = ()
    packages: Mapping[str, Tuple[str, str]] = dataclasses.field(default_factory=dict)
    is_part: bool = False

    @property
    def everything(self) -> Sequence[Finding]:
        """All findings, also about unread files and links, in the order of files and lines."""
        return sorted([*self.findings, *self.unread, *self.links])

    def selected(self, codes: Sequence[str]) -> Checked:
        """A copy with only the findings whose code begins with one of *codes*; what could not be read is kept."""
        findings = [one for one in self.findings if one.code.startswith(tuple(codes))]
        return dataclasses.replace(self, findings=findings, is_part=len(findings) < len(self.findings))

    @property
    def exit_code(self) -> int:
        return UNREAD if self.unread else FOUND if self.findings else CLEAN


def check(paths: Sequence[str]) -> Checked:
    """Checks the files that *paths* refer to, without running any of them."""
    found = files(paths)
    return dataclasses.replace(_check(found.taken), links=found.links)


def check_source(source: Source) -> List[Finding]:
    """What all rules find in one source, in the order of its lines."""
    return sorted({found for rule in ORDER for found in rule(source)})


def _check(paths: Sequence[pathlib.Path]) -> Checked:
    read = 0
    findings: List[Finding] = []
    packages: Dict[str, Tuple[str, str]] = {}
    documents, shown, unread = _opened(paths)
    brought = reexports({file: one.names for file, one in shown.items()})
    helpers = _helpers(documents, shown)
    for file in Progress(list(documents)):
        document = documents.pop(file)  # popped to free its syntax tree, which takes much more memory than the text
        try:
            found = _found(document, shown[file], brought[file], file in helpers)
            if found:
                for need in needs(document.source):
                    packages.setdefault(need.package, (need.name, file))
        except UnreadableError as problem:
            unread.append(problem.finding)
            continue
        findings += found
        unread += document.problems
        read += not document.problems
    programs = {file: one for file, one in shown.items() if not file.endswith(".ipynb")}
    return Checked(read, findings, unread, starts=starts(programs), packages=packages)


def _opened(paths: Sequence[pathlib.Path]) -> Tuple[Dict[str, Document], Dict[str, Facts], List[Finding]]:
    """Opens all files.

    Returns:
      The documents of those that can be opened; the facts about every file; a finding for each of the others.
    """
    documents: Dict[str, Document] = {}
    shown: Dict[str, Facts] = {}
    unread: List[Finding] = []
    for path in Progress(paths):
        file = str(path)
        shown[file] = UNKNOWN  # also kept for unreadable files, so that imports of them still resolve
        try:
            documents[file] = opened(path)
            shown[file] = _facts(documents[file])
        except UnreadableError as problem:
            unread.append(problem.finding)
    return documents, shown, unread


def _facts(document: Document) -> Facts:
    """The facts about a file that need no libcst tree; building one takes ten times as long."""
    try:
        text = document.text
    except UnreadableError:
        return UNKNOWN
    try:
        return facts(plain_tree(str(document.path), text))
    except UnreadableError:
        return facts_of_lines(text)


def _helpers(documents: Mapping[str, Document], shown: Mapping[str, Facts]) -> Set[str]:
    """The files that are imported, directly or indirectly, by files that use TensorFlow."""
    modules = ModuleFiles(shown)
    waiting = [file for file, one in documents.items() if _OF_TENSORFLOW.search(one.text)]
    found: Set[str] = set()
    while waiting:
        file = waiting.pop()
        new = {one.file for one in modules.imported(file, shown[file].names.modules)} - found
        found |= new
        waiting += new
    return found


def _found(document: Document, shown: Facts, brought: Reexports, is_helper: bool) -> List[Finding]:
    """The findings in one file.

    Args:
      document: the file.
      shown: what is known about it from Python's own tree.
      brought: the names of TensorFlow that it gets from other files.
      is_helper: whether a file that uses TensorFlow imports it.

    Raises:
      UnreadableError: it is not valid Python.
    """
    is_worth = _WORTH_A_LOOK.search(document.text) or (is_helper and may_have_older_names(document.text))
    if not brought.by_module and not is_worth:
        if not shown.is_parsed:
            plain_tree(str(document.path), document.text)  # raises the error that says why
        return []
    document.source.reexports = brought
    return [document.place(one) for one in check_source(document.source)]
