"""Simplifies conditions on a coordinator that nothing stops any more: ``step < 9 and not coord.should_stop()``."""

from __future__ import annotations

from typing import Union

import libcst as cst

from queuecompat.migrate.analysis.mentions import dotted_name
from queuecompat.migrate.rewrite.sessions.plumbing import Plumbing
from queuecompat.migrate.source.nodes import method

__all__ = ["without_stops"]


def without_stops(plumbing: Plumbing, test: cst.BaseExpression) -> Union[bool, cst.BaseExpression]:
    """*test* with ``should_stop()`` taken as false; True or False if the value of *test* is then known."""
    if isinstance(test, cst.Call) and method(test) == "should_stop":
        return False if dotted_name(test.func).partition(".")[0] in plumbing.names else test
    if isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
        inner = without_stops(plumbing, test.expression)
        return not inner if isinstance(inner, bool) else test
    if isinstance(test, cst.BooleanOperation):
        left, right = without_stops(plumbing, test.left), without_stops(plumbing, test.right)
        unit = isinstance(test.operator, cst.And)
        if isinstance(left, bool):
            return right if left is unit else left
        if isinstance(right, bool):
            # The left side is evaluated in any case, and may have effects.
            return left if right is unit else test
    return test
