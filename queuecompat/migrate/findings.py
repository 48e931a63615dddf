"""What a rule found: a place in a file, a code of ``queuecompat.codes.CODES``, and that code's message filled in."""

from __future__ import annotations

import dataclasses
from typing import Dict

from queuecompat.codes import CODES

__all__ = ["CLEAN", "FOUND", "UNREAD", "Finding", "finding"]

# Exit codes of both commands. The greatest that applies is returned.
CLEAN, FOUND, UNREAD = 0, 1, 2


@dataclasses.dataclass(frozen=True, order=True)
class Finding:
    """One place in one file.

    Attributes:
      file: as the user wrote it, or below a folder that the user named.
      line: from 1. In a notebook, the line of its JSON text.
      column: from 1, in characters.
      code: a row of ``CODES``.
      what: what was found there.
      effect: what happens on TensorFlow 2.
      instead: what to write; "" if there is no replacement.
      entry_points: the commands that accept this code without a change by hand; usually "".
      where: in a notebook, "cell 3, line 2"; else "".
    """

    file: str
    line: int
    column: int
    code: str
    what: str
    effect: str
    instead: str
    entry_points: str = ""
    where: str = ""

    @property
    def message(self) -> str:
        """The whole finding in one line."""
        where = f" ({self.where})" if self.where else ""
        instead = " or ".join(filter(None, (self.entry_points, self.instead)))
        return f"{self.what}{where}; {self.effect}; instead: {instead}"


def finding(code: str, file: str, line: int, column: int, *, entry_points: str = "", **fields: object) -> Finding:
    """Returns a finding of *code*; *fields* fill the placeholders in the texts of that code's row."""
    row = CODES[code]
    words: Dict[str, str] = {
        part: str(getattr(row, part)).format(**fields, file=file, line=line) for part in ("what", "effect", "instead")
    }
    return Finding(file, line, column, code, entry_points=entry_points, **words)
