"""Decorators that only note a function, in a table of functions say, and return it as it is.

    def register(name):                        @register("plain")
        def add(function):                     def plain(n):
            TABLE[name] = function                 ...
            return function
        return add

What is made of the function has to be made before such a decorator gets it: the table would keep the old one.
"""

from __future__ import annotations

from typing import List

import libcst as cst

from queuecompat.migrate.analysis.call_graph import definition, own_method
from queuecompat.migrate.source.nodes import children
from queuecompat.migrate.source.parsing import Source

__all__ = ["is_registering", "registers"]


def is_registering(source: Source, decorator: cst.Decorator) -> bool:
    """Whether *decorator* is one, of this file or of a different one of the program."""
    node = decorator.decorator
    name = node.func if isinstance(node, cst.Call) else node
    own = definition(source, name) or own_method(source, name)
    if own is not None:
        return registers(own, is_called=name is not node)
    return (source.names.full(name), name is not node) in source.registering


def registers(function: cst.CSTNode, *, is_called: bool) -> bool:
    """Whether *function* is one, or, if it *is_called* for it, returns one; a class makes one that is called."""
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
    """Those in *node*, without those of functions inside."""
    if isinstance(node, cst.Return):
        return [node]
    return [one for child in children(node) if not isinstance(child, cst.FunctionDef) for one in _returns(child)]
