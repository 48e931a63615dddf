"""Rewrites a choice between batchers or producers, ``if shuffle:``, as one of them with conditional lines.

    if shuffle:                                              if shuffle:
        images = tf.train.shuffle_batch([image], 8, 99, 9)       dataset = dataset.shuffle(99)
    else:                                              ->    dataset = dataset.map(decode)
        images = tf.train.batch([image], 8)                  dataset = dataset.batch(8, drop_remainder=True)

Rule 1: all batchers must batch the same tensors under the same names; otherwise there is no common pipeline. All
        producers must be of one kind, and assigned to the same name.
Rule 2: the condition is evaluated more often than before, or later, so it must not call anything.
Rule 3: the other statements of its branches move into an ``if`` of their own before it.
"""

from __future__ import annotations

import textwrap
from typing import Any, Dict, List, Sequence, Set, Tuple

import libcst as cst

from queuecompat.migrate.analysis.effects import changed_by_calls
from queuecompat.migrate.analysis.queue_statements import is_queue_statement
from queuecompat.migrate.analysis.statements import (
    Statement,
    bare,
    may_write,
    names_of,
    parts_of,
    target_of,
    uses,
    value_of,
)
from queuecompat.migrate.rewrite.pipelines.batchers import BATCHERS, Batcher, batcher, opposite
from queuecompat.migrate.rewrite.pipelines.branches import branches, has_else, returns, with_else
from queuecompat.migrate.rewrite.pipelines.producers import QUEUED
from queuecompat.migrate.rewrite.refusals import refused
from queuecompat.migrate.source.nodes import every
from queuecompat.migrate.source.parsing import Source

__all__ = ["Choices", "chosen_lines", "condition_cases"]

_CALCULATING = (cst.Await, cst.BaseComp, cst.Call, cst.Lambda, cst.NamedExpr, cst.Yield)


class Choices:
    """The choices in a pipeline.

    Attributes:
      statements: the statements of the pipeline; an ``if`` around batchers or producers contains nothing but these.
      origins: maps new statements to the old ones that they come from.
    """

    def __init__(self, source: Source, statements: Sequence[Statement]) -> None:
        self._source = source
        self._chosen: List[Statement] = []
        self._queues: List[Statement] = []
        self.origins: Dict[cst.CSTNode, Statement] = {}
        self.statements: List[Statement] = []
        for place, one in enumerate(statements):
            rest = statements[place + 1 :]
            if isinstance(one, cst.If) and self._makes_queue(one):
                self._queues.append(self._cut(one, one))
            elif not isinstance(one, cst.If) or not any(map(self._is_batch, _lines(one))):
                self.statements.append(one)
            elif rest and returns(one) and not has_else(one):
                # If every branch returns, the statements after the ``if`` are its last branch.
                self._split(_returning_at_once(with_else(one, rest)), one)
                break
            else:
                self._split(_returning_at_once(one), one)

    def are_in(self, one: Statement) -> bool:
        """Whether a statement is an ``if`` around batchers."""
        return one in self._chosen

    def are_of_queues(self, one: Statement) -> bool:
        """Whether a statement is an ``if`` around producers, each of which creates the queue in one line."""
        return one in self._queues

    def producers(self, one: Statement) -> List[Tuple[str, cst.Call, Statement]]:
        """The branches of such an ``if``: each condition, "" for ``else``, with its producer and that one's line."""
        lines = [(_condition(self._source, case), case.body.body[0]) for case in branches(one)]
        return [(condition, value_of(line), line) for condition, line in lines]  # type: ignore[misc]

    def cases(self, one: Statement) -> List[Tuple[str, Batcher, Statement]]:
        """The branches of such an ``if``: each condition, "" for ``else``, with its batcher and the batcher's line.

        Raises:
          UnsupportedPatternError: the branches do not all do the same to the same tensors.
        """
        found = [(_condition(self._source, case), *self._batcher(case.body.body[0])) for case in branches(one)]
        first, line = found[0][1:]
        for _, other, its_line in found[1:]:
            if self._tensors(first) != self._tensors(other):
                raise refused("branches-tensors", _in_text(its_line))
            if self._names(line) != self._names(its_line):
                raise refused("branches-names", _in_text(its_line))
        return found

    def _batcher(self, line: Any) -> Tuple[Batcher, Statement]:
        return batcher(self._source, value_of(line)), line  # type: ignore[arg-type]

    def _tensors(self, one: Batcher) -> List[Any]:
        nodes = [self._source.code(node) if node is not None else "" for node in (one.tensors, one.keep, one.shapes)]
        return [*nodes, one.is_join, one.enqueue_many, one.pads]

    def _names(self, line: Statement) -> str:
        target = target_of(line)
        return "" if target is None else self._source.code(target)

    def _is_batch(self, line: Any) -> bool:
        return any(self._source.names.symbol(call.func) in BATCHERS for call in every(line, cst.Call))

    def _split(self, one: cst.If, origin: cst.If) -> None:
        cases = list(branches(one))
        if not has_else(one):
            raise refused("partly-batched", origin)
        for case in cases:
            *others, last = case.body.body
            if any(map(self._is_batch, others)) or self._symbol(last) not in BATCHERS:
                raise refused("branch-batches-late", _in_text(last))
        if not self._keeps_conditions(cases):
            raise refused("condition-changes", origin)
        self._chosen.append(self._cut(one, origin))

    def _makes_queue(self, one: cst.If) -> bool:
        """Whether each branch ends by creating the same queue, and does nothing else with pipelines.

        Raises:
          UnsupportedPatternError: they do, but the conditions cannot be evaluated later.
        """
        cases = list(branches(one))
        ends = [case.body.body[-1] for case in cases]
        names = {tuple(names_of(end)) for end in ends}
        is_same = len({self._symbol(end) for end in ends}) == len(names) == 1 == len(names.pop())
        if not is_same or not has_else(one) or self._symbol(ends[0]) not in QUEUED:
            return False
        others = [line for case in cases for line in case.body.body[:-1]]
        if any(is_queue_statement(self._source, line) for line in others):
            return False
        if not self._keeps_conditions(cases):
            raise refused("condition-changes", one)
        return True

    def _keeps_conditions(self, cases: Sequence[Any]) -> bool:
        """Whether the conditions have the same values after the branches' lines, except for the last, as before."""
        changed: Set[str] = set()
        for line in (line for case in cases for line in case.body.body[:-1]):
            changed |= may_write(self._source, line) | changed_by_calls(self._source, line, possibly=True)
        tests = [case.test for case in cases if isinstance(case, cst.If)]
        is_plain = not any(isinstance(node, _CALCULATING) for test in tests for node in parts_of(test))
        return is_plain and not any(uses(test) & changed for test in tests)

    def _symbol(self, line: Any) -> str:
        """TensorFlow's name of the function whose result *line* assigns or returns."""
        value = value_of(line)
        return self._source.names.symbol(value.func) if isinstance(value, cst.Call) else ""

    def _cut(self, one: cst.If, origin: cst.If) -> cst.If:
        """Adds the lines before the last of each branch as an ``if`` of their own; then one of the last lines."""
        last = _with_bodies(one, slice(-1, None))
        if any(len(case.body.body) > 1 for case in branches(one)):
            self._add(_with_bodies(one, slice(None, -1)), origin)
            last = last.with_changes(leading_lines=[])
        return self._add(last, origin)

    def _add(self, new: cst.If, origin: cst.If) -> cst.If:
        self.statements.append(new)
        self.origins[new] = origin
        return new


def condition_cases(source: Source, one: cst.If) -> List[Tuple[str, Any]]:
    """The branches of an ``if`` with one line each: condition, "" for ``else``, and line.

    Returns an empty list if a branch has several lines, if there is no ``else``, or if a condition calls anything,
    because the conditions will be evaluated once more.
    """
    cases = list(branches(one))
    if not has_else(one) or any(len(case.body.body) != 1 for case in cases):
        return []
    if any(isinstance(node, _CALCULATING) for case in cases[:-1] for node in parts_of(case.test)):
        return []
    return [(_condition(source, case), case.body.body[0]) for case in cases]


def _lines(one: cst.If) -> List[cst.CSTNode]:
    return [line for case in branches(one) for line in case.body.body]


def _condition(source: Source, case: Any) -> str:
    return source.code(case.test) if isinstance(case, cst.If) else ""


def _returning_at_once(one: Any) -> Any:
    """An ``if`` whose branches ``x, y = batch(...)``, ``return x, y`` are shortened to ``return batch(...)``."""
    if one is None:
        return None
    body: List[Any] = list(one.body.body)
    changes: Dict[str, Any] = {}
    target = target_of(body[-2]) if len(body) > 1 else None
    returned = value_of(body[-1])
    is_return = returned is not None and target_of(body[-1]) is None
    if target is not None and is_return and bare(target).deep_equals(bare(returned)):  # type: ignore[arg-type]
        end = body[-1].with_changes(body=[cst.Return(value_of(body[-2]))], leading_lines=body[-2].leading_lines)
        changes["body"] = one.body.with_changes(body=[*body[:-2], end])
    if isinstance(one, cst.If):
        changes["orelse"] = _returning_at_once(one.orelse)
    return one.with_changes(**changes)


def _in_text(line: Any) -> cst.CSTNode:
    """The part of a branch's last line that the user wrote: ``_returning_at_once`` may have written the rest."""
    return value_of(line) or line


def _with_bodies(one: Any, part: slice) -> Any:
    """An ``if`` with a slice of each body; an ``else`` that becomes empty is dropped."""
    if one is None:
        return None
    body = list(one.body.body)[part]
    if isinstance(one, cst.Else) and not body:
        return None
    whole = body or [cst.SimpleStatementLine([cst.Pass()])]
    changes = {"body": one.body.with_changes(body=whole)}
    return one.with_changes(
        **changes, **({"orelse": _with_bodies(one.orelse, part)} if isinstance(one, cst.If) else {})
    )


def chosen_lines(cases: Sequence[Tuple[str, Sequence[str]]]) -> List[str]:
    """The lines of the branches under their conditions; without an ``if`` if all branches are the same."""
    first, last = cases[0], cases[-1]
    if all(list(lines) == list(first[1]) for _, lines in cases):
        return list(first[1])
    if len(cases) == 2 and not first[1]:
        return [_block(f"if {opposite(first[0])}", last[1])]
    shown = list(cases)
    while not shown[-1][1]:
        shown.pop()
    words = ["if", *["elif"] * (len(shown) - 1)]
    heads = [f"{word} {condition}" if condition else "else" for word, (condition, _) in zip(words, shown)]
    return ["\n".join(_block(head, lines) for head, (_, lines) in zip(heads, shown))]


def _block(head: str, lines: Sequence[str]) -> str:
    return f"{head}:\n" + textwrap.indent("\n".join(lines) or "pass", "    ")
