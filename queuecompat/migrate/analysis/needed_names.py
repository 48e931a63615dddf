"""Which outer names a sequence of statements needs, when it moves into a function of its own.

In the new functions ``decode`` and ``finish``, an assigned name is local from the first line on, while every other name
refers to the enclosing function and has the value that it has at that function's end. It therefore matters which names
the statements read from outside, which they assign, and which they modify in place.
"""

from __future__ import annotations

from typing import Any, Iterable, Sequence, Set

import libcst as cst

from queuecompat.migrate.analysis.statements import bound_by, defs, may_write, uses
from queuecompat.migrate.source.nodes import children, every
from queuecompat.migrate.source.parsing import Source

__all__ = ["mutates", "needed_names", "unused"]

_BLOCKS = (cst.Else, cst.For, cst.If, cst.While, cst.With)
# Names that these assign are certainly bound after them.
_ALWAYS_BIND = (cst.ClassDef, cst.FunctionDef, cst.SimpleStatementLine, cst.With)


def unused(name: str, nodes: Iterable[cst.CSTNode]) -> str:
    """*name*, with ``_`` appended until *nodes* do not use it."""
    taken: Set[str] = set().union(*map(uses, nodes))
    while name in taken:
        name += "_"
    return name


def mutates(source: Source, node: cst.CSTNode) -> Set[str]:
    """The names whose values *node* modifies in place: by ``append``, or by assigning to an item or an attribute."""
    return may_write(source, node) - defs(node)


def needed_names(statements: Sequence[cst.CSTNode], given: Iterable[str] = ()) -> Set[str]:
    """The names that *statements* may read before they have assigned them.

    Args:
      given: names that have a value from the start.
    """
    bound, found = set(given), set()
    for one in statements:
        found |= _needed_by(one, bound)
        if isinstance(one, _ALWAYS_BIND):
            bound |= defs(one)
    return found


def _needed_by(node: Any, bound: Set[str]) -> Set[str]:
    if isinstance(node, cst.IndentedBlock):
        return needed_names(node.body, bound)
    if isinstance(node, cst.SimpleStatementLine):
        return set().union(*(_read_by(one) for one in node.body)) - bound
    if not isinstance(node, _BLOCKS):
        return _free(node) - bound
    targets = bound_by(node.target) if isinstance(node, cst.For) else set()
    if isinstance(node, cst.With):
        targets = set().union(*(defs(one) for one in node.items))
        heads: Set[str] = set().union(*(_free(one.item) for one in node.items))
        return (heads - bound) | _needed_by(node.body, bound | targets)
    inside = [one for one in children(node) if one is not getattr(node, "target", None)]
    return set().union(*(_needed_by(one, bound | targets) for one in inside))


def _read_by(statement: cst.BaseSmallStatement) -> Set[str]:
    if isinstance(statement, cst.Assign):
        targets = [one.target for one in statement.targets]
    elif isinstance(statement, cst.AnnAssign) and statement.value is not None:
        targets = [statement.target]
    else:
        return _free(statement)
    found = _free(statement.value) if statement.value is not None else set()
    return found.union(*(_free(one) - bound_by(one) for one in targets))


def _free(node: cst.CSTNode) -> Set[str]:
    """The names that *node* reads, except those that its own comprehensions bind."""
    if isinstance(node, cst.BaseComp):
        inside: Set[str] = set().union(*map(_free, children(node)))
        return inside - set().union(*(bound_by(one.target) for one in every(node, cst.CompFor))) | _free(
            node.for_in.iter
        )
    if isinstance(node, (cst.Arg, cst.Attribute)):
        return _free(node.value)
    return {node.value} if isinstance(node, cst.Name) else set().union(*map(_free, children(node)))
