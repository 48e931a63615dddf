"""Finds where nodes begin: line from 1, column from 0.

A ``libcst`` tree holds no positions; its position provider generates the whole file again to find them. Python's own
parser records them directly, and both trees have the same names, attributes, calls and statements in the same order.
If the two trees have different numbers of nodes of a kind, and for all other kinds, the provider is used.

What it leaves out: whatever is inside f-strings, where Python's positions are right only from Python 3.12 on.
"""

from __future__ import annotations

import ast
import functools
import warnings
from typing import Any, Callable, Dict, Iterator, List, Optional, Set, Tuple

import libcst as cst

from queuecompat.migrate.source.index import Index

__all__ = ["Positions"]

Place = Tuple[int, int]

_CONSTANTS = {"False", "None", "True"}
# Kinds of nodes that both trees have.
_KINDS: Dict[type, type] = {
    ast.Attribute: cst.Attribute,
    ast.Call: cst.Call,
    ast.Name: cst.Name,
    ast.alias: cst.ImportAlias,
}
_STATEMENTS = (cst.BaseCompoundStatement, cst.BaseSmallStatement)
# The two parsers disagree about which parts of these statements are names and which are plain text.
_UNALIKE = tuple(getattr(cst, name) for name in ("Match", "TypeAlias", "TypeParameters") if hasattr(cst, name))


class Positions:
    """The positions of a file's nodes.

    Args:
      text: the text of the file.
      tree: its syntax tree.
      index: the index of *tree*.
      provider: returns the position of a node that cannot be found otherwise (slow).
    """

    def __init__(self, text: str, tree: cst.Module, index: Index, provider: Callable[[cst.CSTNode], Any]) -> None:
        self._text, self._tree, self._index, self._provider = text, tree, index, provider
        self._places: Dict[cst.CSTNode, Place] = {}
        self._read: Set[Any] = set()

    def __getitem__(self, node: cst.CSTNode) -> Place:
        """Where *node* begins, not counting parentheses around it."""
        if isinstance(node, cst.SimpleStatementLine) and node.body:
            node = node.body[0]
        for kind in self._kinds_of(node):
            if kind not in self._read:
                self._read.add(kind)
                self._places.update(self._of_kind(kind))
        found = self._places.get(node)
        if found is None:
            start = self._provider(node)
            found = start.line, start.column
        return found

    def _kinds_of(self, node: cst.CSTNode) -> Tuple[type, ...]:
        """The kinds of nodes whose positions have to be matched to find that of *node*."""
        if isinstance(node, _STATEMENTS):
            return (cst.CSTNode,)
        parent = self._index.parents.get(node)
        if isinstance(parent, (cst.Attribute, cst.ImportAlias)):
            return (type(node), type(parent))
        return (type(node),)

    def _of_kind(self, kind: type) -> Iterator[Tuple[cst.CSTNode, Place]]:
        found, nodes = self._theirs.get(kind, []), self._mine(kind)
        if len(found) != len(nodes):
            return
        found.sort(key=lambda one: (one.lineno, one.col_offset, -one.end_lineno, -one.end_col_offset))
        for node, one in zip(nodes, found):
            yield node, self._columns.start(one)
            if kind is cst.Attribute:
                yield node.attr, self._columns.last(one, node.attr.value)
            elif kind is cst.ImportAlias:
                yield node.name, self._columns.start(one)

    @functools.cached_property
    def _columns(self) -> _Columns:
        return _Columns(self._text)

    @functools.cached_property
    def _theirs(self) -> Dict[type, List[Any]]:
        """The nodes of Python's own tree, by kind; empty if the trees cannot be matched."""
        parsed = _parsed(self._text)
        if parsed is None or any(True for kind in _UNALIKE for _ in self._index.every(self._tree, kind)):
            return {}
        return _nodes_of(parsed)

    @functools.cached_property
    def _hidden(self) -> Set[cst.CSTNode]:
        """Expressions inside f-strings and imports, which are not matched."""
        kinds = (cst.FormattedString, cst.ImportAlias, cst.ImportFrom)
        roots = [one for kind in kinds for one in self._index.every(self._tree, kind)]
        return {one for root in roots for one in self._index.every(root, cst.BaseExpression)}  # type: ignore[type-abstract]

    def _mine(self, kind: Any) -> List[Any]:
        """The nodes of this tree that Python's tree has too, in the order of the text."""
        every, tree = self._index.every, self._tree
        if kind is cst.CSTNode:
            statements = [one for it in _STATEMENTS for one in every(tree, it)]
            return sorted(statements, key=self._index.place)
        if kind is cst.ImportAlias:
            return list(every(tree, kind))
        found = [one for one in every(tree, kind) if one not in self._hidden]
        return [one for one in found if self._is_expression(one)] if kind is cst.Name else found

    def _is_expression(self, name: cst.Name) -> bool:
        """Whether it is a name for Python's parser too, and not just a part of its parent node."""
        if name.value in _CONSTANTS:
            return False
        parent = self._index.parents[name]
        if isinstance(parent, cst.Attribute):
            return parent.value is name
        if isinstance(parent, cst.Arg):
            return parent.value is name
        if isinstance(parent, (cst.ClassDef, cst.FunctionDef)):
            return False
        if isinstance(parent, cst.Param):
            return parent.default is name
        if isinstance(parent, cst.AsName):
            return isinstance(self._index.parents[parent], cst.WithItem)
        return not isinstance(parent, cst.NameItem)


class _Columns:
    """Converts columns: Python's positions count UTF-8 bytes, ours count characters."""

    def __init__(self, text: str) -> None:
        self._lines = [] if text.isascii() else text.encode("utf-8", "surrogatepass").splitlines()

    def start(self, node: Any) -> Place:
        return node.lineno, self._column(node.lineno, node.col_offset)

    def last(self, node: Any, word: str) -> Place:
        """Where *word*, the last word of *node*, begins."""
        return node.end_lineno, self._column(node.end_lineno, node.end_col_offset) - len(word)

    def _column(self, line: int, column: int) -> int:
        return len(self._lines[line - 1][:column].decode("utf-8", "surrogatepass")) if self._lines else column


def _parsed(text: str) -> Optional[ast.Module]:
    """Python's own tree; None if *text* does not parse, or if Python would number its lines differently."""
    if "\r" in text.replace("\r\n", ""):
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except (SyntaxError, RecursionError, ValueError):
        return None


def _nodes_of(root: ast.Module) -> Dict[type, List[Any]]:
    found: Dict[type, List[Any]] = {}
    waiting: List[ast.AST] = [root]
    while waiting:
        node = waiting.pop()
        kind = cst.CSTNode if isinstance(node, ast.stmt) else _KINDS.get(type(node))
        if kind is not None and hasattr(node, "lineno") and getattr(node, "name", "") != "*":
            found.setdefault(kind, []).append(node)
        if isinstance(node, ast.JoinedStr):
            continue
        for value in node.__dict__.values():
            if isinstance(value, list):
                waiting += (one for one in value if isinstance(one, ast.AST))
            elif isinstance(value, ast.AST):
                waiting.append(value)
    return found
