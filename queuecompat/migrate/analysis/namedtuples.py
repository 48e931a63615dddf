"""Calls that make a named tuple: of ``Batch = collections.namedtuple(...)``, or of a class with that base."""

from __future__ import annotations

import libcst as cst

from queuecompat.migrate.analysis.call_graph import callee
from queuecompat.migrate.source.parsing import Source

__all__ = ["makes_namedtuple"]

_MAKERS = {"collections.namedtuple", "typing.NamedTuple"}


def makes_namedtuple(source: Source, call: cst.Call) -> bool:
    """Whether the type that *call* is a call of is one of named tuples that *source* makes."""
    kind = callee(source, call)
    if isinstance(kind, cst.ClassDef):
        return any(source.names.full(base.value) in _MAKERS for base in kind.bases)
    found = source.names.definitions(call.func) if isinstance(call.func, cst.Name) else ()
    around = source.parents.get(found[0]) if found else None
    made = source.parents.get(around) if isinstance(around, cst.AssignTarget) else None
    value = made.value if isinstance(made, cst.Assign) else None
    return isinstance(value, cst.Call) and source.names.full(value.func) in _MAKERS
