"""``queuecompat migrate``: rewrites all files of a program for one target."""

from __future__ import annotations

import contextlib
import dataclasses
import pathlib
import re
from typing import Dict, Iterable, Iterator, List, Sequence, Set, Union

from queuecompat.migrate.analysis.older_names import may_have_older_names
from queuecompat.migrate.analysis.tf1_files import needs_tf1_names, shows_tf1, use_of_tensorflow_2
from queuecompat.migrate.findings import CLEAN, FOUND, UNREAD, Finding
from queuecompat.migrate.rewrite.input_functions import has_decorated
from queuecompat.migrate.rewrite.kept_sessions import imports_v1
from queuecompat.migrate.rewrite.rewritten import Rewritten
from queuecompat.migrate.rewrite.together import rewritten_together
from queuecompat.migrate.source.documents import Document, opened
from queuecompat.migrate.source.files import files
from queuecompat.migrate.source.notebooks import BordersError
from queuecompat.migrate.source.parsing import Source, UnreadableError, plain_tree
from queuecompat.migrate.source.progress import Progress

__all__ = ["Migrated", "exit_code", "migrate"]


# A file that does not match is parsed only if it names the module of a file that does.
_NAMED = re.compile(r"tensorflow|tf_slim|queuecompat")
_IMPORTING = re.compile("import_module|__import__")
_DECORATOR = re.compile(r"^[ \t]*@(?:\w+\.)*(\w+)", re.MULTILINE)


@dataclasses.dataclass(frozen=True)
class Migrated:
    """The result for one file.

    Attributes:
      path: the path of the file.
      old: its bytes.
      new: its bytes after the rewrite; equal to *old* if nothing changes.
      left: findings about what was left unchanged, with the reasons.
      unread: findings about the file, or a cell of it, that could not be read.
      is_comment: whether the only change is a comment.
      runs_alone: whether its programs run without a command of queuecompat, because its input functions are decorated
        or it imports queuecompat.v1, after this rewrite or an earlier one.
      stays_tf1: whether it still needs TensorFlow 1 although nothing was rewritten or reported, as it has no pipeline.
      links: the finding about it if it is a symbolic link that was not followed.
    """

    path: pathlib.Path
    old: bytes
    new: bytes
    left: Sequence[Finding] = ()
    unread: Sequence[Finding] = ()
    is_comment: bool = False
    runs_alone: bool = False
    stays_tf1: bool = False
    links: Sequence[Finding] = ()


def migrate(paths: Sequence[str], to: str) -> Iterator[Migrated]:
    """Rewrites each file that *paths* refer to, as a part of the program that they form; writes nothing to disk.

    Args:
      to: a key of ``TARGETS``.
    """
    found = files(paths)
    opened_files = list(_opened(Progress(found.taken)))
    sources = _sources([one for one in opened_files if isinstance(one, Document)])
    results = rewritten_together(list(sources.values()), to)
    across = {sources[one] for one in sources if _moves_code(one, results[sources[one]])}
    if across:
        results = rewritten_together(list(sources.values()), to, across)
    for one in opened_files:
        if isinstance(one, Migrated):
            yield one
        elif one in sources:
            yield _migrated(one, results[sources[one]])
        else:
            yield Migrated(one.path, one.content, one.content, unread=one.problems)
    for link in found.links:
        yield Migrated(pathlib.Path(link.file), b"", b"", links=[link])


def _sources(documents: Sequence[Document]) -> Dict[Document, Source]:
    """The syntax trees of files that name TensorFlow, have older names, or name a module of such a file."""
    naming = {one for one in documents if _NAMED.search(one.text) or may_have_older_names(one.text)}
    before = 0
    while before != len(naming):
        before = len(naming)
        modules = sorted({re.escape(_module(one.path)) for one in naming})
        users = re.compile(rf"\b({'|'.join(modules)})\b")
        naming |= {one for one in documents if one not in naming and users.search(one.text)}
        packages = sorted({re.escape(one.path.parent.name) for one in naming})
        of_packages = re.compile(rf"\b({'|'.join(packages)})\b")
        naming |= {one for one in documents if _IMPORTING.search(one.text) and of_packages.search(one.text)}
    naming |= _making_decorators(documents, naming)
    found: Dict[Document, Source] = {}
    for one in documents:
        if one in naming:
            with contextlib.suppress(UnreadableError):  # raised for a file that Python parses but libcst does not
                found[one] = one.source
    return found


def _making_decorators(documents: Sequence[Document], naming: Set[Document]) -> Set[Document]:
    """Those of *documents* that define a function named like a decorator in one of the files *naming* TensorFlow."""
    names = sorted({name for one in naming for name in _DECORATOR.findall(one.text)})
    made = re.compile(rf"^\s*def ({'|'.join(names)})\b", re.MULTILINE)
    return {one for one in documents if names and made.search(one.text)}


def _opened(paths: Iterable[pathlib.Path]) -> Iterator[Union[Document, Migrated]]:
    """The documents; for a file that cannot be read, its result with the reason."""
    for path in paths:
        try:
            document = opened(path)
            if _NAMED.search(document.text):
                document.source  # noqa: B018  # parsed here, for what cannot be parsed is said like all else
            else:
                plain_tree(str(path), document.text)
            yield document
        except UnreadableError as problem:
            yield Migrated(path, b"", b"", unread=[problem.finding])


def _module(path: pathlib.Path) -> str:
    """The last part of the module's name."""
    return path.parent.name if path.stem == "__init__" else path.stem


def _moves_code(document: Document, rewritten: Rewritten) -> bool:
    """Whether the rewrite moves code from one cell of a notebook to another."""
    try:
        document.with_source(rewritten.text)
    except BordersError:
        return True
    return False


def _migrated(document: Document, rewritten: Rewritten) -> Migrated:
    source = document.source
    left: List[Finding] = [document.place(one) for one in rewritten.left]
    new = document.content
    if rewritten.text != source.text:
        try:
            new = document.with_source(rewritten.text)
        except BordersError:
            left = [document.place(source.found("QC745", source.tree.body[0]))]
    is_comment = rewritten.is_comment and new != document.content
    # The new text is parsed only if the summary needs it.
    written = source.again(rewritten.text) if left and rewritten.text != source.text else source
    runs_alone = imports_v1(written) or has_decorated(written)
    stays_tf1 = not left and new == document.content and not runs_alone and _needs_tf1(source)
    return Migrated(
        document.path, document.content, new, sorted(left), document.problems, is_comment, runs_alone, stays_tf1
    )


def _needs_tf1(source: Source) -> bool:
    """Whether *source* fails on TensorFlow 2 unchanged, and ``--to v1`` would change it."""
    return needs_tf1_names(source) and shows_tf1(source) and use_of_tensorflow_2(source) is None


def exit_code(all_files: Sequence[Migrated]) -> int:
    """The exit code, as for ``check``: whatever was left unchanged counts as a finding."""
    if any(one.unread for one in all_files):
        return UNREAD
    return FOUND if any(one.left for one in all_files) else CLEAN
