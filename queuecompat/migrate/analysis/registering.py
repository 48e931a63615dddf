"""Recognises decorators that only register a function, for example in a table, and return it unchanged.

    def register(name):                        @register("plain")
        def add(function):                     def plain(n):
            TABLE[name] = function                 ...
            return function
        return add

A decorator that converts the function must be applied before such a decorator; else the table keeps the old function.
"""

from __future__ import annotations

from typing import List

import libcst as cst

from queuecompat.migrate.analysis.call_graph import definition, own_method
from queuecompat.migrate.source.nodes import children
from queuecompat.migrate.source.parsing import Source

__all__ = ["is_registering", "registers"]


def is_registering(source: Source, decorator: cst.Decorator) -> bool:
    """Whether *decorator* is such a decorator, of this file or of another file of the program."""
    node = decorator.decorator
    name = node.func if isinstance(node, cst.Call) else node
    own = definition(source, name) or own_method(source, name)
    if own is not None:
        return registers(own, is_called=name is not node)
    return (source.names.full(name), name is not node) in source.registering


def registers(function: cst.CSTNode, *, is_called: bool) -> bool:
    """Whether *function* only registers the function that it gets.

    Args:
      is_called: whether the decorator is written as a call, ``@register("plain")``. Then what *function* returns has to
        be such a decorator; for a class, its ``__call__`` has to be one.
    """
    if isinstance(function, cst.ClassDef):
        calls = [one for one in function.body.body if isinstance(one, cst.FunctionDef) and one.name.value == "__call__"]
        return is_called and len(calls) == 1 and registers(_without_self(calls[0]), is_called=False)
    if not isinstance(function, cst.FunctionDef):
        return False
    returned = [one.value for one in _returns(function.body)]
    names = {one.value for one in returned if isinstance(one, cst.Name)}
    if len(names) != 1 or not all(isinstance(one, cst.Name) for one in returned):
        return False
    if not is_called:
        return names <= {one.name.value for one in function.params.params}
    inner = [one for one in function.body.body if isinstance(one, cst.FunctionDef) and one.name.value in names]
    return len(inner) == 1 and registers(inner[0], is_called=False)


def _without_self(method: cst.FunctionDef) -> cst.FunctionDef:
    return method.with_deep_changes(method.params, params=method.params.params[1:])


def _returns(node: cst.CSTNode) -> List[cst.Return]:
    """The return statements in *node*, except those of functions inside it."""
    if isinstance(node, cst.Return):
        return [node]
    return [one for child in children(node) if not isinstance(child, cst.FunctionDef) for one in _returns(child)]
