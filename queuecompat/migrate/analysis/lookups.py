"""Functions that a program may call without writing a call of their name: a table of functions, ``getattr``.

Rule 1: a function that is a value somewhere, or that a decorator gets, may be called wherever that value goes.
Rule 2: a file that looks names up at run time may find each function whose name stands in one of its strings.
"""

from __future__ import annotations

import libcst as cst

from queuecompat.migrate.analysis.call_graph import definition
from queuecompat.migrate.analysis.pipelines import INPUT_PIPELINE
from queuecompat.migrate.source.nodes import every
from queuecompat.migrate.source.parsing import Source

__all__ = ["is_value", "may_look_up"]

# Decorators that keep nothing of the function.
_KNOWN_DECORATORS = {INPUT_PIPELINE, "classmethod", "staticmethod"}
_LOOKING_UP = {"eval", "exec", "getattr", "globals", "locals", "vars"}
_IMPORTING = ("__import__", "import_module")


def is_value(source: Source, function: cst.FunctionDef) -> bool:
    """Whether *function*, of this file, is used in it other than by a call, or a decorator gets it."""
    decorators = {source.names.full(one.decorator) or source.code(one.decorator) for one in function.decorators}
    if decorators - _KNOWN_DECORATORS:
        return True
    own = set(every(function.name, cst.Name))
    named = (one for one in source.every(cst.Name) if one.value == function.name.value and one not in own)
    return any(definition(source, one) is function and not _is_called(source, one) for one in named)


def may_look_up(source: Source, name: str) -> bool:
    """Whether *source* may get at a function called *name* in a way that only a run knows."""
    if any(one.value in _LOOKING_UP for one in source.every(cst.Name)) and any(
        name in one.value for one in source.every(cst.SimpleString)
    ):
        return True
    owners = (one.value for one in source.every(cst.Attribute) if one.attr.value == name)
    return any(_may_be_module(source, one) for one in owners)


def _is_called(source: Source, name: cst.Name) -> bool:
    """Whether *name* stands in a call, and not in a ``lambda``, which is a value."""
    call = source.parents.get(name)
    return isinstance(call, cst.Call) and call.func is name and source.around(call, cst.Lambda) is None


def _may_be_module(source: Source, owner: cst.BaseExpression) -> bool:
    """Whether *owner* may be a module that no import names: what a call returned, or what a caller passed."""
    if isinstance(owner, cst.Call):
        return source.code(owner.func).endswith(_IMPORTING)
    if not isinstance(owner, cst.Name) or owner.value == "self" or source.names.full(owner) is not None:
        return False
    definitions = source.names.definitions(owner)
    return any(source.around(one, (cst.Assign, cst.Param, cst.For)) is not None for one in definitions)
