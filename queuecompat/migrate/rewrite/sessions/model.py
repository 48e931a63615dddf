"""The model: the statements that a program computes from its batches, and which of them a session run needs.

In a graph, a run computes what it fetches, and draws a batch from each pipeline that this depends on. ``Model.needed``
finds both for a list of fetches, or refuses if the text does not tell.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import Iterable, List, Optional, Sequence, Set, Tuple

import libcst as cst

from queuecompat.migrate.analysis.call_graph import calls_of, definition
from queuecompat.migrate.analysis.mentions import dotted_name
from queuecompat.migrate.analysis.results import Result, Results
from queuecompat.migrate.analysis.statements import (
    assigned_names,
    names_of,
    uses,
    why_not_plain,
)
from queuecompat.migrate.rewrite.refusals import UnsupportedPatternError, refused
from queuecompat.migrate.rewrite.sessions.comments import comments_of
from queuecompat.migrate.rewrite.sessions.inputs import Input
from queuecompat.migrate.rewrite.sessions.placeholders import Placeholders
from queuecompat.migrate.rewrite.sessions.purity import require_pure
from queuecompat.migrate.rewrite.sessions.variables import is_static
from queuecompat.migrate.source.nodes import argument, every, method
from queuecompat.migrate.source.parsing import Source

__all__ = ["Model", "Needed", "Training"]

_OF_SHAPES = {"tf.ones_like", "tf.rank", "tf.shape", "tf.size", "tf.zeros_like"}
_OF_ANY_SHAPE = ("allow_smaller_final_batch", "dynamic_pad")


@dataclasses.dataclass(frozen=True)
class Training:
    """A training op ``train_op = optimizer.minimize(loss)``: its line, its name, and its parts."""

    line: cst.SimpleStatementLine
    name: str
    optimizer: cst.BaseExpression
    loss: cst.BaseExpression
    others: Sequence[cst.Arg]

    @property
    def comments(self) -> List[cst.EmptyLine]:
        """The comments of its line that are kept."""
        return comments_of(self.line)

    @property
    def step(self) -> str:
        """The name of the variable that counts its runs; "" if there is none."""
        return dotted_name(argument(self.line.body[0].value, "global_step", 1))  # type: ignore[attr-defined]


@dataclasses.dataclass(frozen=True)
class Needed:
    """What a run needs: statements, pipelines to draw from, whether it includes the training op, and placeholders."""

    lines: Sequence[cst.SimpleStatementLine]
    inputs: Sequence[Input]
    trains: bool
    placeholders: Sequence[str] = ()


class Model:
    """The statements on batches.

    Attributes:
      lines: the statements, in the order of the text.
      training: the training op, if there is one.
      tensors: the names of batches and placeholders, and of everything computed from these and from variables.
      placeholders: the placeholders that runs feed.
    """

    def __init__(self, source: Source, inputs: Sequence[Input]) -> None:
        self._source, self._inputs = source, inputs
        self.placeholders = Placeholders(source)
        self.lines: List[cst.SimpleStatementLine] = []
        self.training: Optional[Training] = None
        self.tensors: Set[str] = set()

    @property
    def names(self) -> Set[str]:
        """All names that have a meaning only in the graph."""
        return self.tensors | ({self.training.name} if self.training else set())

    @property
    def moved(self) -> List[cst.SimpleStatementLine]:
        """The lines that move to the place where the session is run."""
        return [*self.lines, *([self.training.line] if self.training else [])]

    def add_batch(self, batch: Input) -> None:
        """Records that from here on *batch* exists."""
        self._require_new(batch.statements[-1], batch.names)
        self.tensors.update(batch.names)

    def take(self, line: cst.SimpleStatementLine, *, every_run: bool = False) -> bool:
        """Whether *line* belongs to the model; if so, records it.

        Args:
          every_run: whether it is computed in every run even if it needs no batch.

        Raises:
          UnsupportedPatternError: it belongs to the model, but cannot be repeated for each batch.
        """
        if self._is_training(line):
            return True
        if self.placeholders.take(line):
            self._require_new(line, names_of(line))
            self.tensors.update(names_of(line))
            return True
        if not every_run and not uses(line) & self.tensors:
            return False
        self._derive(line)
        return True

    def needed(self, place: cst.CSTNode, fetches: Iterable[cst.BaseExpression]) -> Needed:
        """What a run at *place* needs to compute *fetches*.

        Raises:
          UnsupportedPatternError: it is unknown which pipelines the fetches depend on.
        """
        wanted = list(fetches)
        trains = self.training is not None and any(self.training.name in uses(one) for one in wanted)
        if trains:
            assert self.training is not None
            wanted.append(self.training.loss)
        rates = self.placeholders.rates(self.training.optimizer) if trains and self.training is not None else set()
        lines, left = self._followed(set().union(*map(uses, wanted)))
        surely = self._surely_reads(wanted)
        inputs = [one for one in self._inputs if left & set(one.names)]
        if inputs != [one for one in self._inputs if surely & set(one.names)]:
            if len(self._inputs) == 1:
                raise refused("unknown-draw", place)
            raise refused("unknown-draws", place)
        fed = [one for one in self.placeholders.types if one in left | rates]
        return Needed(lines, inputs, trains, fed)

    def _followed(self, names: Set[str]) -> Tuple[List[cst.SimpleStatementLine], Set[str]]:
        """The lines that *names* are computed by, and the names that these lines start from."""
        lines, wanted = [], set(names)
        for line in reversed(self.lines):
            given = set(names_of(line)) or uses(line) & self.tensors  # else of `tensor.set_shape(...)`
            if given & wanted:
                lines.append(line)
                wanted = (wanted - set(names_of(line))) | uses(_value(line))
        return lines[::-1], wanted

    def _surely_reads(self, wanted: Iterable[cst.BaseExpression]) -> Set[str]:
        """The names of batches whose values *wanted* certainly needs; dependencies on shapes alone do not count."""
        return set().union(*(self.result(one).all_names() for one in wanted))

    def result(self, fetch: cst.BaseExpression) -> Result:
        """What *fetch* depends on, after all lines."""
        batches = [name for one in self._inputs for name in one.names]
        single = [name for one in self._inputs for name in one.names if not isinstance(one.batch, cst.Name)]
        results = Results(
            self._source, lambda one: is_static(self._source, one) or self._is_of_shape(one), batches, single
        )
        for line in self.lines:
            results.read(line)
        return results.of(fetch)

    def _is_of_shape(self, name: cst.Name) -> bool:
        """Whether it is the ``x`` of ``tf.shape(x)``, which a graph computes statically if it knows the shape."""
        around = self._source.parents.get(name)
        call = self._source.parents.get(around) if isinstance(around, cst.Arg) else None
        return isinstance(call, cst.Call) and self._source.names.symbol(call.func) in _OF_SHAPES and self._knows_shapes

    @functools.cached_property
    def _knows_shapes(self) -> bool:
        """Whether all batches certainly have the same size and width."""
        lines = [line for one in self._inputs for line in one.statements]
        calls = [call for line in lines for call in calls_of(self._source, line)]
        return not any(argument(call, keyword) is not None for call in calls for keyword in _OF_ANY_SHAPE)

    def _is_training(self, line: cst.SimpleStatementLine) -> bool:
        statement = line.body[0]
        if not isinstance(statement, cst.Assign) or not isinstance(statement.value, cst.Call):
            return False
        call, names = statement.value, assigned_names(statement.targets[0].target)
        loss = argument(call, "loss", 0)
        if method(call) != "minimize" or loss is None or len(names) != 1:
            return False
        if self.training is not None:
            raise refused("second-training", line)
        others = [one for one in call.args if one.value is not loss]
        named = others[1:] if others and others[0].keyword is None else others
        if any(one.keyword is None or one.keyword.value not in ("global_step", "name") for one in named):
            raise refused("minimize-arguments", line)
        require_pure(self._source, line, loss, tensors=self.tensors)
        optimizer = call.func.value  # type: ignore[attr-defined]
        self.placeholders.rates(optimizer)
        computed = sorted(uses(optimizer) & self.tensors - set(self.placeholders.types))
        if computed:
            raise refused("computed-rate", line, name=computed[0])
        self.training = Training(line, names[0], optimizer, loss, others)
        return True

    def _derive(self, line: cst.SimpleStatementLine) -> None:
        """Adds a statement on a batch or a variable, which moves into the loop; refuses one that is not repeatable."""
        statement = line.body[0]
        if not isinstance(statement, (cst.Assign, cst.Expr)) or len(line.body) > 1:
            raise refused(why_not_plain(line) or "more-than-assignment", line)
        if isinstance(statement, cst.Expr) and not self._sets_shape(statement.value):
            raise self._no_assignment(line, statement.value)
        if isinstance(statement, cst.Assign) and not names_of(line):
            written = self._source.code(statement.targets[0].target)
            raise refused("assigned-in-part", line, target=written)
        if self.training is not None and self.training.name in uses(line):
            raise refused("training-outside", line)
        require_pure(self._source, line, line, tensors=self.tensors)
        self._require_one_input(line)
        self._require_new(line, names_of(line))
        self.tensors.update(names_of(line))
        self.lines.append(line)

    def _no_assignment(self, line: cst.CSTNode, node: cst.BaseExpression) -> UnsupportedPatternError:
        running = next((call for call in every(node, cst.Call) if method(call) == "eval"), None)
        if running is not None:
            return refused("run-by-eval", line, call=self._source.code(running.func))
        written = self._source.code(node.func if isinstance(node, cst.Call) else node)
        return refused("call-on-batch", line, call=written)

    def _require_new(self, line: cst.CSTNode, names: Sequence[str]) -> None:
        """Requires that no name which an earlier statement read is assigned again: the next iteration would differ."""
        trained = uses(self.training.loss) if self.training else set()
        if trained & set(names):
            raise refused("loss-renamed", line)
        for name in set(names) - self.tensors:
            if any(name in uses(one) for one in self.lines):
                raise refused("reused-name", line, name=name)

    def _sets_shape(self, node: cst.BaseExpression) -> bool:
        return isinstance(node, cst.Call) and method(node) == "set_shape"

    def _require_one_input(self, line: cst.SimpleStatementLine) -> None:
        """Refuses functions of the file that mix batches of several pipelines, as their draws are unknown."""
        _, left = self._followed(uses(line))
        if len([one for one in self._inputs if left & set(one.names)]) < 2:
            return
        calls = list(every(line, cst.Call))
        if any(definition(self._source, call.func) for call in calls) or any(every(line, cst.Lambda)):
            raise refused("mixed-batches", line)


def _value(line: cst.SimpleStatementLine) -> cst.CSTNode:
    """The right side of an assignment; any other line as a whole."""
    statement = line.body[0]
    return statement.value if isinstance(statement, cst.Assign) else line
