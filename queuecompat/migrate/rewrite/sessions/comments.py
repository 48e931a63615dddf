"""Decides what happens to the comments of removed statements.

Rule 1: a comment about sessions, threads, queues or initializers, directly above such a statement or on its lines, is
        removed with it, and so is a comment for tools.
Rule 2: all other comments move above the next statement that stays, comments on its lines each on a line of their own.
        TODO marks are kept, and so is a comment that is longer than a description.
"""

from __future__ import annotations

import itertools
import re
from typing import Any, List, Sequence

import libcst as cst
from libcst import matchers

__all__ = ["comments_in", "comments_of", "ending", "led", "led_below_blanks", "lost", "without_empty"]

# The beginning of comments that an earlier rewrite left about what it could not rewrite.
_MARK = "# queuecompat: QC"
_OF_PLUMBING = re.compile(
    r"\b(coord|coordinat\w*|graphs?|init|initiali[sz]\w*|queues?|queue_?runners?|runners?|sess(ion)?s?|threads?)\b",
    re.I,
)
_TO_BE_DONE = re.compile(r"\b(FIXME|HACK|NOTE|TODO|XXX)\b")
_FOR_TOOLS = re.compile(r"#\s*(fmt|isort|mypy|noqa|nosec|pragma|pyformat|pylint|type|yapf)\b")
_MOST_LINES = 4  # lines of a description


def comments_of(one: Any) -> List[cst.EmptyLine]:
    """The comments of *one*, a statement or the head of a block, that are kept; without empty lines."""
    above = list(one.leading_lines)
    begin = max((place + 1 for place, line in enumerate(above) if line.comment is None), default=0)
    described = without_empty(above[begin:])
    return [*without_empty(above[:begin]), *([] if _only_describe_plumbing(described) else described), *_beside(one)]


def lost(one: Any, new: Sequence[Any]) -> List[cst.EmptyLine]:
    """The comments on the lines of *one* that are kept, and that none of the *new* statements contains."""
    written = {comment.value for line in new for comment in _comments(line)}
    return [line for line in _beside(one) if line.comment and line.comment.value not in written]


def _beside(one: Any) -> List[cst.EmptyLine]:
    """The comments on the lines of *one* that are kept; for a block, on its first line."""
    above = {line.comment for line in one.leading_lines}
    if isinstance(one, cst.SimpleStatementLine):
        found = [comment for comment in _comments(one) if comment not in above]
    else:
        header = one.body.header if isinstance(one.body, cst.IndentedBlock) else None
        found = [header.comment] if header is not None and header.comment is not None else []
    lines = (cst.EmptyLine(comment=comment) for comment in found if not _FOR_TOOLS.match(comment.value))
    return [line for line in lines if not _only_describe_plumbing([line])]


def _comments(node: cst.CSTNode) -> List[cst.Comment]:
    return list(matchers.findall(node, matchers.Comment()))  # type: ignore[arg-type]


def _only_describe_plumbing(lines: Sequence[cst.EmptyLine]) -> bool:
    """Whether *lines* only describe plumbing."""
    text = " ".join(line.comment.value for line in lines if line.comment)
    is_long = len(lines) > _MOST_LINES
    return not is_long and bool(_OF_PLUMBING.search(text)) and not _TO_BE_DONE.search(text)


def comments_in(block: Any) -> List[cst.EmptyLine]:
    """The comments that are kept of *block*, an ``except`` or ``finally``, of its statements, and at its end."""
    body = block.body
    if not isinstance(body, cst.IndentedBlock):
        return comments_of(block)
    inside = [line for one in body.body for line in comments_of(one)]
    return [*comments_of(block), *inside, *ending(body)]


def ending(block: Any) -> List[cst.EmptyLine]:
    """The comments at the end of a block."""
    return without_empty(block.footer)


def without_empty(lines: Sequence[cst.EmptyLine]) -> List[cst.EmptyLine]:
    """The comments in *lines*, without empty lines and those of an earlier rewrite."""
    return [line for line in lines if line.comment is not None and not line.comment.value.startswith(_MARK)]


def led(one: Any, lines: Sequence[cst.EmptyLine]) -> Any:
    """*one* with *lines* above it."""
    return one.with_changes(leading_lines=[*lines, *one.leading_lines]) if lines else one


def led_below_blanks(one: Any, lines: Sequence[cst.EmptyLine]) -> Any:
    """*one* with *lines* above it, but below the empty lines that are already there."""
    above = list(itertools.takewhile(lambda line: line.comment is None, one.leading_lines))
    return one.with_changes(leading_lines=[*above, *lines, *one.leading_lines[len(above) :]])
