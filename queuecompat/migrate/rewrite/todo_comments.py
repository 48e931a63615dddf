"""The comment that a rewrite leaves at the place that prevents it."""

from __future__ import annotations

from typing import Any, Optional

import libcst as cst

from queuecompat.errors import EXPLAIN
from queuecompat.migrate.rewrite.refusals import UnsupportedPatternError
from queuecompat.migrate.rewrite.rewritten import Rewritten
from queuecompat.migrate.source.parsing import Source

__all__ = ["commented"]


def commented(source: Source, code: str, other: UnsupportedPatternError) -> Rewritten:
    """Returns *source* with a comment above the statement that *other* is about, if it is not there already."""
    statement = _statement(source, other.node)
    if statement is None:
        return Rewritten(source.text, refusal=other)
    found = [source.found(code, statement, reason=other.reason)]
    found += [source.found(code, _statement(source, one.node) or one.node, reason=one.reason) for one in other.others]
    # What two pipelines share stands in the way of both; and one reason may hold at several lines.
    found = list(dict.fromkeys(found))
    reasons = "; and ".join(dict.fromkeys(one.reason for one in (other, *other.others)))
    comment = f"# queuecompat: {code} {reasons}; see {EXPLAIN} {code}"
    # Comments above the first statement of a file are stored in the module's header.
    above = [*statement.leading_lines, *(source.tree.header if statement is source.tree.body[0] else ())]
    if any(line.comment and line.comment.value == comment for line in above):
        return Rewritten(source.text, found, refusal=other)
    line = cst.EmptyLine(comment=cst.Comment(comment))
    new = statement.with_changes(leading_lines=[*statement.leading_lines, line])
    return Rewritten(source.replaced({statement: new}), found, refusal=other)


def _statement(source: Source, node: cst.CSTNode) -> Optional[Any]:
    """The statement that contains *node*."""
    around: Optional[cst.CSTNode] = node
    while around is not None and not isinstance(around, (cst.BaseCompoundStatement, cst.SimpleStatementLine)):
        around = source.parents.get(around)
    return around
