"""Statements and the names in them: what they read, assign and modify in place."""

from __future__ import annotations

from typing import Iterator, List, Optional, Sequence, Set, Union

import libcst as cst

from queuecompat.migrate.analysis.mentions import dotted_name
from queuecompat.migrate.source.nodes import every, method
from queuecompat.migrate.source.parsing import Source

__all__ = [
    "CHANGING",
    "WITH_TARGET",
    "Statement",
    "always_bound",
    "appended_to",
    "assigned_names",
    "bare",
    "bound_by",
    "changed_in_part",
    "declared_names",
    "defs",
    "free_names",
    "lines_of",
    "may_write",
    "names_of",
    "parts_of",
    "target_of",
    "uses",
    "value_of",
    "why_not_plain",
]  # fmt: skip

Statement = Union[cst.BaseCompoundStatement, cst.SimpleStatementLine]

WITH_TARGET = (cst.AnnAssign, cst.AssignTarget, cst.AugAssign, cst.Del, cst.For, cst.NamedExpr)
# Methods of lists, dicts and sets that modify them.
CHANGING = {"add", "append", "clear", "extend", "insert", "pop", "remove", "reverse", "setdefault", "sort", "update"}


def uses(node: cst.CSTNode) -> Set[str]:
    """The names in *node*, except attributes and keywords."""
    left_out = {attribute.attr for attribute in every(node, cst.Attribute)}
    left_out |= {one.keyword for one in every(node, cst.Arg) if one.keyword is not None}
    return {name.value for name in every(node, cst.Name) if name not in left_out}


def parts_of(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """*node* and all its descendants."""
    return every(node, cst.CSTNode)  # type: ignore[type-abstract]


def assigned_names(target: cst.CSTNode) -> List[str]:
    """The names in ``a``, ``(a, b)`` or ``[a, b]`` on the left of an assignment; empty for any other kind of target."""
    if isinstance(target, cst.Name):
        return [target.value]
    if isinstance(target, (cst.List, cst.Tuple)):
        inside = [assigned_names(element.value) for element in target.elements]
        return [name for names in inside for name in names] if all(inside) else []
    return []


def target_of(line: Statement) -> Optional[cst.BaseExpression]:
    """The target of a line that is a single assignment, or None."""
    if isinstance(line, cst.SimpleStatementLine) and len(line.body) == 1:
        statement = line.body[0]
        if isinstance(statement, cst.Assign) and len(statement.targets) == 1:
            return statement.targets[0].target
    return None


def names_of(line: Statement) -> List[str]:
    """The names that a line assigns to."""
    targets = [target.target for one in every(line, cst.Assign) for target in one.targets]
    return [name for target in targets for name in assigned_names(target)]


def lines_of(one: Statement) -> Sequence[Statement]:
    """The statements in a ``for`` loop; for any other statement, the statement itself."""
    return one.body.body if isinstance(one, cst.For) else [one]  # type: ignore[return-value]


def appended_to(line: cst.CSTNode) -> str:
    """The ``x`` of a line ``x.append(...)``; "" for any other line."""
    statement = line.body[0] if isinstance(line, cst.SimpleStatementLine) else None
    call = statement.value if isinstance(statement, cst.Expr) else None
    if isinstance(call, cst.Call) and method(call) == "append" and len(call.args) == 1:
        return dotted_name(call.func).rpartition(".")[0]
    return ""


def defs(node: cst.CSTNode) -> Set[str]:
    """The names that *node* binds as a whole, not those that it modifies in place."""
    found: Set[str] = set().union(*map(bound_by, _targets(node)))
    for one in parts_of(node):
        if isinstance(one, (cst.ClassDef, cst.FunctionDef)):
            found.add(one.name.value)
        elif isinstance(one, cst.ImportAlias) and one.asname is None:
            found.add(dotted_name(one.name).partition(".")[0])
    return found


def always_bound(*lines: cst.CSTNode) -> Set[str]:
    """The names that *lines* bind on every path through them."""
    return set().union(*map(_always_bound_by, lines))


def _always_bound_by(line: cst.CSTNode) -> Set[str]:
    if isinstance(line, (cst.ClassDef, cst.FunctionDef)):
        return {line.name.value}
    if isinstance(line, cst.WithItem):
        return defs(line)
    if isinstance(line, cst.SimpleStatementLine):
        return defs(line) - {name for one in every(line, cst.Del) for name in bound_by(one.target)}
    if isinstance(line, (cst.Else, cst.Finally, cst.IndentedBlock, cst.With)):
        opened = always_bound(*line.items) if isinstance(line, cst.With) else set()
        block = line if isinstance(line, cst.IndentedBlock) else line.body
        return opened | (always_bound(*block.body) if isinstance(block, cst.IndentedBlock) else defs(block))
    if isinstance(line, cst.If):
        other = set() if line.orelse is None else _always_bound_by(line.orelse)
        return _always_bound_by(cst.Else(line.body)) & other
    if isinstance(line, cst.Try):
        last = set() if line.finalbody is None else _always_bound_by(line.finalbody)
        return last if line.handlers else last | _always_bound_by(cst.Else(line.body))
    return set()


def bound_by(target: cst.CSTNode) -> Set[str]:
    """The ``a`` and ``b`` of ``a, (*b, c.part, d[0])``."""
    if isinstance(target, (cst.List, cst.Tuple)):
        return set().union(*(bound_by(element.value) for element in target.elements))
    return {target.value} if isinstance(target, cst.Name) else set()


def may_write(source: Source, node: cst.CSTNode) -> Set[str]:
    """The names that *node* binds, and those whose values it modifies in place.

    Functions of a module do not modify it: ``tf.add(...)`` is not a method that changes ``tf``.
    """
    calls = (call.func for call in every(node, cst.Call) if method(call) in CHANGING)
    roots = (dotted_name(one).partition(".")[0] for one in calls if source.names.full(one) is None)
    return (defs(node).union(*map(_roots, _targets(node)), roots)) - {""}


def changed_in_part(node: cst.CSTNode) -> Set[str]:
    """The names whose values *node* modifies by assignment: the ``a`` of ``a.part = 1`` and ``a[0] += 1``."""
    targets = [one.target for one in parts_of(node) if isinstance(one, WITH_TARGET)]
    inside = (part for target in targets for part in parts_of(target))
    return {name for part in inside if isinstance(part, (cst.Attribute, cst.Subscript)) for name in _roots(part)}


def free_names(function: cst.CSTNode) -> Set[str]:
    """The names that a function or class reads from its enclosing scope."""
    own = {name.value for one in every(function, cst.Param) for name in [one.name]}
    turns = (name for one in every(function, cst.CompFor) for name in assigned_names(one.target))
    return (uses(function) - defs(function) - own.union(turns)) | declared_names(function)


def declared_names(function: cst.CSTNode) -> Set[str]:
    """The names that ``global`` and ``nonlocal`` statements of a function declare."""
    return {item.name.value for one in every(function, cst.Global) for item in one.names} | {
        item.name.value for one in every(function, cst.Nonlocal) for item in one.names
    }


def _targets(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """All targets in *node* that are bound, or modified by assignment to an item or attribute."""
    for one in parts_of(node):
        if isinstance(one, WITH_TARGET):
            yield one.target
        elif isinstance(one, cst.AsName):
            yield one.name


def _roots(target: cst.CSTNode) -> Set[str]:
    """The ``a``, ``b`` and ``c`` of ``a, b.part, c[0]``."""
    if isinstance(target, (cst.List, cst.Tuple)):
        return set().union(*(_roots(element.value) for element in target.elements))
    while isinstance(target, (cst.Attribute, cst.Subscript)):
        target = target.value
    return {target.value} if isinstance(target, cst.Name) else set()


def value_of(line: Statement) -> Optional[cst.BaseExpression]:
    """The value of a line that is a single assignment or return statement."""
    if isinstance(line, cst.SimpleStatementLine) and len(line.body) == 1:
        statement = line.body[0]
        if isinstance(statement, (cst.Assign, cst.Return)):
            return statement.value
    return None


def bare(target: cst.BaseExpression) -> cst.BaseExpression:
    """A target without the parentheses or brackets around it."""
    if isinstance(target, cst.List):
        return cst.Tuple(target.elements, lpar=[], rpar=[])
    return target.with_changes(lpar=[], rpar=[]) if isinstance(target, cst.Tuple) else target


def why_not_plain(line: Statement) -> str:
    """Why a line is not a single plain assignment, as a key of the table of refusals; "" if unknown."""
    if not isinstance(line, cst.SimpleStatementLine):
        return ""
    if len(line.body) > 1:
        return "several-statements"
    if isinstance(line.body[0], cst.AnnAssign):
        return "annotated"
    return "augmented" if isinstance(line.body[0], cst.AugAssign) else ""
