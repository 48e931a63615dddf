"""Restores spaces that the parser loses: in ``except ValueError :``, and form feeds before statements.

Rule 1: a line that a rewrite does not change keeps them; a changed line may lose them.
Rule 2: only spaces are restored: the text with them must parse to the same program, or they are left out.
"""

from __future__ import annotations

import ast
import difflib
import warnings
from typing import List, Optional

__all__ = ["with_lost_spaces"]


def with_lost_spaces(new: str, old: str, text: str) -> str:
    """Returns *new*, the code of a rewritten tree, with its unchanged lines taken from the original *text*.

    Args:
      old: the code that the tree generated before the rewrite.
      text: the text that this tree was parsed from.
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
    """For each line of *old*, the same line as *text* has it, with the characters that the parser dropped."""
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
    """The program's syntax tree, for comparison; None if it does not parse."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.dump(ast.parse(code))
    except (RecursionError, SyntaxError, ValueError):
        return None
