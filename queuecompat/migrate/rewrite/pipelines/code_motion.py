"""Decides whether the statements of a pipeline may move.

Statements that involve neither a record nor a batch move to the front; the others move into functions of their own.
No value may change by that; where one might, the pipeline stays unchanged.
"""

from __future__ import annotations

from typing import Any, List, Optional, Sequence, Set

import libcst as cst

from queuecompat._analysis.op_facts import varies_per_record
from queuecompat.migrate.analysis.aliases import Aliases
from queuecompat.migrate.analysis.attributes import assigned
from queuecompat.migrate.analysis.call_graph import calls_of
from queuecompat.migrate.analysis.effects import changed_by_calls, drawn_from
from queuecompat.migrate.analysis.needed_names import mutates, needed_names
from queuecompat.migrate.analysis.statements import (
    Statement,
    assigned_names,
    declared_names,
    defs,
    may_write,
)
from queuecompat.migrate.rewrite.pipelines.filled import begun_lines, may_go
from queuecompat.migrate.rewrite.pipelines.parts import Parts
from queuecompat.migrate.rewrite.refusals import refused
from queuecompat.migrate.rewrite.sessions.variables import is_variable
from queuecompat.migrate.source.nodes import children, every
from queuecompat.migrate.source.parsing import Source

__all__ = ["CodeMotion"]


class CodeMotion:
    """What the statements need and change, recorded in the order of the text.

    Args:
      function: the function that contains them; None if they will become one.
    """

    def __init__(self, source: Source, function: Optional[cst.FunctionDef]) -> None:
        self._source, self._function = source, function
        self._later: Set[str] = set()
        self._staged: Set[str] = set()
        self._drawn: Set[str] = set()
        self._read: Set[str] = set()  # those of *_drawn* that are computed from variables
        self._aliases = Aliases()
        self._declared = set() if function is None else declared_names(function)

    def take_stage(self, one: cst.CSTNode) -> None:
        """Records a stage, or a part of one; the names that it needs are read after all statements in front."""
        self._require_not_drawn(one)
        self._aliases.note(one)
        self._staged |= needed_names([one])
        self._later |= needed_names([one]) | drawn_from(self._source, one)

    def take_own(self, one: Statement, tensors: Set[str]) -> Set[str]:
        """Records a statement on a record; returns the names that it makes tensors of a record.

        Raises:
          UnsupportedPatternError: it cannot be in a function of its own.
        """
        self._require_not_drawn(one)
        self._require_can_move(one, tensors)
        self._aliases.note(one)
        self._later |= needed_names([one], tensors) | drawn_from(self._source, one)
        return defs(one)

    def take_front(self, one: Statement) -> None:
        """Records a statement that moves to the front.

        Raises:
          UnsupportedPatternError: a statement that it overtakes needs a value that it changes.
        """
        overtaken = sorted(self._changed(one) & self._later)
        if overtaken:
            raise refused("changes-after-use", one, name=overtaken[0])
        in_calls = sorted(self._changed_by_calls(one) & self._later)
        if in_calls:
            raise refused("changed-by-call", one, name=in_calls[0])
        self._aliases.note(one)
        if self._draws(one) or needed_names([one]) & self._drawn:
            self._drawn |= defs(one)
        if self._reads_variable(one) or needed_names([one]) & self._read:
            self._drawn |= defs(one)
            self._read |= defs(one)

    def begun(self, one: cst.CSTNode, front: Sequence[Statement], tensors: Set[str]) -> List[Statement]:
        """The lines in front that belong to *one*, a statement that runs for each record.

        These create a list or dict that *one* fills, or draw a random number that it uses: TensorFlow 1 drew that once
        per record.
        """
        begun = begun_lines(self._source, one, front, tensors | self._staged)
        drawn = self._drawn_lines(one, front)
        self._drawn -= set().union(*map(defs, drawn))
        return [line for line in front if line in begun or line in drawn]

    def _drawn_lines(self, one: cst.CSTNode, front: Sequence[Statement]) -> List[Statement]:
        wanted = needed_names([one]) & self._drawn
        lines: List[Statement] = []
        for line in reversed(front):
            if defs(line) & wanted:
                lines.append(line)
                wanted |= needed_names([line]) & self._drawn
        return lines if may_go(self._source, lines, front, self._staged) else []

    def take_after(self, one: Statement, names: Set[str]) -> None:
        """Records a statement on a batch; *names* are the names of the batch and of values computed from it."""
        self._require_not_drawn(one)
        self._require_can_move(one, names)
        self._aliases.note(one)

    def require_names(self, parts: Parts, tensors: Set[str], others: Set[str]) -> None:
        """Requires that all names which the new functions need exist there.

        Args:
          tensors: the names of a record's tensors.
          others: the names of queues and readers, which are removed.

        Raises:
          UnsupportedPatternError: a name is missing.
        """
        self._require_unshared_names(parts.sources, {name.lstrip("*") for name in parts.record}, parts.front)
        if self._function is None:
            self._require_unshared_names(parts.front, set(), [])
        if parts.batch is None:
            return
        batch = set(assigned_names(parts.batch))
        ends: List[cst.CSTNode] = [*parts.after_batch, *([parts.returned] if parts.returned else [])]
        self._require_unshared_names(ends, batch, parts.front)
        for place, one in enumerate(ends):
            missing = sorted(needed_names(ends[: place + 1], batch) & (tensors | others))
            if missing:
                raise refused("not-of-batch", one, name=missing[0])

    def _changed(self, one: Statement) -> Set[str]:
        """The names that a statement assigns, and all names that may share a value that it modifies in place."""
        in_part = mutates(self._source, one)
        in_part |= {one.target.value for one in every(one, cst.AugAssign) if isinstance(one.target, cst.Name)}
        return (may_write(self._source, one) | self._aliases.of(in_part)) - {"_"}

    def _changed_by_calls(self, one: Statement) -> Set[str]:
        called = changed_by_calls(self._source, one, possibly=True)
        return self._aliases.of(called) | drawn_from(self._source, one)

    def _require_unshared_names(self, statements: List[Any], given: Set[str], front: List[Any]) -> None:
        """Requires that the names which *statements* assign are used by them alone."""
        bound: Set[str] = set().union(*map(defs, statements))
        if self._function is not None:
            outside: Set[str] = set().union(*map(defs, front))
            bound &= outside | {one.name.value for one in every(self._function.params, cst.Param)}
        for place, one in enumerate(statements):
            shared = sorted(needed_names(statements[: place + 1], given) & bound)
            if shared:
                raise refused("value-from-before", one, name=shared[0])

    def _require_can_move(self, one: Statement, names: Set[str]) -> None:
        called = changed_by_calls(self._source, one, possibly=False)
        changed = sorted(self._aliases.of(mutates(self._source, one) | called) - names)
        if changed:
            raise refused("changes-part", one, name=changed[0])
        # In a function of its own, an assignment would create a local name.
        is_outside = bool(defs(one) & self._declared)
        if is_outside or any(isinstance(node, (cst.Global, cst.Nonlocal, cst.Return)) for node in _nodes(one)):
            raise refused("returns-inside", one)

    def _require_not_drawn(self, one: cst.CSTNode) -> None:
        drawn = sorted(needed_names([one]) & self._drawn)
        if drawn and drawn[0] in self._read:
            raise refused("read-once", one, name=drawn[0])
        if drawn:
            raise refused("drawn-once", one, name=drawn[0])

    def _reads_variable(self, one: Statement) -> bool:
        """Whether a value is computed from a variable, which TensorFlow 1 did for each record.

        Raises:
          UnsupportedPatternError: the variable is created in the same statement, which cannot move there.
        """
        line = one.body[0] if isinstance(one, cst.SimpleStatementLine) else None
        if isinstance(line, cst.Assign) and is_variable(self._source, line.value):
            return False
        made = [call for call in every(one, cst.Call) if is_variable(self._source, call)]
        if made:
            raise refused("read-once", one, name=self._source.code(made[0]))
        names = [name for name in every(one, cst.Name) if name.value in needed_names([one])]
        return any(map(self._means_variable, [*names, *every(one, cst.Attribute)]))

    def _means_variable(self, node: cst.CSTNode) -> bool:
        if isinstance(node, cst.Attribute):
            lines = [one for one in self._source.once(assigned) if one.target.attr.value == node.attr.value]
            return any(is_variable(self._source, one.value) for one in lines)
        found = self._source.names.definitions(node) if isinstance(node, cst.Name) else []
        lines_of_it = (self._source.around(one, cst.Assign) for one in found)
        return any(line is not None and is_variable(self._source, line.value) for line in lines_of_it)

    def _draws(self, one: cst.CSTNode) -> bool:
        """Whether TensorFlow draws random numbers in it, or in functions of the file that it calls."""
        symbols = (self._source.names.symbol(call.func) for call in calls_of(self._source, one))
        return any(map(varies_per_record, symbols))


def _nodes(one: cst.CSTNode) -> List[cst.CSTNode]:
    """*one* and everything below it, without nested functions."""
    found = [one]
    for node in found:
        if not isinstance(node, (cst.FunctionDef, cst.Lambda)):
            found += children(node)
    return found
