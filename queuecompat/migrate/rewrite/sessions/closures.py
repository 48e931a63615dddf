"""Refuses functions that read a name of an enclosing scope whose statement moves into a loop.

    def report():
        print(loss.get_shape())      finds no 'loss' before the first iteration, and a different one in each

Only names are considered, by scope: a parameter or local variable of the same name is something else.
"""

from __future__ import annotations

from typing import Iterable

import libcst as cst

from queuecompat.migrate.analysis.statements import Statement, defs
from queuecompat.migrate.rewrite.refusals import refused
from queuecompat.migrate.source.nodes import every
from queuecompat.migrate.source.parsing import Source

__all__ = ["require_no_readers"]

_FUNCTIONS = (cst.FunctionDef, cst.Lambda)


def require_no_readers(source: Source, moved: Iterable[Statement], running: Iterable[Statement]) -> None:
    """Requires that no function reads a name that *moved* statements assign.

    Args:
      running: statements in which such functions are refused anyway.

    Raises:
      UnsupportedPatternError: a function reads such a name.
    """
    lines = set(moved)
    names = set().union(*map(defs, lines))
    elsewhere = {name for one in [*lines, *running] for name in every(one, cst.Name)}
    for name in source.every(cst.Name):
        function = source.around(name, _FUNCTIONS) if name.value in names else None
        if function is None or name in elsewhere:
            continue
        for one in source.names.definitions(name):
            if source.around(one, cst.SimpleStatementLine) in lines and source.around(one, _FUNCTIONS) != function:
                reader = function.name.value if isinstance(function, cst.FunctionDef) else "a lambda"
                raise refused("read-by-function", name, name=name.value, reader=reader)
