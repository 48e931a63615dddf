"""Spaces that the parser loses: in ``except ValueError :``, and form feeds in front of statements.

Rule 1: a line that a rewrite does not change keeps them; a line that it changes may lose them.
Rule 2: nothing but spaces comes back: Python's own parser has to see the same program, or the text stays without them.
"""

from __future__ import annotations

import ast
import difflib
import warnings
from typing import List, Optional

__all__ = ["with_lost_spaces"]


def with_lost_spaces(new: str, old: str, text: str) -> str:
    """*new*, the code of a rewritten tree, with the lines of *text* where it has those of *old*.

    Args:
      old: the code of the tree before.
      text: what that was parsed from.
    """
    if old == text:
        return new
    before, after, written = old.split("\n"), new.split("\n"), _as_written(old, text)
    for block in difflib.SequenceMatcher(None, before, after, autojunk=False).get_matching_blocks():
        after[block.b : block.b + block.size] = written[block.a : block.a + block.size]
    found = "\n".join(after)
    meant = _meaning(new)
    return found if meant is not None and _meaning(found) == meant else new


def _as_written(old: str, text: str) -> List[str]:
    """For each line of *old* what *text* has there: the same characters, and those that the parser left out."""
    found = [""]
    kept = 0
    for character in text:
        is_kept = old[kept : kept + 1] == character
        kept += is_kept
        if is_kept and character == "\n":
            found.append("")
        else:
            found[-1] += character
    return found if kept == len(old) else old.split("\n")


def _meaning(code: str) -> Optional[str]:
    """The program as Python's own parser sees it; None where it sees none."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.dump(ast.parse(code))
    except (RecursionError, SyntaxError, ValueError):
        return None
