"""The lists of tensors that a join gets: written ``examples = [read(queue) for _ in range(4)]``, or built in a loop.

    for _ in range(4):                                             _, record = reader.read(queue)
        _, record = reader.read(queue)                       ->    one list, [record], four times
        examples.append([record])

All lists must be alike. Then one of them is analysed, and one function, mapped in parallel, replaces all of them.
"""

from __future__ import annotations

from typing import Any, Dict, Iterator, Optional, Sequence, Set, Tuple

import libcst as cst

from queuecompat.migrate.analysis.mentions import dotted_name
from queuecompat.migrate.analysis.needed_names import mutates, needed_names
from queuecompat.migrate.analysis.statements import (
    Statement,
    appended_to,
    defs,
    lines_of,
    names_of,
)
from queuecompat.migrate.rewrite.pipelines.batchers import BATCHERS
from queuecompat.migrate.rewrite.refusals import refused
from queuecompat.migrate.source.nodes import argument, every
from queuecompat.migrate.source.parsing import Source

__all__ = ["Joins", "repeated"]

# One of the lists, and their number as an expression.
_Lists = Tuple[cst.BaseExpression, str]


class Joins:
    """The joins of a pipeline.

    Args:
      lines: all statements of the pipeline, including those in loops.

    Attributes:
      lists: for each name of lists, one of them, and their number as an expression.
    """

    def __init__(self, source: Source, lines: Sequence[Statement]) -> None:
        self._source = source
        self._names = {dotted_name(one) for line in lines for one in _given(source, line)} - {""}
        self.lists: Dict[str, _Lists] = {}

    def is_list(self, one: Statement, value: cst.BaseExpression) -> bool:
        """Whether a line creates such lists, or the ``[]`` to which a loop appends; if so, records them.

        Raises:
          UnsupportedPatternError: the lists are not all alike.
        """
        names = names_of(one)
        if len(names) != 1 or names[0] not in self._names:
            return False
        if not isinstance(value, cst.List) or value.elements:
            self.lists[names[0]] = self.alike(one, value)
        return True

    def alike(self, one: cst.CSTNode, value: cst.BaseExpression) -> _Lists:
        """One of the lists that *value* is or names, and their number.

        Raises:
          UnsupportedPatternError: the lists are not all alike.
        """
        found = self.lists.get(dotted_name(value)) or _alike(self._source, value)
        if found is None:
            raise refused("lists-differ", one)
        return found

    def is_loop(self, loop: cst.For) -> bool:
        """Whether a loop appends to such lists."""
        return any(appended_to(line) in self._names for line in lines_of(loop))

    def take_loop(self, loop: cst.For) -> str:
        """Records the list that the last line of *loop* appends; returns the number of iterations as an expression.

        Raises:
          UnsupportedPatternError: the lists are not all alike.
        """
        *body, last = lines_of(loop)
        times = repeated(self._source, loop, loop.body)
        name = appended_to(last)
        if times is None or name not in self._names or name in self.lists or loop.orelse is not None:
            raise refused("lists-differ", loop)
        bound: Set[str] = set().union(*map(defs, body))
        if bound & needed_names(body) or any(mutates(self._source, line) - bound for line in body):
            raise refused("lists-differ", loop)
        self.lists[name] = (last.body[0].value.args[0].value, times)  # type: ignore[index, union-attr]
        return times


def _given(source: Source, line: cst.CSTNode) -> Iterator[cst.BaseExpression]:
    """The arguments of the joins in a line."""
    for call in every(line, cst.Call):
        parameters = BATCHERS.get(source.names.symbol(call.func), ("",))
        found = argument(call, parameters[0], 0)
        if parameters[0] == "tensors_list" and found is not None:
            yield found


def _alike(source: Source, node: cst.BaseExpression) -> Optional[_Lists]:
    """The lists that are written out in *node*; None if they are not alike."""
    if isinstance(node, cst.ListComp):
        loop = node.for_in
        count = repeated(source, loop, node.elt)
        return None if count is None or loop.ifs or loop.inner_for_in else (node.elt, count)
    if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.Multiply):
        inside = _alike(source, node.left)
        return None if inside is None or inside[1] != "1" else (inside[0], source.code(node.right))
    if isinstance(node, (cst.List, cst.Tuple)) and node.elements:
        codes = {source.code(element.value) for element in node.elements}
        return (node.elements[0].value, str(len(node.elements))) if len(codes) == 1 else None
    return None


def repeated(source: Source, loop: Any, body: cst.CSTNode) -> Optional[str]:
    """The ``n`` of a loop over ``range(n)`` that does the same in each iteration."""
    steps, target = loop.iter, loop.target
    if not isinstance(steps, cst.Call) or len(steps.args) != 1 or not isinstance(target, cst.Name):
        return None
    if source.code(steps.func) not in ("range", "xrange"):
        return None
    # "_" may be reassigned in the body, by "_, record = reader.read(queue)".
    given = {id(name) for one in every(body, cst.AssignTarget) for name in every(one, cst.Name)}
    counted = any(name.value == target.value and id(name) not in given for name in every(body, cst.Name))
    return None if counted else source.code(steps.args[0].value)
