"""Placeholders that session runs feed: in eager mode each becomes a value that is assigned before the run.

    rate = tf.placeholder(tf.float32, [])
    loss = rate * tf.reduce_sum(images)           ->      rate = tf.constant(0.5 / step, tf.float32)
    sess.run(loss, feed_dict={rate: 0.5 / step})          loss = rate * tf.reduce_sum(images)

Rule 1: ``tf.constant`` must convert a value as a session did. Placeholders of other types are left: integers, and types
        known only at run time.
Rule 2: a run feeds what it needs, through a dict in its call or one with a name (``feed_dicts``). The values are
        assigned before the run draws a batch.
Rule 3: only the model may use it, and the learning rate of ``Optimizer(rate).minimize(loss)``, which may be a function.
"""

from __future__ import annotations

from typing import Dict, Optional, Set

import libcst as cst

from queuecompat.migrate.analysis.statements import names_of, target_of, uses
from queuecompat.migrate.rewrite.refusals import refused
from queuecompat.migrate.rewrite.sessions.variables import is_static
from queuecompat.migrate.source.edits import replaced
from queuecompat.migrate.source.nodes import argument, every
from queuecompat.migrate.source.parsing import Source

__all__ = ["Placeholders"]

_TYPES = {"tf.bool", "tf.float32", "tf.float64", "tf.string"}
# They accept a function as the learning rate, and call it in each step.
_OPTIMIZERS = {
    "tf.train.AdadeltaOptimizer", "tf.train.AdagradOptimizer", "tf.train.AdamOptimizer",
    "tf.train.GradientDescentOptimizer", "tf.train.MomentumOptimizer", "tf.train.RMSPropOptimizer",
}  # fmt: skip


class Placeholders:
    """The placeholders of a block.

    Attributes:
      types: the dtype of each placeholder as it is written, by its name.
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        self.types: Dict[str, str] = {}

    def take(self, line: cst.SimpleStatementLine) -> bool:
        """Whether *line* only creates a placeholder under a plain name; if so, records it."""
        statement = line.body[0]
        value = statement.value if isinstance(statement, cst.Assign) else None
        if not isinstance(value, cst.Call) or not isinstance(target_of(line), cst.Name):
            return False
        dtype = argument(value, "dtype", 0)
        is_made = self._source.names.symbol(value.func) == "tf.placeholder"
        if not is_made or dtype is None or self._source.names.symbol(dtype) not in _TYPES:
            return False
        [name] = names_of(line)
        if not self._has_one_meaning(name):
            return False
        self.types[name] = self._source.code(dtype)
        return True

    def _has_one_meaning(self, name: str) -> bool:
        """Whether nothing asks for its shape, which a value knows more precisely, and only one line assigns it."""
        names = [one for one in self._source.every(cst.Name) if one.value == name]
        targets = (one.target for one in self._source.every(cst.AssignTarget))
        given = [one for target in targets for one in every(target, cst.Name) if one.value == name]
        return len(given) == 1 and not any(is_static(self._source, one) for one in names)

    def rates(self, optimizer: cst.BaseExpression) -> Set[str]:
        """The placeholders passed to the call that creates *optimizer*: at most one, as its learning rate.

        Raises:
          UnsupportedPatternError: there are others.
        """
        names = (one for one in every(optimizer, cst.Name) if one.value in self.types)
        found = [one for one in names if one.value in uses(optimizer)]
        rate = self._rate(optimizer)
        for one in found:
            if one is not rate:
                raise refused("fed-rate", optimizer, name=one.value)
        return {one.value for one in found}

    def as_functions(self, optimizer: cst.BaseExpression) -> str:
        """The code of *optimizer*, with a function as its learning rate if that is a placeholder."""
        rate, new = self._rate(optimizer), optimizer
        if isinstance(rate, cst.Name) and rate.value in self.types:
            new = replaced(optimizer, {rate: cst.parse_expression(f"lambda: {rate.value}")})
        return self._source.code(new)

    def _rate(self, optimizer: cst.BaseExpression) -> Optional[cst.BaseExpression]:
        """The learning rate of an optimizer that is created here and accepts a function for it, or None."""
        if not isinstance(optimizer, cst.Call) or self._source.names.symbol(optimizer.func) not in _OPTIMIZERS:
            return None
        return argument(optimizer, "learning_rate", 0)
