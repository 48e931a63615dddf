"""Recognises the loop that becomes a ``for`` over a dataset: the only one that runs the session, once per iteration.

It may be in a ``try`` that handles the end of data. For any other loop ``single_loop`` returns None; then
``iterator_loops`` handles the loop, or reports why it cannot.
"""

from __future__ import annotations

import dataclasses
from typing import List, Optional, Sequence, Set, Union

import libcst as cst

from queuecompat.migrate.analysis.call_graph import reachable
from queuecompat.migrate.analysis.effects import escaping_writes, names_in
from queuecompat.migrate.analysis.mentions import dotted_name
from queuecompat.migrate.analysis.purity import closure_reads, is_pure
from queuecompat.migrate.analysis.queue_statements import is_batch_elsewhere
from queuecompat.migrate.analysis.statements import (
    Statement,
    assigned_names,
    may_write,
    parts_of,
    target_of,
    uses,
)
from queuecompat.migrate.rewrite.refusals import UnsupportedPatternError, refused
from queuecompat.migrate.rewrite.sessions.after_loop import require_after
from queuecompat.migrate.rewrite.sessions.classic import Classic
from queuecompat.migrate.rewrite.sessions.comments import comments_in, comments_of, led
from queuecompat.migrate.rewrite.sessions.list_batches import lists_of
from queuecompat.migrate.rewrite.sessions.program_exit import is_last, may_end
from queuecompat.migrate.rewrite.sessions.session_runs import Run, run_in
from queuecompat.migrate.source.nodes import every
from queuecompat.migrate.source.parsing import Source

__all__ = ["SingleLoop", "single_loop"]


@dataclasses.dataclass
class SingleLoop:
    """Such a loop, in its parts.

    Attributes:
      loop: the ``for`` or ``while``.
      line: the statement of its body that runs the session.
      run: that run.
      between: statements of the ``try`` before the loop.
      ended: statements for the end of data.
      after: statements after the loop.
      comments: comments above the loop.
      closing: comments after it whose statements are removed.
    """

    loop: Union[cst.For, cst.While]
    line: cst.SimpleStatementLine
    run: Run
    between: List[Statement]
    ended: List[Statement]
    after: List[Statement]
    comments: List[cst.EmptyLine]
    closing: List[cst.EmptyLine]


def single_loop(source: Source, parts: Classic) -> Optional[SingleLoop]:
    """The loop of *parts*, if its running part has this form."""
    if len(parts.inputs) != 1:
        return None
    try:
        return _Reader(source, parts).read()
    except UnsupportedPatternError:
        return None


class _Reader:
    def __init__(self, source: Source, parts: Classic) -> None:
        self._source, self._parts, self._plumbing = source, parts, parts.plumbing

    def read(self) -> SingleLoop:
        first, *rest = self._parts.running
        # The comments of a loop that is not in a block are added when it is written.
        comments = list(self._parts.comments.get(first, [])) if isinstance(first, cst.Try) else []
        between: List[Statement] = []
        ended: List[Statement] = []
        closing: List[cst.EmptyLine] = []
        loop: cst.CSTNode = first
        if isinstance(first, cst.Try):
            *lines, loop = first.body.body
            comments += first.leading_lines
            between = [one for one in lines if not self._plumbing.includes(one)]  # type: ignore[misc]
            comments += [line for one in lines if one not in between for line in comments_of(one)]
            closing = comments_in(first.finalbody) if first.finalbody is not None else []
            ended = self._ended(first, loop)
            if not ended:
                closing = [line for one in first.handlers for line in comments_in(one)] + closing
            if any(uses(one) & self._parts.names for one in between):
                raise refused("graph-before-loop", first)
        after = [one for one in rest if not self._plumbing.includes(one)]
        for one in after:
            require_after(self._source, self._parts, one)
            if first in self._plumbing.monitored and one in self._plumbing.monitored:
                raise refused("end-of-block", one)
        if not self._is_quiet(first, after):
            raise refused("loop-end-is-error", loop)
        if not isinstance(loop, (cst.For, cst.While)) or not self._is_plain(loop):
            raise refused("no-plain-loop", loop)
        if lists_of(self._source, self._parts.inputs[0]):
            raise refused("batch-as-list", loop)
        self._require_unchanged_pipeline(between)
        self._require_no_results([*between, loop.iter] if isinstance(loop, cst.For) else between)
        line = self._line(loop)
        if isinstance(loop, cst.While) or (isinstance(first, cst.Try) and first.handlers):
            self._require_idle(loop, line, [*ended, *after])
        elif any(_leaves(one) for one in _in_front(loop, line)):
            raise refused("leaves-before-run", loop)
        run = run_in(self._source, self._parts, line, line)
        if run.fed:
            raise refused("loop-feeds", line)  # a fed value is computed before a batch is drawn
        if list(run.needed.inputs) != list(self._parts.inputs):
            raise refused("loop-without-draw", line)
        return SingleLoop(loop, line, run, between, ended, after, comments, closing)

    def _is_quiet(self, first: Statement, after: List[Statement]) -> bool:
        """Whether it makes no difference if the end of data is an error, or just ends the loop."""
        if first in self._plumbing.monitored or (isinstance(first, cst.Try) and first.handlers):
            return True
        return not may_end(self._source, self._parts.inputs[0]) or (not after and is_last(self._source, first))

    def _require_unchanged_pipeline(self, between: List[Statement]) -> None:
        """Requires that the pipeline, now built where the loop begins, reads the same values as before."""
        [one] = self._parts.inputs
        read: Set[str] = set().union(*map(uses, one.statements))
        called = list(reachable(self._source, *one.statements))[len(one.statements) :]
        read = read.union(*(closure_reads(self._source, function) for function in called))
        building = list(self._parts.building)
        kept = [line for line in building[building.index(one.statements[-1]) :] if line in self._parts.kept]
        for line in [*kept, *between]:
            if may_write(self._source, line) & read:
                raise refused("pipeline-changed", line)

    def _require_no_results(self, between: Sequence[cst.CSTNode]) -> None:
        """Requires that statements which now run before the pipeline do not read what its functions set."""
        [one] = self._parts.inputs
        given = escaping_writes(self._source, *one.statements)
        if any(is_batch_elsewhere(self._source, call) for line in one.statements for call in every(line, cst.Call)):
            given |= self._source.set_elsewhere
        building = list(self._parts.building)
        following = building[building.index(one.statements[-1]) + 1 :]
        for line in [*following, *between]:
            if given and names_in(self._source, line) & given:
                raise refused("pipeline-result", line)

    def _ended(self, block: cst.Try, loop: cst.CSTNode) -> List[Statement]:
        """The statements in the handlers for the end of data."""
        found = [line for handler in block.handlers for line in self._handled(handler)]
        if isinstance(loop, cst.For) and found:
            raise refused("two-ends", block)
        cleaning = block.finalbody is None or all(self._plumbing.includes(one) for one in block.finalbody.body.body)
        if block.orelse is not None or not cleaning:
            raise refused("more-than-stopping", block)
        return found

    def _handled(self, handler: cst.ExceptHandler) -> List[Statement]:
        if handler.type is None or self._source.names.symbol(handler.type) != "tf.errors.OutOfRangeError":
            raise refused("other-errors", handler)
        name = assigned_names(handler.name.name) if handler.name else []
        kept = [one for one in handler.body.body if not self._plumbing.includes(one) and not _is_pass(one)]
        if any(uses(one) & {*name, *self._parts.names} for one in kept):
            raise refused("handler-uses-graph", handler)
        goes = [line for one in handler.body.body if one not in kept for line in comments_of(one)]
        return [led(one, [*comments_of(handler), *goes] if one is kept[0] else []) for one in kept]

    def _is_plain(self, loop: Union[cst.For, cst.While]) -> bool:
        if loop.orelse is not None:
            return False
        if isinstance(loop, cst.For):
            return loop.asynchronous is None and not uses(loop.iter) & self._parts.names
        return self._is_endless(loop.test)

    def _is_endless(self, test: cst.BaseExpression) -> bool:
        """Whether *test* is ``True``, ``1``, or ``not coord.should_stop()``."""
        if isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
            call = test.expression
            return isinstance(call, cst.Call) and dotted_name(call.func).partition(".")[0] in self._plumbing.names
        return (isinstance(test, cst.Name) and test.value == "True") or (
            isinstance(test, cst.Integer) and test.value == "1"
        )

    def _line(self, loop: Union[cst.For, cst.While]) -> cst.SimpleStatementLine:
        """The only line of the loop's body that uses the graph."""
        lines = [one for one in loop.body.body if uses(one) & self._parts.names]
        if len(lines) != 1 or not isinstance(lines[0], cst.SimpleStatementLine):
            raise refused("loop-not-once", loop)
        return lines[0]

    def _require_idle(self, loop: cst.BaseCompoundStatement, line: cst.CSTNode, following: List[Statement]) -> None:
        """Requires that statements before the run have no visible effect: a graph runs them once more, at the end."""
        read: Set[str] = set().union(*map(uses, following))
        for one in _in_front(loop, line):
            names = target_of(one)  # type: ignore[arg-type]
            calls = all(self._is_idle(call) for call in every(one, cst.Call))
            if names is None or not assigned_names(names) or read & set(assigned_names(names)) or not calls:
                raise refused("once-more", one)

    def _is_idle(self, call: cst.Call) -> bool:
        return self._source.names.full(call.func) == "time.time" or is_pure(self._source, call, set())


def _in_front(loop: cst.BaseCompoundStatement, line: cst.CSTNode) -> List[cst.CSTNode]:
    """The statements of a loop's body before *line*."""
    body = list(loop.body.body)
    return list(body[: body.index(line)])


def _leaves(one: cst.CSTNode) -> bool:
    """Whether *one* may end an iteration of the loop."""
    return any(isinstance(part, (cst.Break, cst.Continue, cst.Return)) for part in parts_of(one))


def _is_pass(one: cst.CSTNode) -> bool:
    return isinstance(one, cst.SimpleStatementLine) and all(isinstance(part, cst.Pass) for part in one.body)
