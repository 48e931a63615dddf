"""Functions that may be called without a call of their name in the text: through a table of functions, or ``getattr``.

Rule 1: a function that is used as a value, or that a decorator gets, may be called wherever that value is passed.
Rule 2: a file that looks names up at run time may find every function whose name is in one of its strings. In the same
        way tests replace functions: ``mock.patch.object(reader, "read_lines")``.
"""

from __future__ import annotations

import re
from typing import AbstractSet, Iterator, Set

import libcst as cst

from queuecompat.migrate.analysis.call_graph import definition
from queuecompat.migrate.analysis.mentions import dotted_name
from queuecompat.migrate.analysis.pipelines import INPUT_PIPELINE
from queuecompat.migrate.source.nodes import every
from queuecompat.migrate.source.parsing import Source

__all__ = ["OF_VARIABLES", "is_value", "looked_up", "looks_up", "may_look_up", "replaced_names"]

# Decorators that do not keep a reference to the function.
_KNOWN_DECORATORS = {INPUT_PIPELINE, "classmethod", "staticmethod"}
# Functions that can access any variable of their caller by its name.
OF_VARIABLES = frozenset({"eval", "exec", "globals", "locals", "vars"})
_LOOKING_UP = OF_VARIABLES | {"getattr"}
_REPLACING = {"patch", "setattr"}
_IMPORTING = ("__import__", "import_module")


def is_value(source: Source, function: cst.FunctionDef) -> bool:
    """Whether *function*, of this file, is used in the file other than by a call, or is passed to a decorator."""
    decorators = {source.names.full(one.decorator) or source.code(one.decorator) for one in function.decorators}
    if decorators - _KNOWN_DECORATORS:
        return True
    own = set(every(function.name, cst.Name))
    named = (one for one in source.every(cst.Name) if one.value == function.name.value and one not in own)
    return any(definition(source, one) is function and not _is_called(source, one) for one in named)


def may_look_up(source: Source, name: str, known: AbstractSet[cst.CSTNode] = frozenset()) -> bool:
    """Whether *source* may access a function called *name* in a way that is known only at run time.

    Args:
      known: attributes of that name of which it is known which function they are.
    """
    if looks_up(source) and any(name in one.value for one in source.every(cst.SimpleString)):
        return True
    if name in source.once(_replaced):
        return True
    owners = (one.value for one in source.every(cst.Attribute) if one.attr.value == name and one not in known)
    return any(_may_be_module(source, one) for one in owners)


def looked_up(source: Source) -> Set[str]:
    """The names that *source* may look up in other files, or replace there."""
    strings = source.every(cst.SimpleString) if looks_up(source) else ()
    return {word for one in strings for word in re.findall(r"[A-Za-z_]\w*", one.value)} | replaced_names(source)


def replaced_names(source: Source) -> Set[str]:
    """The names in other files that *source* replaces: ``reader.inputs = other``, ``mock.patch("reader.inputs")``."""
    return set(source.once(_replaced))


def _replaced(source: Source) -> Iterator[str]:
    for target in source.every(cst.AssignTarget):
        if isinstance(target.target, cst.Attribute) and source.names.full(target.target) is not None:
            yield target.target.attr.value
    for call in source.every(cst.Call):
        *_, last = dotted_name(call.func).removesuffix(".object").split(".")
        if last in _REPLACING and call.args and source.code(call.args[0].value) != "self":
            for one in call.args[:2]:
                if isinstance(one.value, cst.SimpleString):
                    yield one.value.raw_value.rpartition(".")[2]


def looks_up(source: Source) -> bool:
    """Whether *source* looks names up at run time."""
    return any(one.value in _LOOKING_UP for one in source.every(cst.Name))


def _is_called(source: Source, name: cst.Name) -> bool:
    """Whether *name* is called here, outside of a ``lambda``, which would be a value."""
    call = source.parents.get(name)
    return isinstance(call, cst.Call) and call.func is name and source.around(call, cst.Lambda) is None


def _may_be_module(source: Source, owner: cst.BaseExpression) -> bool:
    """Whether *owner* may be a module that no import names: the result of a call, a part of a table, or a parameter."""
    if isinstance(owner, cst.Subscript):
        return True
    if isinstance(owner, cst.Call):
        return source.code(owner.func).endswith(_IMPORTING)
    if not isinstance(owner, cst.Name) or owner.value == "self" or source.names.full(owner) is not None:
        return False
    definitions = source.names.definitions(owner)
    return any(source.around(one, (cst.Assign, cst.Param, cst.For)) is not None for one in definitions)
