"""Small sources, and what is found in them."""

from __future__ import annotations

import textwrap
from typing import List

from queuecompat.migrate.check.checking import check_source
from queuecompat.migrate.rewrite.targets import TARGETS
from queuecompat.migrate.rewrite.together import rewritten_together
from queuecompat.migrate.source.parsing import Source, parsed

__all__ = ["codes", "migrated", "migrated_as_program", "places", "require_left_with_one_comment", "source"]


def source(text: str) -> Source:
    return parsed("train.py", textwrap.dedent(text))


def codes(text: str) -> List[str]:
    """The codes that ``check`` gives, in the order of the lines."""
    return [one.code for one in check_source(source(text))]


def places(text: str, code: str) -> List[int]:
    """The lines, from 1, where *code* is found."""
    return [one.line for one in check_source(source(text)) if one.code == code]


def migrated(text: str, to: str) -> str:
    """*text* rewritten; and rewritten again it stays the same."""
    once = TARGETS[to](source(text)).text
    assert TARGETS[to](source(once)).text == once
    return once


def migrated_as_program(text: str, to: str) -> str:
    """*text*, a program of one file, rewritten; and rewritten again it stays the same."""
    [once] = [one.text for one in rewritten_together([source(text)], to).values()]
    [again] = [one.text for one in rewritten_together([source(once)], to).values()]
    assert again == once
    return once


def require_left_with_one_comment(text: str, to: str, code: str, reason: str) -> None:
    """Whether *text* stays as it is but for one comment with *code*, and says *reason*; a second time, too."""
    rewritten = TARGETS[to](source(text))
    [left, *_] = rewritten.left
    assert left.code == code and reason in left.what
    lines = rewritten.text.splitlines()
    [mark] = [line for line in lines if line.lstrip().startswith(f"# queuecompat: {code} ")]
    assert mark.endswith(f"; see python -m queuecompat explain {code}")
    lines.remove(mark)
    assert lines == text.splitlines()
    again = TARGETS[to](source(rewritten.text))
    assert again.text == rewritten.text and len(again.left) == len(rewritten.left)
