"""Why a rewrite leaves a program unchanged, as data: the table of refusals.

Rule 1: every reason that a user reads after QC743 and QC744 is a row of ``REFUSALS``: what stands in the way, in words
        for the program's author, and what to do about it.
Rule 2: a row whose *instead* is empty has no advice of its own: that of the code holds.
Rule 3: a row that *follows* may be only a consequence of an obstacle above it: it is listed where it is the first one.
Rule 4: what a row *in_graph* is about is none where the model stays a graph: the program is looked at once more for
        that form (``sessions/wrappable``).
"""

from __future__ import annotations

import libcst as cst

from queuecompat.migrate.rewrite.refusals import of_models, of_pipelines, of_programs, of_sessions
from queuecompat.migrate.rewrite.refusals.refusal import Refusal, UnsupportedPatternError

__all__ = ["REFUSALS", "Refusal", "UnsupportedPatternError", "is_of_pipeline", "refused"]

REFUSALS = {row.key: row for part in (of_programs, of_sessions, of_models, of_pipelines) for row in part.ROWS}


def refused(key: str, node: cst.CSTNode, **fields: str) -> UnsupportedPatternError:
    """The error to raise at *node*; *fields* fill in the words of the row."""
    row = REFUSALS[key]
    words = (" ".join(part.format(**fields).split()) for part in (row.what, row.instead) if part)
    return UnsupportedPatternError(node, row, ": ".join(words))


def is_of_pipeline(refusal: UnsupportedPatternError) -> bool:
    """Whether it says what is wrong with a pipeline itself, and not with the session that runs it."""
    return refusal.row in of_pipelines.ROWS
