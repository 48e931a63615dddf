"""Nodes of a syntax tree, in the order of the text."""

from __future__ import annotations

from typing import Iterator, Optional, Type, TypeVar

import libcst as cst

__all__ = ["argument", "every", "method", "method_name"]

_Node = TypeVar("_Node", bound=cst.CSTNode)


def every(root: cst.CSTNode, kind: Type[_Node]) -> Iterator[_Node]:
    """*root* and all below it that are of *kind*, parents before children."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if isinstance(node, kind):
            yield node
        waiting.extend(reversed(node.children))


def argument(call: cst.Call, keyword: str, position: Optional[int] = None) -> Optional[cst.BaseExpression]:
    """The value that *call* gives for a parameter, by its *keyword* or at its *position*."""
    for number, one in enumerate(call.args):
        if one.star:
            return None  # nobody knows what stands where from here on
        if (one.keyword.value == keyword) if one.keyword else number == position:
            return one.value
    return None


def method_name(call: cst.Call) -> cst.CSTNode:
    """Where ``f`` stands in ``anything.f(...)``: of a chain over several lines, the line of this call."""
    return call.func.attr if isinstance(call.func, cst.Attribute) else call.func


def method(call: cst.Call) -> str:
    """The ``f`` of ``anything.f(...)``, and "" of all other calls."""
    return call.func.attr.value if isinstance(call.func, cst.Attribute) else ""
