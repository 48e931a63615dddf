"""Statements and the names in them."""

from __future__ import annotations

from typing import List, Optional, Set, Union

import libcst as cst

from queuecompat.migrate.walking import every

__all__ = ["OtherShapeError", "Statement", "assigned_names", "names_of", "reads", "target_of", "value_of"]

Statement = Union[cst.BaseCompoundStatement, cst.SimpleStatementLine]


class OtherShapeError(Exception):
    """The program is not of the classic shape.

    Attributes:
      node: where.
      reason: why, in a few words.
    """

    def __init__(self, node: cst.CSTNode, reason: str) -> None:
        self.node, self.reason = node, reason
        super().__init__(reason)


def reads(node: cst.CSTNode) -> Set[str]:
    """The names that stand in *node*, but for attributes and keywords."""
    left_out = {attribute.attr for attribute in every(node, cst.Attribute)}
    left_out |= {one.keyword for one in every(node, cst.Arg) if one.keyword is not None}
    return {name.value for name in every(node, cst.Name) if name not in left_out}


def assigned_names(target: cst.CSTNode) -> List[str]:
    """The names of ``a``, ``(a, b)`` or ``[a, b]`` on the left of an assignment; none if anything else is there."""
    if isinstance(target, cst.Name):
        return [target.value]
    if isinstance(target, (cst.List, cst.Tuple)):
        inside = [assigned_names(element.value) for element in target.elements]
        return [name for names in inside for name in names] if all(inside) else []
    return []


def target_of(line: Statement) -> Optional[cst.BaseExpression]:
    """What a line that is a single assignment assigns to."""
    if isinstance(line, cst.SimpleStatementLine) and len(line.body) == 1:
        statement = line.body[0]
        if isinstance(statement, cst.Assign) and len(statement.targets) == 1:
            return statement.targets[0].target
    return None


def names_of(line: Statement) -> List[str]:
    """The names that a line assigns to."""
    targets = [target.target for one in every(line, cst.Assign) for target in one.targets]
    return [name for target in targets for name in assigned_names(target)]


def value_of(line: Statement) -> Optional[cst.BaseExpression]:
    """The value of a line that is one assignment, or one return."""
    if isinstance(line, cst.SimpleStatementLine) and len(line.body) == 1:
        statement = line.body[0]
        if isinstance(statement, (cst.Assign, cst.Return)):
            return statement.value
    return None
