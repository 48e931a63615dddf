"""What statements need of the names around them, before they move into a function of their own.

In ``decode`` and ``finish`` a name that is given a value is theirs alone, from their first line on; all others are
those of the function around them, as they are at its end. So it matters which names statements need from outside,
which they give a value to, and which they change in part.
"""

from __future__ import annotations

from typing import Any, Iterable, Sequence, Set

import libcst as cst

from queuecompat.migrate.rewrites.statements import changed_names, reads
from queuecompat.migrate.sources import Source
from queuecompat.migrate.walking import every

__all__ = ["bound_names", "mutated_names", "needed_names", "unused"]

_BLOCKS = (cst.Else, cst.For, cst.If, cst.While, cst.With)
# Whoever comes behind them has the names that they give a value to.
_ALWAYS_BIND = (cst.ClassDef, cst.FunctionDef, cst.SimpleStatementLine, cst.With)


def unused(name: str, nodes: Iterable[cst.CSTNode]) -> str:
    """*name*, or one like it that *nodes* do not have."""
    taken: Set[str] = set().union(*map(reads, nodes))
    while name in taken:
        name += "_"
    return name


def bound_names(node: cst.CSTNode) -> Set[str]:
    """The names that *node* gives a value to, whole and not in part."""
    found: Set[str] = set()
    for one in every(node, cst.CSTNode):  # type: ignore[type-abstract]
        if isinstance(one, (cst.AnnAssign, cst.AssignTarget, cst.AugAssign, cst.Del, cst.For, cst.NamedExpr)):
            found |= _plain(one.target)
        elif isinstance(one, cst.AsName):
            found |= _plain(one.name)
        elif isinstance(one, (cst.ClassDef, cst.FunctionDef)):
            found.add(one.name.value)
        elif isinstance(one, cst.ImportAlias) and one.asname is None:
            found.add(one.evaluated_name.partition(".")[0])
    return found


def mutated_names(source: Source, node: cst.CSTNode) -> Set[str]:
    """The names of what *node* changes in part: by ``append``, or by assigning to an item or an attribute."""
    imported = {name.value for name in every(node, cst.Name) if source.names.full(name)}
    return changed_names(node) - bound_names(node) - imported


def needed_names(statements: Sequence[cst.CSTNode], given: Iterable[str] = ()) -> Set[str]:
    """The names that *statements* read where they may not have given them a value themselves.

    Args:
      given: names that have one to begin with.
    """
    bound, found = set(given), set()
    for one in statements:
        found |= _needed_by(one, bound)
        if isinstance(one, _ALWAYS_BIND):
            bound |= bound_names(one)
    return found


def _needed_by(node: Any, bound: Set[str]) -> Set[str]:
    if isinstance(node, cst.IndentedBlock):
        return needed_names(node.body, bound)
    if isinstance(node, cst.SimpleStatementLine):
        return set().union(*(_read_by(one) for one in node.body)) - bound
    if not isinstance(node, _BLOCKS):
        return _free(node) - bound
    targets = _plain(node.target) if isinstance(node, cst.For) else set()
    if isinstance(node, cst.With):
        targets = set().union(*(bound_names(one) for one in node.items))
        heads: Set[str] = set().union(*(_free(one.item) for one in node.items))
        return (heads - bound) | _needed_by(node.body, bound | targets)
    children = [one for one in node.children if one is not getattr(node, "target", None)]
    return set().union(*(_needed_by(one, bound | targets) for one in children))


def _read_by(statement: cst.BaseSmallStatement) -> Set[str]:
    if isinstance(statement, cst.Assign):
        targets = [one.target for one in statement.targets]
    elif isinstance(statement, cst.AnnAssign) and statement.value is not None:
        targets = [statement.target]
    else:
        return _free(statement)
    found = _free(statement.value) if statement.value is not None else set()
    return found.union(*(_free(one) - _plain(one) for one in targets))


def _plain(target: cst.CSTNode) -> Set[str]:
    """The ``a`` and ``b`` of ``a, (*b, c.part, d[0])``."""
    if isinstance(target, (cst.List, cst.Tuple)):
        return set().union(*(_plain(element.value) for element in target.elements))
    return {target.value} if isinstance(target, cst.Name) else set()


def _free(node: cst.CSTNode) -> Set[str]:
    """The names that *node* reads, but for those that its comprehensions give a value to."""
    if isinstance(node, cst.BaseComp):
        inside: Set[str] = set().union(*map(_free, node.children))
        return inside - set().union(*(_plain(one.target) for one in every(node, cst.CompFor))) | _free(node.for_in.iter)
    if isinstance(node, (cst.Arg, cst.Attribute)):
        return _free(node.value)
    return {node.value} if isinstance(node, cst.Name) else set().union(*map(_free, node.children))
