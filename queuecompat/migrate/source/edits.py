"""Replaces nodes of a tree; only the ancestors of replaced nodes are rebuilt.

A replacement is a node; in a list of statements it may be several (``FlattenSentinel``) or none (``RemoveFromParent``).
A block that would become empty gets a ``pass``.
"""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional, Set

import libcst as cst

from queuecompat.migrate.source.nodes import child_fields, children, every

__all__ = ["renamed", "replaced"]


def replaced(
    root: Any, new: Mapping[cst.CSTNode, Any], parents: Optional[Mapping[cst.CSTNode, cst.CSTNode]] = None
) -> Any:
    """Returns *root* with nodes replaced: *new* maps old nodes to new ones.

    Nodes inside a replaced node are not visited.

    Args:
      parents: from the nodes of *root* to their parents; computed if omitted.
    """
    if root in new:
        return new[root]
    parents = _parents(root) if parents is None else parents
    touched: Set[cst.CSTNode] = set()
    for node in new:
        around = parents.get(node)
        while around is not None and around not in touched:
            touched.add(around)
            around = parents.get(around)
    return _rebuilt(root, new, touched) if root in touched else root


def renamed(node: Any, new: Mapping[str, Any]) -> Any:
    """*node* with its names replaced by those names or values that *new* has for them."""
    left_out = {one.attr for one in every(node, cst.Attribute)}
    left_out |= {one.keyword for one in every(node, cst.Arg) if one.keyword is not None}
    changes: Dict[cst.CSTNode, Any] = {
        name: new[name.value]
        for name in every(node, cst.Name)
        if name not in left_out and name.value in new and new[name.value].deep_equals(name) is False
    }
    return replaced(node, changes) if changes else node


def _parents(root: cst.CSTNode) -> Dict[cst.CSTNode, cst.CSTNode]:
    found: Dict[cst.CSTNode, cst.CSTNode] = {}
    waiting = [root]
    while waiting:
        node = waiting.pop()
        below = children(node)
        found.update(dict.fromkeys(below, node))
        waiting += below
    return found


def _rebuilt(node: Any, new: Mapping[cst.CSTNode, Any], touched: Set[cst.CSTNode]) -> Any:
    if node in new:
        return new[node]
    if node not in touched:
        return node
    changes: Dict[str, Any] = {}
    for name in child_fields(type(node)) or ():
        value = getattr(node, name)
        if isinstance(value, (list, tuple)):
            inside = [_rebuilt(one, new, touched) for one in value]
            if any(one is not old for one, old in zip(inside, value)):
                changes[name] = _flat(inside)
        elif isinstance(value, cst.CSTNode):
            one = _rebuilt(value, new, touched)
            if one is not value:
                changes[name] = one
    if isinstance(node, cst.IndentedBlock) and changes.get("body") == []:
        changes["body"] = [cst.SimpleStatementLine([cst.Pass()])]
    return node.with_changes(**changes) if changes else node


def _flat(nodes: List[Any]) -> List[Any]:
    found: List[Any] = []
    for one in nodes:
        if isinstance(one, cst.FlattenSentinel):
            found += one.nodes
        elif not isinstance(one, cst.RemovalSentinel):
            found.append(one)
    return found
