"""Writes loops that are not a single ``for`` over a dataset: each session run takes a batch from an iterator.

    images, labels = inputs(files)                     batches = iter(inputs(files))
    loss = ...
    for epoch in range(epochs):                        for epoch in range(epochs):
        for step in range(steps):            ->            for step in range(steps):
            total += sess.run(loss)                            images, labels = batches.get_next()
                                                               loss = ...
                                                               total += loss.numpy()

Rule 1: a run draws one batch from each pipeline that its fetches depend on, and none from other pipelines.
Rule 2: ``get_next()`` signals the end of data as a session does, with ``tf.errors.OutOfRangeError``, so the program's
        own ``try`` stays correct. (``next()`` would raise StopIteration.)
Rule 3: whatever is computed from a batch is computed again for each run.
"""

from __future__ import annotations

from typing import Any, Dict, List, Protocol, Sequence, Set, Tuple

import libcst as cst

from queuecompat.migrate.analysis.statements import Statement, assigned_names, bare, uses
from queuecompat.migrate.rewrite.refusals import refused
from queuecompat.migrate.rewrite.sessions.after_loop import made_eager, require_after
from queuecompat.migrate.rewrite.sessions.classic import Classic
from queuecompat.migrate.rewrite.sessions.comments import comments_in, comments_of, ending, led, lost
from queuecompat.migrate.rewrite.sessions.conditions import without_stops
from queuecompat.migrate.rewrite.sessions.eager import require_eager
from queuecompat.migrate.rewrite.sessions.held_errors import hands_over, holds_errors, require_joined
from queuecompat.migrate.rewrite.sessions.inputs import Input
from queuecompat.migrate.rewrite.sessions.list_batches import drawing_lines
from queuecompat.migrate.rewrite.sessions.plumbing import MONITORED
from queuecompat.migrate.rewrite.sessions.run_lines import RunLines, apart, spaced
from queuecompat.migrate.rewrite.sessions.session_runs import reads_variables, run_in
from queuecompat.migrate.source.nodes import every, method
from queuecompat.migrate.source.parsing import Source

__all__ = ["LoopWriter", "write_iterator_loops"]

_STOPPING = ("close", "join", "request_stop")


def write_iterator_loops(
    source: Source, parts: Classic, lines: RunLines, datasets: Sequence[str], pipelines: Sequence[Sequence[Any]]
) -> List[Any]:
    """The statements of the new block.

    Args:
      lines: writes the lines that replace the runs of this block.
      datasets: for each pipeline, the expression for its dataset.
      pipelines: for each pipeline, the statements that replace it.

    Raises:
      UnsupportedPatternError: a run is at a place where no batch can be drawn.
    """
    return _Drawing(source, parts, lines).block(datasets, pipelines)


class Lines(Protocol):
    """Writes new lines, and values that replace runs."""

    tensorflow: str

    def unused(self, name: str) -> str:
        """*name*, with ``_`` appended until the file does not use it."""

    def statement(self, code: str) -> Any:
        """*code* as a statement."""

    def with_values(self, node: Any) -> Any:
        """*node* with values in place of those runs that may be anywhere in an expression."""


class LoopWriter:
    """Writes the running part of a block: keeps loops, conditions and blocks, and rewrites the runs inside them."""

    def __init__(self, source: Source, parts: Classic, lines: Lines) -> None:
        self._source, self._parts, self._plumbing, self._lines = source, parts, parts.plumbing, lines
        self._iterators = {
            one.statements[0]: lines.unused(_numbered("batches", n)) for n, one in enumerate(parts.inputs)
        }
        self._is_stopped = False
        self._waiting: List[cst.EmptyLine] = []  # comments of removed statements, for the next statement

    # The running part.

    def _draws(self, one: cst.CSTNode) -> bool:
        """Whether a run in *one* may draw a batch."""
        return bool(self._plumbing.runs(one))

    def _quiet(self, one: Statement) -> List[Any]:
        """*one*, in a ``try`` if it was in a monitored session, which ends without an error at the end of data."""
        if self._plumbing.includes(one):
            return self._new(one, False)  # its comments have moved to the next statement
        lines = self._statement(one)
        monitored = self._plumbing.monitored
        if one not in monitored or not self._draws(one):
            return lines
        if any(not self._plumbing.includes(other) for other in monitored[monitored.index(one) + 1 :]):
            raise refused("end-of-block", one)
        return self._ending_at_end_of_data(lines)

    def _ending_at_end_of_data(self, lines: List[Any]) -> List[Any]:
        """*lines* in a ``try`` that ends at the end of data."""
        block = self._lines.statement(f"try:\n    pass\n{self._ending}    pass  # The end of data.\n")
        comments, lines[0] = lines[0].leading_lines, lines[0].with_changes(leading_lines=[])
        return [block.with_changes(body=block.body.with_changes(body=lines), leading_lines=comments)]

    @property
    def _ending(self) -> str:
        return f"except {self._lines.tensorflow}.errors.OutOfRangeError:\n"

    def _held(self, one: cst.With) -> List[Any]:
        """A block whose errors are passed to a coordinator."""
        require_joined(self._plumbing, one, self._following(one))
        lines = self._lines_of(one.body, False)
        lines[:1] = [led(line, one.leading_lines) for line in lines[:1]]
        self._waiting += ending(one.body)
        return self._ending_at_end_of_data(lines) if lines else []

    def _following(self, one: Statement) -> Sequence[Statement]:
        """The statements of the block after *one*."""
        running = list(self._parts.running)
        return running[running.index(one) + 1 :] if one in running else []

    def _statement(self, one: Any, *, inside: bool = False) -> List[Any]:
        """The statements that replace one of the running part."""
        comments, self._waiting = [*self._waiting, *self._parts.comments.get(one, [])], []
        new = self._new(one, inside)
        if new:
            new[0] = led(new[0], comments)
        else:
            self._waiting = [*comments, *comments_of(one), *self._waiting]
        return new

    def _new(self, one: Any, inside: bool) -> List[Any]:
        if self._plumbing.includes(one):
            self._require_no_stop(one, inside)
            return []
        if isinstance(one, cst.SimpleStatementLine):
            return self._line(one)
        if not uses(one) & self._parts.names:
            require_eager(self._source, one)
            return [one]
        if isinstance(one, cst.If):
            return self._if(one)
        if isinstance(one, (cst.For, cst.While)):
            return self._loop(one)
        if isinstance(one, cst.Try):
            return self._try(one, inside)
        if isinstance(one, cst.With):
            is_held = not inside and holds_errors(self._source, self._plumbing, one)
            return self._held(one) if is_held else self._with(one, inside)
        raise refused("session-use", one)

    def _require_no_stop(self, line: cst.CSTNode, inside: bool) -> None:
        """Records that a coordinator is stopped, which ends loops; refuses that inside a loop."""
        if inside:
            raise refused("changed-in-loop", line)
        self._is_stopped = self._is_stopped or any(method(call) in _STOPPING for call in every(line, cst.Call))

    def _line(self, line: cst.SimpleStatementLine) -> List[Any]:
        require_eager(self._source, line)
        new = self._lines.with_values(self._parts.feeds.with_strings(line))
        passed = sorted(uses(new) & self._plumbing.names)
        if passed:
            raise refused("session-passed", line, name=passed[0])
        if uses(new) & self._parts.names:
            raise refused("graph-name", line)
        return [new]

    def _if(self, one: cst.If) -> List[Any]:
        test = without_stops(self._plumbing, self._lines.with_values(one.test))
        if test is False and one.orelse is None:
            return []
        front, test = self._in_front(one, test)
        if (
            isinstance(test, bool)
            or uses(test) & self._plumbing.names
            or (not front and uses(test) & self._parts.names)
        ):
            raise refused("graph-condition", one)
        new = one.with_changes(test=test, body=self._body(one.body), orelse=self._else(one.orelse))
        if front:
            front[0], new = led(front[0], one.leading_lines), new.with_changes(leading_lines=[])
        return [*front, new]

    def _in_front(self, one: cst.If, test: Any) -> Tuple[List[Any], Any]:
        """The statements that its condition needs before it, and the new condition."""
        return [], test

    def _require_no_run(self, one: cst.While) -> None:
        """Requires that its condition needs no statements before it."""

    def _else(self, other: Any) -> Any:
        """The ``else`` or ``elif`` of an ``if``, or the ``else`` of a loop."""
        if isinstance(other, cst.If):
            test = self._lines.with_values(other.test)
            if uses(test) & self._parts.names:
                raise refused("graph-condition", other)
            return other.with_changes(test=test, body=self._body(other.body), orelse=self._else(other.orelse))
        return other and other.with_changes(body=self._body(other.body))

    def _loop(self, one: Any) -> List[Any]:
        if isinstance(one, cst.While):
            test = without_stops(self._plumbing, self._lines.with_values(one.test))
            head = {"test": cst.Name("True") if test is True else test}
            self._require_no_run(one)
        else:
            test = self._lines.with_values(one.iter)
            head = {"iter": test}
            if uses(one.target) & self._parts.names:
                raise refused("loop-over-graph", one)
        if test is False or (not isinstance(test, bool) and uses(test) & self._parts.names):
            raise refused("loop-condition", one)
        return [one.with_changes(body=self._body(one.body), orelse=self._else(one.orelse), **head)]

    def _try(self, one: cst.Try, inside: bool) -> List[Any]:
        body = self._body(one.body, inside=inside)
        handlers = [new for handler in one.handlers for new in self._handlers(one, handler, inside)]
        otherwise = self._else(one.orelse)
        final = self._final(one.finalbody, inside)
        if not handlers and not final:
            return self._dissolved(one, body)
        return [one.with_changes(body=body, handlers=handlers, orelse=otherwise, finalbody=final)]

    def _final(self, final: Any, inside: bool) -> Any:
        """The rest of a ``finally`` block; None if nothing remains."""
        if final is None:
            return None
        lines = self._lines_of(final.body, inside)
        if not lines:
            self._waiting = [*comments_of(final), *self._waiting, *ending(final.body)]
            return None
        waiting, self._waiting = self._waiting, []
        return final.with_changes(body=final.body.with_changes(body=lines, footer=[*waiting, *final.body.footer]))

    def _dissolved(self, one: cst.Try, body: cst.IndentedBlock) -> List[Any]:
        lines = list(body.body)
        lines[0] = led(lines[0], one.leading_lines)
        self._waiting = [*ending(body), *self._waiting]
        return lines

    def _handlers(self, one: cst.Try, handler: cst.ExceptHandler, inside: bool) -> List[cst.ExceptHandler]:
        """The new form of *handler*; empty if it would only receive errors that are raised again anyway."""
        if inside or not hands_over(self._source, self._plumbing, handler):
            return [self._handler(handler, inside)]
        final = list(one.finalbody.body.body) if one.finalbody is not None else []
        require_joined(self._plumbing, handler, [*final, *self._following(one)])  # type: ignore[list-item]
        if handler is not one.handlers[0]:
            self._waiting += comments_in(handler)
            return []
        new = self._lines.statement(f"try:\n    pass\n{self._ending}    pass  # The end of data.\n").handlers[0]
        return [new.with_changes(leading_lines=comments_in(handler))]

    def _handler(self, handler: cst.ExceptHandler, inside: bool) -> cst.ExceptHandler:
        if not self._is_as_eager(handler.type):
            raise refused("other-errors", handler)
        new = handler.with_changes(body=self._body(handler.body, inside=inside))
        name = assigned_names(handler.name.name) if handler.name else []
        if name and not uses(new.body) & set(name):
            space = cst.SimpleWhitespace("")
            new = new.with_changes(name=None, whitespace_before_colon=space)
        return new

    def _is_as_eager(self, kind: Any) -> bool:
        """Whether eager mode raises errors of this *kind* wherever a session raised them."""
        if isinstance(kind, cst.Name) and kind.value == "KeyboardInterrupt":
            return not self._source.names.definitions(kind)
        return kind is not None and self._source.names.symbol(kind) == "tf.errors.OutOfRangeError"

    def _with(self, one: cst.With, inside: bool) -> List[Any]:
        if any(self._plumbing.called(item.item) in MONITORED for item in one.items):
            raise refused("session-use", one)  # such a block ends without an error at the end of data
        if self._plumbing.is_transparent(one):
            lines = self._lines_of(one.body, inside)
            lines[:1] = [led(line, one.leading_lines) for line in lines[:1]]
            self._waiting += ending(one.body)
            return lines
        items = self._plumbing.items_with_effect(one)
        if any(uses(item) & self._parts.names for item in items):
            raise refused("session-use", one)
        items[-1] = items[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
        return [one.with_changes(items=items, body=self._body(one.body, inside=inside))]

    def _body(self, block: Any, *, inside: bool = True) -> Any:
        lines = self._lines_of(block, inside)
        waiting, self._waiting = self._waiting, []
        return block.with_changes(body=lines or [self._lines.statement("pass")], footer=[*waiting, *block.footer])

    def _lines_of(self, block: Any, inside: bool) -> List[Any]:
        if not isinstance(block, cst.IndentedBlock):
            raise refused("one-line-block", block)
        return [line for one in block.body for line in self._statement(one, inside=inside)]


class _Drawing(LoopWriter):
    """Writes runs as statements of their own: what a run draws and computes precedes the statement that uses it."""

    def __init__(self, source: Source, parts: Classic, lines: RunLines) -> None:
        super().__init__(source, parts, lines)
        self._run_lines = lines

    def block(self, datasets: Sequence[str], pipelines: Sequence[Sequence[Any]]) -> List[Any]:
        running = list(self._parts.running)
        last = max((n for n, one in enumerate(running) if self._draws(one)), default=-1)
        if last < 0:
            raise refused("no-draws", running[0])
        body = [line for one in running[: last + 1] for line in self._quiet(one)]
        after = [one for one in running[last + 1 :] if not self._plumbing.includes(one)]
        for one in after:
            require_after(self._source, self._parts, one)
        used: Set[str] = set().union(*map(uses, after))
        described = [one for one in self._parts.inputs if used & set(one.names)]
        built = self._built(
            dict(zip((one.statements[0] for one in self._parts.inputs), zip(datasets, pipelines))), described
        )
        specifications = [self._specification(one) for one in described]
        after_lines = [led(made_eager(self._parts, one), self._parts.comments.get(one, [])) for one in after]
        if after_lines:
            after_lines[0] = led(after_lines[0], self._waiting)
        else:
            self._parts.left = [*self._waiting, *self._parts.left]
        return [*built, *body, *specifications, *after_lines]

    # The building part.

    def _built(self, made: Dict[Statement, Any], described: Sequence[Input]) -> List[Any]:
        """The statements that stay, with iterators in place of the pipelines."""
        places = [(_numbered("dataset", self._parts.inputs.index(one)), one) for one in described]
        self._datasets = {one.statements[0]: self._lines.unused(name) for name, one in places}
        training = self._parts.model.training
        kept, new = set(self._parts.kept), []
        moved = [one for one in self._parts.building if one in self._parts.model.moved]
        for one in self._parts.building:
            if one in moved[:1]:
                new += self._run_lines.model_lines
            comments: Sequence[cst.EmptyLine] = self._parts.comments.get(one, [])
            if one in made:
                dataset, pipeline = made[one]
                lines = [*pipeline, *self._iterator_lines(one, dataset)]
                comments = [*comments, *one.leading_lines, *lost(one, lines)]
                if pipeline:
                    lines[len(pipeline)] = apart(lines[len(pipeline)])
                    comments = spaced(comments)
                lines[0] = led(lines[0], comments)
                new += lines
            elif training is not None and one is training.line:
                new += self._run_lines.optimizer_line
            elif one in kept:
                new.append(led(self._parts.feeds.with_strings(one), comments))
        return new

    def _iterator_lines(self, first: Statement, dataset: str) -> List[Any]:
        lines, name = [], self._datasets.get(first)
        if name is not None:
            lines.append(self._lines.statement(f"{name} = {dataset}"))
        return [*lines, self._lines.statement(f"{self._iterators[first]} = iter({name or dataset})")]

    def _specification(self, one: Input) -> Any:
        batch = self._source.code(bare(one.batch))
        return self._lines.statement(f"{batch} = {self._datasets[one.statements[0]]}.element_spec")

    # The runs.

    def _draws(self, one: cst.CSTNode) -> bool:
        return any(
            uses(argument) & self._parts.model.names for call in self._plumbing.runs(one) for argument in call.args
        )

    def _runs(self, node: cst.CSTNode) -> bool:
        """Whether *node* runs the session for more than reading variables."""
        return not all(reads_variables(self._parts, call) for call in self._plumbing.runs(node))

    def _line(self, line: cst.SimpleStatementLine) -> List[Any]:
        if not self._runs(line):
            return super()._line(line)
        require_eager(self._source, line)
        run = run_in(self._source, self._parts, line, line)
        return self._run_lines.all_lines(line, run, self._computed(line, run))

    def _computed(self, line: cst.CSTNode, run: Any) -> List[Any]:
        """The statements for a run: fed values, batches that it draws, and what it computes from them."""
        if self._is_stopped and run.needed.inputs:
            raise refused("stopped-before", line)
        draws = (
            line
            for one in run.needed.inputs
            for line in drawing_lines(self._source, one, self._iterators[one.statements[0]])
        )
        return [*self._run_lines.fed(run), *map(self._run_lines.statement, draws), *self._run_lines.computed(run)]

    def _in_front(self, one: cst.If, test: Any) -> Tuple[List[Any], Any]:
        if not self._runs(one.test):
            return [], test
        run = run_in(self._source, self._parts, one, one.test)
        return self._computed(one, run), self._run_lines.replaced(one.test, run)

    def _require_no_run(self, one: cst.While) -> None:
        if self._runs(one.test):
            raise refused("run-in-condition", one)


def _numbered(name: str, number: int) -> str:
    return f"{name}_{number + 1}" if number else name
