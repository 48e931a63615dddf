"""Comments in front of statements that go: they stand in front of the next one that stays.

Those after a statement, in its line, go with it.
"""

from __future__ import annotations

from typing import Any, List, Sequence

import libcst as cst

__all__ = ["comments_in", "comments_of", "ending", "led", "without_empty"]

# What a rewrite left that could not be done then.
_MARK = "# queuecompat: QC"


def comments_of(one: Any) -> List[cst.EmptyLine]:
    """The comments in front of *one*, without the empty lines."""
    return without_empty(one.leading_lines)


def comments_in(block: Any) -> List[cst.EmptyLine]:
    """The comments in front of *block*, which is ``except`` or ``finally``, and of its statements; and at its end."""
    body = block.body
    if not isinstance(body, cst.IndentedBlock):
        return comments_of(block)
    inside = [line for one in body.body for line in comments_of(one)]
    return [*comments_of(block), *inside, *ending(body)]


def ending(block: Any) -> List[cst.EmptyLine]:
    """The comments at the end of a block."""
    return without_empty(block.footer)


def without_empty(lines: Sequence[cst.EmptyLine]) -> List[cst.EmptyLine]:
    """The comments of *lines*."""
    return [line for line in lines if line.comment is not None and not line.comment.value.startswith(_MARK)]


def led(one: Any, lines: Sequence[cst.EmptyLine]) -> Any:
    """*one* with *lines* in front of it."""
    return one.with_changes(leading_lines=[*lines, *one.leading_lines]) if lines else one
