"""Finds the calls of a function that will return a dataset: each must be one that can take batches from an iterator."""

from __future__ import annotations

from typing import Dict, Iterator, List, Sequence, Tuple

import libcst as cst

from queuecompat.migrate.analysis.attributes import is_asked_for
from queuecompat.migrate.analysis.call_graph import callee, class_of, definition
from queuecompat.migrate.analysis.lists import depth_of_lists_in
from queuecompat.migrate.analysis.lookups import is_value, may_look_up
from queuecompat.migrate.analysis.program import Place, Program
from queuecompat.migrate.rewrite.imports.eager_imports import tensorflow_name
from queuecompat.migrate.rewrite.kept_sessions.iterators import is_unpacked, may_be_a_list, require_values
from queuecompat.migrate.rewrite.refusals import refused
from queuecompat.migrate.source.files import path_from
from queuecompat.migrate.source.nodes import every
from queuecompat.migrate.source.parsing import Source

__all__ = ["iterated_calls"]


def iterated_calls(
    program: Program, sources: Sequence[Source], source: Source, function: cst.FunctionDef
) -> Dict[Source, List[cst.Call]]:
    """The calls, by file, of the input *function* of *source*, whose batches an iterator will deliver.

    Args:
      sources: the files that change together.

    Raises:
      UnsupportedPatternError: at the function: it is used in a way that needs its tensors.
    """
    found: Dict[Source, List[cst.Call]] = {}
    for user, node in _uses(program, source, function):
        call = user.parents.get(node)
        if user not in sources or not isinstance(call, cst.Call) or call.func is not node:
            file = path_from(source.file, user.file)
            raise refused("used-elsewhere", function, function=function.name.value, file=file)
        if tensorflow_name(user) is None:
            file = path_from(source.file, user.file)
            raise refused("tensorflow-of-caller", function, function=function.name.value, file=file)
        require_values(user, call, function)
        if not is_unpacked(user, call) and may_be_a_list(source, function):
            raise refused("list-of-batch", function, call=user.code(call.func))
        if not is_unpacked(user, call) and depth_of_lists_in(source, function, None):
            raise refused("list-in-batch", function, name=user.code(call.func))
        found.setdefault(user, []).append(call)
    return found


def _uses(program: Program, source: Source, function: cst.FunctionDef) -> Iterator[Tuple[Source, cst.CSTNode]]:
    """Each place where the program names *function*."""
    name = function.name.value
    kind = class_of(source, function)
    if kind is not None:
        yield from _uses_of_method(program, source, kind, function)
        return
    if is_value(source, function) or any(may_look_up(other, name) for other in program.sources):
        raise refused("looked-up", function, function=name)
    own = set(every(function, cst.Name))
    for one in source.every(cst.Name):
        if one.value == name and one not in own and definition(source, one) is function:
            yield source, one
    for user, use in program.users(Place(source, function)):
        yield user, use.node


def _uses_of_method(
    program: Program, source: Source, kind: cst.ClassDef, function: cst.FunctionDef
) -> Iterator[Tuple[Source, cst.CSTNode]]:
    """Each place where the program names *function*, a method of the class *kind*."""
    name = function.name.value
    elsewhere = {use.node for _, use in program.users(Place(source, function))}
    for user in program.sources:
        # Methods that Python calls implicitly, as in ``Pipeline(files)()``, are not named where they are called.
        is_known = not name.startswith("__") and not is_asked_for(user, name)
        named = [one for one in user.every(cst.Attribute) if one.attr.value == name]
        for attribute in [one for one in named if one in elsewhere or _may_be_method(program, user, one)]:
            call = user.parents.get(attribute)
            is_call = isinstance(call, cst.Call) and call.func is attribute
            is_own = user is source and is_call and callee(source, call) is function  # type: ignore[arg-type]
            is_known = is_known and is_call and (is_own or attribute in elsewhere)
            if is_known:
                yield user, attribute
        if not is_known:
            raise refused("in-method", function, call=name, name=kind.name.value)


def _may_be_method(program: Program, user: Source, node: cst.Attribute) -> bool:
    """Whether *node*, which is not known to be a certain method, may be one of the program."""
    return user.names.full(node) is None or program.is_unknown_member(user, node)
