"""``queuecompat check``: every rule over every file."""

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

# Without one of these no rule but that of older names finds anything, and most files of a project have none.
_WORTH_A_LOOK = re.compile(r"tensorflow|tf_slim|queuecompat|\.\s*(batch|cache|make_\w+|map|shuffle)\s*\(")
# What is of a program with TensorFlow, and so is all that it imports.
_OF_TENSORFLOW = re.compile(r"tensorflow|tf_slim|queuecompat")


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
      is_part: whether there are findings that are left out; the others do not say what runs as it is.
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
        """All that is to be said, in the order of files and lines."""
        return sorted([*self.findings, *self.unread, *self.links])

    def selected(self, codes: Sequence[str]) -> Checked:
        """With those findings alone whose code begins with one of *codes*; what could not be read stays."""
        findings = [one for one in self.findings if one.code.startswith(tuple(codes))]
        return dataclasses.replace(self, findings=findings, is_part=len(findings) < len(self.findings))

    @property
    def exit_code(self) -> int:
        return UNREAD if self.unread else FOUND if self.findings else CLEAN


def check(paths: Sequence[str]) -> Checked:
    """Reads the files that *paths* mean, and runs none of them."""
    found = files(paths)
    return dataclasses.replace(_check(found.taken), links=found.links)


def check_source(source: Source) -> List[Finding]:
    """What all rules find in one source, in the order of its lines."""
    return sorted({found for rule in ORDER for found in rule(source)})


def _check(paths: Sequence[pathlib.Path]) -> Checked:
    read = 0
    findings: List[Finding] = []
    unread: List[Finding] = []
    packages: Dict[str, Tuple[str, str]] = {}
    shown: Dict[str, Facts] = {}
    documents: Dict[str, Document] = {}
    for path in Progress(paths):
        file = str(path)
        shown[file] = UNKNOWN  # also of what cannot be read: what imports it does so still
        try:
            documents[file] = opened(path)
            shown[file] = _facts(documents[file])
        except UnreadableError as problem:
            unread.append(problem.finding)
    brought = reexports({file: one.names for file, one in shown.items()})
    helpers = _helpers(documents, shown)
    for file in Progress(list(documents)):
        document = documents.pop(file)  # a syntax tree takes much more room than its text
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


def _facts(document: Document) -> Facts:
    """What a file shows without a syntax tree with all its spaces, which takes ten times as long."""
    try:
        text = document.text
    except UnreadableError:
        return UNKNOWN
    try:
        return facts(plain_tree(str(document.path), text))
    except UnreadableError:
        return facts_of_lines(text)


def _helpers(documents: Mapping[str, Document], shown: Mapping[str, Facts]) -> Set[str]:
    """The files that those with TensorFlow import, directly or not."""
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
    """What is found in a file that shows this, has these names from others, and *is_helper* of one with TensorFlow.

    Raises:
      UnreadableError: it is no Python.
    """
    is_worth = _WORTH_A_LOOK.search(document.text) or (is_helper and may_have_older_names(document.text))
    if not brought.by_module and not is_worth:
        if not shown.is_parsed:
            plain_tree(str(document.path), document.text)  # says why
        return []
    document.source.reexports = brought
    return [document.place(one) for one in check_source(document.source)]
