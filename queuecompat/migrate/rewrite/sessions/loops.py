"""Writes the single loop of a block as a loop over a dataset.

    images, labels = inputs(files)                 for images, labels in inputs(files):
    loss = ...                                         with tf.GradientTape() as tape:
    train_op = optimizer.minimize(loss)    ->              loss = ...
    ...                                                variables = tape.watched_variables()
        _, value = sess.run([train_op, loss])          optimizer.apply_gradients(...)
                                                       value = loss.numpy()

The statements between the pipeline and the loop move into the loop; fetched tensors get ``.numpy()``.
"""

from __future__ import annotations

from typing import Any, List, Optional, Sequence, Set, Tuple

import libcst as cst

from queuecompat.migrate.analysis.lookups import OF_VARIABLES
from queuecompat.migrate.analysis.mentions import dotted_name
from queuecompat.migrate.analysis.statements import Statement, assigned_names, bare, free_names, uses
from queuecompat.migrate.rewrite.sessions.after_loop import made_eager
from queuecompat.migrate.rewrite.sessions.classic import Classic
from queuecompat.migrate.rewrite.sessions.comments import comments_of, led, led_below_blanks, lost
from queuecompat.migrate.rewrite.sessions.run_lines import RunLines, apart, spaced
from queuecompat.migrate.rewrite.sessions.single_loop import SingleLoop
from queuecompat.migrate.source.nodes import every
from queuecompat.migrate.source.parsing import Source

__all__ = ["write_single_loop"]


def write_single_loop(
    source: Source, parts: Classic, single: SingleLoop, lines: RunLines, dataset: str, pipeline: Sequence[Any]
) -> List[Any]:
    """The statements of the new block.

    Args:
      single: the loop.
      lines: writes the lines that replace the runs of this block.
      dataset: the expression for the dataset.
      pipeline: the statements that replace the pipeline, if any.
    """
    return _Writer(source, parts, single, lines).block(dataset, pipeline)


class _Writer:
    def __init__(self, source: Source, parts: Classic, single: SingleLoop, lines: RunLines) -> None:
        self._source, self._parts, self._single, self._lines = source, parts, single, lines
        [self._input] = parts.inputs
        self._batch = source.code(bare(self._input.batch))

    def block(self, dataset: str, pipeline: Sequence[Any]) -> List[Any]:
        first = self._input.statements[0]
        begin = list(self._parts.building).index(first)
        in_front = set(self._parts.building[:begin])
        before = [self._commented(one) for one in self._parts.kept if one in in_front]
        between = [one for one in self._parts.kept if one not in in_front]
        comments = [*self._parts.comments.get(first, []), *first.leading_lines]
        place = [*pipeline, *(self._commented(one) for one in [*between, *self._single.between])]
        place += [*self._lines.model_lines, *self._lines.optimizer_line]
        described = any(uses(one) & set(self._input.names) for one in self._single.after)
        if described:
            name = self._lines.unused("dataset")
            place.append(self._lines.statement(f"{name} = {dataset}"))
            dataset = name
        loop, ended = self._new_loop(dataset)
        place.append(loop)
        user = len(place) - (2 if described else 1)  # index of the statement that creates the dataset
        if pipeline:
            place[len(pipeline)] = apart(place[len(pipeline)])
            comments = list(spaced(comments))
        elif user:
            comments = list(self._parts.comments.get(first, []))
            place[user] = led_below_blanks(place[user], comments_of(first))
        else:
            comments += lost(first, place)
        place[0] = led(place[0], comments)
        after = [led(made_eager(self._parts, one), self._parts.comments.get(one, [])) for one in self._single.after]
        if after:
            after[0] = led(after[0], self._single.closing)
        else:
            self._parts.left = [*self._single.closing, *self._parts.left]
        if described:
            after = [self._lines.statement(f"{self._batch} = {dataset}.element_spec"), *after]
        return [*before, *place, *ended, *after]

    def _commented(self, one: Statement) -> Statement:
        return led(self._parts.feeds.with_strings(one), self._parts.comments.get(one, []))

    def _new_loop(self, dataset: str) -> Tuple[Statement, List[Statement]]:
        """The loop, and the statements after it that belong to the end of data."""
        loop, ended = self._single.loop, self._single.ended
        head = self._lines.statement(f"for {self._head(dataset)}:\n    pass\n")
        body: List[Any] = []
        for one in loop.body.body:
            body += self._run_lines() if one is self._single.line else [one]
        if not body:
            body = [self._lines.statement("pass")]
        comments = [*self._single.comments, *self._parts.comments.get(loop, []), *loop.leading_lines]
        new = head.with_changes(body=loop.body.with_changes(body=body), leading_lines=comments)
        if not ended or not any(True for _ in every(loop.body, cst.Break)):
            return new, ended
        # The statements for the end of data do not run after a break.
        otherwise = self._lines.statement("for _ in _:\n    pass\nelse:\n    pass\n").orelse
        return new.with_changes(orelse=otherwise.with_changes(body=otherwise.body.with_changes(body=ended))), []

    def _head(self, dataset: str) -> str:
        loop = self._single.loop
        if isinstance(loop, cst.While):
            return f"{self._batch} in {dataset}"
        steps, number = self._source.code(loop.iter), self._source.code(bare(loop.target))
        used: Set[str] = set().union(*(uses(one) for one in loop.body.body if one is not self._single.line))
        used |= uses(self._single.line)
        used = used.union(*map(free_names, self._source.every(cst.FunctionDef)))
        if used & OF_VARIABLES:
            used |= set(assigned_names(loop.target))
        count = _count(self._source, loop)
        used = used.union(*(uses(one) for one in self._single.after))
        if count and not used & set(assigned_names(loop.target)):
            return f"{self._batch} in {dataset}.take({count})"
        number, batch = (f"({one})" if "," in one else one for one in (number, self._batch))
        return f"{number}, {batch} in zip({steps}, {dataset})"

    def _run_lines(self) -> List[Any]:
        """The lines that replace the session run."""
        run = self._single.run
        return self._lines.all_lines(self._single.line, run, self._lines.computed(run))


def _count(source: Source, loop: cst.For) -> Optional[str]:
    """The ``n`` of a loop over ``range(n)``."""
    steps = loop.iter
    if isinstance(steps, cst.Call) and dotted_name(steps.func) in ("range", "xrange") and len(steps.args) == 1:
        return source.code(steps.args[0].value)
    return None
