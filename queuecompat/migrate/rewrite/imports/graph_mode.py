"""Removes ``tf.disable_v2_behavior()`` from a program that becomes eager.

A line that does more than this call is refused, because it is unknown what should remain of it.
"""

from __future__ import annotations

from typing import Any

import libcst as cst

from queuecompat.migrate.rewrite.refusals import refused
from queuecompat.migrate.source.parsing import Source

__all__ = ["GRAPH_MODE", "without_graph_mode"]

GRAPH_MODE = frozenset({"tf.disable_eager_execution", "tf.disable_v2_behavior"})


def without_graph_mode(source: Source, text: str) -> str:
    """*text*, a rewritten *source*, without the lines that turn eager execution off.

    Raises:
      UnsupportedPatternError: such a line does more.
    """
    if not any(source.names.symbol(call.func) in GRAPH_MODE for call in source.every(cst.Call)):
        return text
    new = source.again(text)
    calls = [call for call in new.every(cst.Call) if new.names.symbol(call.func) in GRAPH_MODE]
    if not calls:
        return text
    lines = [_line(new, call) for call in calls]
    if any(line is None for line in lines):
        place = next(call for call in source.every(cst.Call) if source.names.symbol(call.func) in GRAPH_MODE)
        raise refused("graph-mode-line", place)
    return new.replaced({line: cst.RemoveFromParent() for line in lines})


def _line(source: Source, call: cst.Call) -> Any:
    """The line that consists only of *call*, or None."""
    statement = source.parents.get(call)
    line = source.parents.get(statement) if isinstance(statement, cst.Expr) else None
    return line if isinstance(line, cst.SimpleStatementLine) and len(line.body) == 1 else None
