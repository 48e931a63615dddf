"""Small sources, and what is found in them."""

from __future__ import annotations

import textwrap
from typing import List

from queuecompat.migrate.checking import check_source
from queuecompat.migrate.rewrites import WAYS
from queuecompat.migrate.sources import Source, parsed

__all__ = ["codes", "migrated", "places", "source"]


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
    once = WAYS[to](source(text)).text
    assert WAYS[to](source(once)).text == once
    return once
