"""Recognises names of variables, and statements that read variables: in a graph these are computed again in every run.

    weights = tf.Variable(...)                 creates a variable, once
    penalty = 0.01 * tf.nn.l2_loss(weights)    reads one: it belongs to the model, although it needs no batch

The same is true of random tensors, which are drawn again in every run. A learning rate that depends on the step is a
function in eager mode, which the optimizer calls in every step. A statement that creates a variable and also computes
from it is refused.
"""

from __future__ import annotations

from typing import List, Set

import libcst as cst

from queuecompat.migrate.analysis.call_graph import calls_of, definition
from queuecompat.migrate.analysis.statements import (
    Statement,
    defs,
    names_of,
    parts_of,
    uses,
    why_not_plain,
)
from queuecompat.migrate.rewrite.refusals import refused
from queuecompat.migrate.source.nodes import every
from queuecompat.migrate.source.parsing import Source

__all__ = ["MAKERS", "Variables", "is_static", "is_variable"]

MAKERS = {
    "tf.Variable", "tf.get_variable", "tf.train.create_global_step", "tf.train.get_global_step",
    "tf.train.get_or_create_global_step",
}  # fmt: skip
_SCHEDULES = {
    "tf.train.cosine_decay", "tf.train.exponential_decay", "tf.train.inverse_time_decay", "tf.train.natural_exp_decay",
    "tf.train.piecewise_constant", "tf.train.polynomial_decay",
}  # fmt: skip
_RANDOM = ("tf.random.", "tf.random_", "tf.truncated_normal")


# They ask what a graph knows statically of a tensor or a variable, and run nothing.
_STATIC = {"dtype", "get_shape", "graph", "name", "op", "shape"}


def is_static(source: Source, name: cst.CSTNode) -> bool:
    """Whether *name* is the ``x`` of ``x.get_shape()`` or ``x.dtype``."""
    around = source.parents.get(name)
    return isinstance(around, cst.Attribute) and around.attr.value in _STATIC


def is_variable(source: Source, value: cst.CSTNode) -> bool:
    """Whether *value* is a call that creates, or finds, a variable."""
    if not isinstance(value, cst.Call):
        return False
    symbol = source.names.symbol(value.func)
    return symbol in MAKERS or (symbol.startswith("tf.contrib.") and symbol.endswith("global_step"))


class Variables:
    """The variables of a block, statement by statement.

    Attributes:
      names: the names that hold variables.
      fleeting: the names whose values differ in every run: random tensors, and learning rates that depend on the step.
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        self.names: Set[str] = set()
        self.fleeting: Set[str] = set()

    def note(self, one: Statement) -> bool:
        """Whether *one* only creates variables, or a learning rate that depends on the step; if so, records it.

        Raises:
          UnsupportedPatternError: it creates variables and also computes from them.
        """
        if isinstance(one, (cst.ClassDef, cst.FunctionDef)):
            return False
        if not isinstance(one, cst.SimpleStatementLine):
            return self._note_block(one)
        if self._makes(one):
            values = [part.value for part in one.body if isinstance(part, cst.Assign)]
            if len(values) != len(one.body) or not all(self._is_variable(value) for value in values):
                raise refused(why_not_plain(one) or "makes-and-more", one)
            self.names.update(names_of(one))
            return True
        if self._is_schedule(one):
            self.fleeting.update(names_of(one))
            return True
        symbols = [self._source.names.symbol(call.func) for call in every(one, cst.Call)]
        if any(symbol.startswith(_RANDOM) and not symbol.endswith("initializer") for symbol in symbols):
            self.fleeting.update(names_of(one))
        return False

    def _is_schedule(self, line: cst.SimpleStatementLine) -> bool:
        value = line.body[0].value if isinstance(line.body[0], cst.Assign) else None
        return isinstance(value, cst.Call) and self._source.names.symbol(value.func) in _SCHEDULES

    def are_read(self, one: cst.CSTNode) -> bool:
        """Whether *one* reads the value of a variable, and not only its shape."""
        names = [name for name in every(one, cst.Name) if name.value in self.names and name.value in uses(one)]
        return not all(is_static(self._source, name) for name in names)

    def _note_block(self, one: Statement) -> bool:
        inside = [part for part in parts_of(one) if isinstance(part, cst.SimpleStatementLine)]
        made = [self.note(line) for line in inside]
        for line, makes in zip(inside, made):
            if self.are_read(line) and not makes:
                raise refused("variable-in-block", line)
        return any(made)

    def _makes(self, node: cst.CSTNode) -> bool:
        """Whether *node* creates variables, or calls a function that does."""
        return any(self._source.names.symbol(call.func) in MAKERS for call in calls_of(self._source, node))

    def _is_variable(self, value: cst.BaseExpression) -> bool:
        """Whether *value* is a variable, or several in a list or tuple."""
        if isinstance(value, (cst.List, cst.Tuple)):
            return all(self._is_variable(element.value) for element in value.elements)
        if isinstance(value, (cst.ListComp, cst.GeneratorExp)):
            return self._is_variable(value.elt)
        if not isinstance(value, cst.Call):
            return False
        called = definition(self._source, value.func)
        return self._source.names.symbol(value.func) in MAKERS or (
            isinstance(called, cst.FunctionDef) and self._returns_variables(called)
        )

    def _returns_variables(self, function: cst.FunctionDef) -> bool:
        """Whether *function* returns only variables: ``return tf.Variable(...)``, or a name for one."""
        assigned = [one for one in every(function, cst.Assign) if isinstance(one.targets[0].target, cst.Name)]
        returned = [one.value for one in every(function, cst.Return) if one.value is not None]
        for value in list(returned):
            if isinstance(value, cst.Name):
                returned.remove(value)
                found: List[cst.BaseExpression] = [one.value for one in assigned if value.value in defs(one.targets[0])]
                returned += found or [value]
        names = [value for value in returned if isinstance(value, cst.Name)]
        return bool(returned) and not names and all(self._is_variable(value) for value in returned)
