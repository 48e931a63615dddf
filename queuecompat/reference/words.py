"""What ``queuecompat explain`` prints about a word: an error code, or a name of TensorFlow 1. No TensorFlow here."""

from __future__ import annotations

import re
from typing import List, Optional

from queuecompat import api
from queuecompat.codes import CODES
from queuecompat.errors import EXPLAIN
from queuecompat.reference import pages

__all__ = ["explained", "known"]

_ENTRY_POINTS = {
    "run": "python -m queuecompat run",
    "v1": "import queuecompat.v1 as tf",
    "as_dataset": "queuecompat.as_dataset",
}


def explained(word: Optional[str]) -> Optional[str]:
    """The text on *word*, whose ``QC`` or ``tf.`` may be left out; on None a list of the codes. None: it is unknown."""
    if word is None:
        return _table()
    for code in (word.upper(), f"QC{word}"):
        if code in CODES:
            return f"{code}: {_in_short(code)}\n\n{pages.sections()[code]}"
    for symbol in (word, f"tf.{word}"):
        row = api.find(symbol)
        if row is not None:
            return _of_name(symbol, row)
    return None


def known() -> List[str]:
    """All codes and names."""
    return [*CODES, *api.table()]


def _table() -> str:
    """All codes, in groups, and how to learn more of one."""
    groups = pages.groups()
    lines = []
    for code in sorted(CODES):
        group = next((about for pattern, about in groups.items() if re.fullmatch(pattern.replace("x", "."), code)), "")
        if group not in lines:
            lines += ["", group]
        lines.append(f"  {code}  {_in_short(code)}")
    return "\n".join([*lines[1:], "", f"For details: {EXPLAIN} CODE"])


def _in_short(code: str) -> str:
    """The first sentence of the message, with the fields as the page on the code writes them."""
    return CODES[code].what.replace("{", "<").replace("}", ">").partition("\n")[0]


def _of_name(symbol: str, row: api.Row) -> str:
    lines = [f"{symbol}: {api.STATUSES[row.status]}"]
    entry_points = [_ENTRY_POINTS[one] for one in row.entry_points.split() if one in _ENTRY_POINTS]
    if entry_points:
        lines.append(f"  works unchanged with:  {', '.join(entry_points)}")
    if row.advice:
        lines.append(f"  in TensorFlow 2:       {row.advice}")
    if row.code:
        lines.append(f"  see:                   {EXPLAIN} {row.code}")
    return "\n".join(lines)
