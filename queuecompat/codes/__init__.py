"""What can go wrong, as data: the table of QC codes.

Rule 1: every message for a user comes from a row of ``CODES``; the row's code is a heading in
        ``migration_guide/errors.md`` and a test holds the two together.
Rule 2: a row says what is wrong, its effect, and what to do instead; ``errors.layout`` adds the user's line.
"""

from __future__ import annotations

from queuecompat.codes import calls, compiling, datasets, loading, migrating, running
from queuecompat.codes.code import Code

__all__ = ["CODES", "Code"]

CODES = {row.code: row for part in (calls, compiling, running, datasets, loading, migrating) for row in part.ROWS}
