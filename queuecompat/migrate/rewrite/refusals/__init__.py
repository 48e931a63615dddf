"""Why a rewrite leaves a program unchanged, as data: the table of refusals.

Rule 1: every reason that a user reads in QC743 and QC744 is a row of ``REFUSALS``: what prevents the rewrite, in terms
        of the user's program, and what to do about it.
Rule 2: a row whose *instead* is empty adds no advice; the advice of its code then stands alone.
Rule 3: a row with *follows* may be only a consequence of an earlier obstacle. It is therefore reported only if it is
        the first one found.
Rule 4: a row with *in_graph* is no obstacle if the model stays in a graph: the program is then checked a second time,
        for that form of the rewrite (``sessions/wrappable``).
"""

from __future__ import annotations

import libcst as cst

from queuecompat.migrate.rewrite.refusals import of_models, of_pipelines, of_programs, of_sessions
from queuecompat.migrate.rewrite.refusals.refusal import Refusal, UnsupportedPatternError

__all__ = ["REFUSALS", "Refusal", "UnsupportedPatternError", "is_of_pipeline", "refused"]

REFUSALS = {row.key: row for part in (of_programs, of_sessions, of_models, of_pipelines) for row in part.ROWS}


def refused(key: str, node: cst.CSTNode, **fields: str) -> UnsupportedPatternError:
    """Returns the error to raise at *node*; *fields* fill the placeholders in the row's text."""
    row = REFUSALS[key]
    words = (" ".join(part.format(**fields).split()) for part in (row.what, row.instead) if part)
    return UnsupportedPatternError(node, row, ": ".join(words))


def is_of_pipeline(refusal: UnsupportedPatternError) -> bool:
    """Whether the refusal is about a pipeline itself, and not about the session that runs it."""
    return refusal.row in of_pipelines.ROWS
