"""Walks the nodes of a syntax tree in the order of the text.

Only nodes that carry meaning are visited: spaces, comments, brackets, commas and operators, more than half of a tree,
are skipped. ``libcst``'s own ``children`` runs a visitor over each node; here each class's fields are looked up once.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Dict, Iterable, Iterator, List, Optional, Set, Tuple, Type, TypeVar

import libcst as cst

__all__ = [
    "all_in",
    "argument",
    "child_fields",
    "children",
    "every",
    "kinds_of",
    "method",
    "method_name",
    "without_comma",
]

_Node = TypeVar("_Node", bound=cst.CSTNode)

# Fields that hold spaces, comments and punctuation.
_PUNCTUATION = frozenset({
    "asynchronous", "colon", "comma", "conversion", "dot", "equal", "first_line", "footer", "header", "indent",
    "lbrace", "lbracket", "leading_lines", "lines_after_decorators", "lpar", "operator", "posonly_ind", "rbrace",
    "rbracket", "relative", "rpar", "second_colon", "semicolon", "separator", "star", "trailing_whitespace",
})  # fmt: skip
# The fields in the order of the text, for classes that declare them in another order.
_IN_TEXT: Dict[str, Tuple[str, ...]] = {
    "Arg": ("keyword", "value"),
    "ClassDef": ("decorators", "name", "type_parameters", "bases", "keywords", "body"),
    "ExceptHandler": ("type", "name", "body"),
    "ExceptStarHandler": ("type", "name", "body"),
    "FunctionDef": ("decorators", "name", "type_parameters", "params", "returns", "body"),
    "IfExp": ("body", "test", "orelse"),
    "MatchCase": ("pattern", "guard", "body"),
    "Param": ("name", "annotation", "default"),
    "Parameters": ("posonly_params", "params", "star_arg", "kwonly_params", "star_kwarg"),
    "TypeAlias": ("name", "type_parameters", "value"),
}

# Per class: the fields to look into; None for a class that is not a node.
_FIELDS: Dict[type, Optional[Tuple[str, ...]]] = {}
_KINDS: Dict[type, Dict[type, bool]] = {}


def child_fields(kind: type) -> Optional[Tuple[str, ...]]:
    """The fields of a node class that may hold nodes, in the order of the text; None for any other class."""
    if kind not in _FIELDS:
        _FIELDS[kind] = _fields_of(kind) if issubclass(kind, cst.CSTNode) else None
    return _FIELDS[kind]


def _fields_of(kind: Type[cst.CSTNode]) -> Tuple[str, ...]:
    if issubclass(kind, (cst.Name, cst.BaseNumber, cst.SimpleString, cst.Ellipsis)):
        return ()
    declared = [field.name for field in dataclasses.fields(kind)]
    in_text = _IN_TEXT.get(kind.__name__, declared)
    return tuple(name for name in in_text if name not in _PUNCTUATION and not name.startswith("whitespace"))


def children(node: cst.CSTNode) -> List[cst.CSTNode]:
    """The direct child nodes of *node*."""
    found: List[cst.CSTNode] = []
    known = _FIELDS
    for name in child_fields(type(node)) or ():
        value = getattr(node, name)
        kind = type(value)
        if kind is tuple or kind is list:
            found += value
        elif (known[kind] if kind in known else child_fields(kind)) is not None:
            found.append(value)
    return found


def kinds_of(kind: Any) -> Dict[type, bool]:
    """The cache for *kind*: for each node class seen so far, whether it is a subclass of *kind*."""
    if kind not in _KINDS:
        _KINDS[kind] = {}
    return _KINDS[kind]


def every(root: cst.CSTNode, kind: Type[_Node]) -> Iterator[_Node]:
    """*root* and its descendants that are instances of *kind*, parents before children."""
    kinds = kinds_of(kind)
    waiting = [root]
    while waiting:
        node = waiting.pop()
        its = type(node)
        if its not in kinds:
            kinds[its] = issubclass(its, kind)
        if kinds[its]:
            yield node  # type: ignore[misc]
        below = children(node)
        below.reverse()
        waiting += below


def all_in(nodes: Iterable[cst.CSTNode]) -> Set[cst.CSTNode]:
    """*nodes* and all their descendants."""
    return {part for one in nodes for part in every(one, cst.CSTNode)}  # type: ignore[type-abstract]


def argument(call: cst.Call, keyword: str, position: Optional[int] = None) -> Optional[cst.BaseExpression]:
    """The value that *call* passes by *keyword* or at *position*; None if it passes none."""
    for number, one in enumerate(call.args):
        if one.star:
            return None  # a star argument: the positions after it are unknown
        if (one.keyword.value == keyword) if one.keyword else number == position:
            return one.value
    return None


def without_comma(one: cst.Arg) -> cst.Arg:
    """An argument without what separates it from the next: a comma, a line break, a comment."""
    return one.with_changes(comma=cst.MaybeSentinel.DEFAULT, whitespace_after_arg=cst.SimpleWhitespace(""))


def method_name(call: cst.Call) -> cst.CSTNode:
    """The node ``f`` of ``anything.f(...)``: in a chain over several lines, it is on the line of this call."""
    return call.func.attr if isinstance(call.func, cst.Attribute) else call.func


def method(call: cst.Call) -> str:
    """The name ``f`` of ``anything.f(...)``; "" for any other call."""
    return call.func.attr.value if isinstance(call.func, cst.Attribute) else ""
