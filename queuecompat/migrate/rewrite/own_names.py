"""Calls functions that build pipelines by their own names, so that the call graph reaches them.

    read = inputs                                              images, labels = inputs(files, 32)
    images, labels = read(files, 32)                    ->

    read = functools.partial(inputs, files, shuffle=False)     images, labels = inputs(files, 32, shuffle=False)
    images, labels = read(32)                           ->

    read = lambda size: inputs(files, size)                    def read(size):
    images, labels = read(32)                           ->         return inputs(files, size)


                                                               images, labels = read(32)

Rule 1: only one statement binds the name, and not in a loop. An alias and a ``partial`` are used only in calls.
Rule 2: the arguments of a ``partial`` have the same value at each call: constants, and names that are bound only once.
Rule 3: in doubt a name stays.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Dict, Iterator, List, Optional, Set, Union

import libcst as cst

from queuecompat.migrate.analysis.attributes import is_named_elsewhere
from queuecompat.migrate.analysis.lookups import OF_VARIABLES
from queuecompat.migrate.analysis.queue_statements import builds_if_called
from queuecompat.migrate.analysis.statements import declared_names, target_of, value_of
from queuecompat.migrate.source.nodes import without_comma
from queuecompat.migrate.source.parsing import Source

__all__ = ["with_own_names"]

_PARTIAL = "functools.partial"
_LOOPS = (cst.BaseComp, cst.For, cst.While)
# Expressions that have the same value wherever their names have.
_CONSTANT = (cst.BaseNumber, cst.BaseString)


@dataclasses.dataclass
class _Bound:
    """A name that *line* binds to a function.

    Attributes:
      name: where the line binds it.
      value: the function, a ``partial`` of it, or a ``lambda``.
      uses: where the program uses the name.
    """

    line: cst.SimpleStatementLine
    name: cst.Name
    value: cst.BaseExpression
    uses: List[cst.Name]


def with_own_names(source: Source) -> Optional[Source]:
    """A copy of *source* in which such functions are called by their own names; None if nothing changes."""
    if any(one.value in OF_VARIABLES for one in source.every(cst.Name)):
        return None
    new: Dict[cst.CSTNode, Any] = {}
    bound = list(_bound(source))
    for one in bound:
        if isinstance(one.value, cst.Lambda):
            new[one.line] = _as_function(source, one, one.value)
        else:
            new.update({call: _call(source, one.value, call) for call in _calls(source, one)})
            new[one.line] = cst.RemoveFromParent()
    if not new:
        return None
    return _without_unused_import(source.again(source.replaced(new)), source)


def _bound(source: Source) -> Iterator[_Bound]:
    """The names of *source* that can be replaced."""
    for line in source.every(cst.SimpleStatementLine):
        name, value = target_of(line), value_of(line)
        if not isinstance(name, cst.Name) or value is None or not builds_if_called(source, _function(source, value)):
            continue
        uses = [one for one in source.every(cst.Name) if one is not name and name in source.names.definitions(one)]
        one = _Bound(line, name, value, uses)
        if _is_bound_once(source, one) and (isinstance(value, cst.Lambda) or _may_be_replaced(source, one)):
            yield one


def _function(source: Source, value: cst.BaseExpression) -> cst.BaseExpression:
    """The function of a ``partial``; of an alias, its value."""
    if not isinstance(value, cst.Call):
        return value
    is_partial = source.names.full(value.func) == _PARTIAL and value.args and not any(map(_is_spread, value.args))
    return value.args[0].value if is_partial else value


def _is_spread(one: cst.Arg) -> bool:
    return bool(one.star)


def _is_bound_once(source: Source, one: _Bound) -> bool:
    name = one.name.value
    declared = any(name in declared_names(function) for function in source.every(cst.FunctionDef))
    if declared or source.around(one.line, _LOOPS) is not None:
        return False
    if source.around(one.line, (cst.ClassDef, cst.FunctionDef)) is None and is_named_elsewhere(source, name):
        return False
    return all(len(source.names.definitions(use)) == 1 for use in one.uses)


def _may_be_replaced(source: Source, one: _Bound) -> bool:
    """Whether the program only calls the name of an alias or a ``partial``, and what it holds is the same there."""
    if not one.uses or any(line.comment for line in one.line.leading_lines):
        return False
    held = one.value.args if isinstance(one.value, cst.Call) else ()
    calls = _calls(source, one)
    if len(calls) != len(one.uses) or not all(_is_constant(source, arg.value) for arg in held):
        return False
    has_keywords = any(arg.keyword is not None for arg in held)
    return not (has_keywords and any(arg.star == "**" for call in calls for arg in call.args))


def _calls(source: Source, one: _Bound) -> List[cst.Call]:
    around = [(use, source.parents.get(use)) for use in one.uses]
    return [call for use, call in around if isinstance(call, cst.Call) and call.func is use]


def _is_constant(source: Source, value: cst.BaseExpression) -> bool:
    if isinstance(value, cst.Name):
        return len(source.names.definitions(value)) <= 1
    if isinstance(value, cst.Attribute):
        return _is_constant(source, value.value)
    if isinstance(value, (cst.List, cst.Tuple)):
        return all(isinstance(one, cst.Element) and _is_constant(source, one.value) for one in value.elements)
    return isinstance(value, _CONSTANT)


def _call(source: Source, value: cst.BaseExpression, call: cst.Call) -> cst.Call:
    """*call*, of a name for *value*, as a call of the function itself."""
    held = list(value.args[1:]) if isinstance(value, cst.Call) else []
    given = {arg.keyword.value for arg in call.args if arg.keyword is not None}
    kept = [arg for arg in held if arg.keyword is None or arg.keyword.value not in given]
    if not kept:
        return call.with_changes(func=_function(source, value))
    arguments = sorted([*kept, *call.args], key=lambda arg: arg.keyword is not None or arg.star == "**")
    plain = list(map(without_comma, arguments))
    nothing = cst.SimpleWhitespace("")
    return call.with_changes(func=_function(source, value), args=plain, whitespace_before_args=nothing)


def _as_function(source: Source, one: _Bound, value: cst.Lambda) -> cst.FunctionDef:
    """The definition that replaces the line of a ``lambda``."""
    block: Any = source.parents[one.line]
    place = block.body.index(one.line)
    blanks = [cst.EmptyLine(indent=False)] * (2 if block is source.tree else 1)
    above = list(one.line.leading_lines)
    if place and not any(line.comment is None for line in above):
        above = [*blanks, *above]
    is_last = place == len(block.body) - 1
    returned = cst.SimpleStatementLine([cst.Return(value.body)], trailing_whitespace=one.line.trailing_whitespace)
    body = cst.IndentedBlock([returned], footer=() if is_last else blanks)
    return cst.FunctionDef(one.name, value.params, body, leading_lines=above)


def _without_unused_import(source: Source, before: Source) -> Source:
    """*source* without its imports of ``partial`` or ``functools``, if only *before* needed them."""
    gone = _read_names(before) - _read_names(source)
    new: Dict[cst.CSTNode, Any] = {}
    for line in source.tree.body:
        only = line.body[0] if isinstance(line, cst.SimpleStatementLine) and len(line.body) == 1 else None
        if isinstance(only, (cst.Import, cst.ImportFrom)) and not isinstance(only.names, cst.ImportStar):
            left = [one for one in only.names if not (_is_partial(only, one) and _bound_name(one) in gone)]
            if not left:
                new[line] = cst.RemoveFromParent()
            elif len(left) < len(only.names):
                left[-1] = left[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
                new[only] = only.with_changes(names=left)
    return source.again(source.replaced(new))


def _read_names(source: Source) -> Set[str]:
    named = source.every(cst.Name)
    return {
        one.value for one in named if source.around(one, cst.ImportAlias) is None and not _is_attribute(source, one)
    }


def _is_attribute(source: Source, name: cst.Name) -> bool:
    around = source.parents.get(name)
    return isinstance(around, cst.Attribute) and around.attr is name


def _is_partial(line: Union[cst.Import, cst.ImportFrom], one: cst.ImportAlias) -> bool:
    module = line.module if isinstance(line, cst.ImportFrom) else None
    return (f"{module.value}." if isinstance(module, cst.Name) else "") + one.evaluated_name in ("functools", _PARTIAL)


def _bound_name(one: cst.ImportAlias) -> str:
    return one.evaluated_alias or one.evaluated_name
