"""Recognises calls that make a named tuple: of ``Batch = collections.namedtuple(...)``, or of a subclass."""

from __future__ import annotations

import ast
from typing import List, Optional

import libcst as cst

from queuecompat.migrate.analysis.call_graph import callee
from queuecompat.migrate.source.nodes import argument
from queuecompat.migrate.source.parsing import Source

__all__ = ["fields_of", "makes_namedtuple"]

_MAKERS = {"collections.namedtuple", "typing.NamedTuple"}


def makes_namedtuple(source: Source, call: cst.Call) -> bool:
    """Whether *call* calls a named tuple type that *source* defines."""
    kind = callee(source, call)
    if isinstance(kind, cst.ClassDef):
        return any(source.names.full(base.value) in _MAKERS for base in kind.bases)
    return _made(source, call) is not None


def fields_of(source: Source, call: cst.Call) -> List[str]:
    """The field names of the named tuple that *call* makes; empty if they are not written out."""
    kind = callee(source, call)
    if isinstance(kind, cst.ClassDef):
        lines = [line.body[0] for line in kind.body.body if isinstance(line, cst.SimpleStatementLine)]
        return [
            one.target.value for one in lines if isinstance(one, cst.AnnAssign) and isinstance(one.target, cst.Name)
        ]
    made = _made(source, call)
    given = None if made is None else argument(made, "field_names", 1)
    try:
        names = [] if given is None else ast.literal_eval(source.code(given))
    except ValueError:
        return []
    return names.replace(",", " ").split() if isinstance(names, str) else [one for one in names if isinstance(one, str)]


def _made(source: Source, call: cst.Call) -> Optional[cst.Call]:
    """The call that defines the named tuple type that *call* calls, or None."""
    found = source.names.definitions(call.func) if isinstance(call.func, cst.Name) else ()
    value = source.assigned_value(found[0]) if found else None
    return value if isinstance(value, cst.Call) and source.names.full(value.func) in _MAKERS else None
