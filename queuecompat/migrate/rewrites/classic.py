"""The classic shape of a TensorFlow 1 program's input: one pipeline, one session, one loop that runs it.

    images, labels = inputs(files)                     the pipeline
    loss = tf.reduce_mean(...)                         what follows from a batch
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    with tf.Session() as sess:                         plumbing: it goes
        sess.run(tf.global_variables_initializer())
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess, coord)
        try:
            while not coord.should_stop():             the loop, with one run of the session
                _, value = sess.run([train_op, loss])
        except tf.errors.OutOfRangeError:
            print("done")
        finally:
            coord.request_stop()
        coord.join(threads)

``classic`` takes such a block of statements apart; ``loops`` puts it together again as a loop over a dataset. All that
does not fit raises ``OtherShapeError``, with the place and the reason: a program is rewritten as a whole or not at all.
"""

from __future__ import annotations

import dataclasses
from typing import Dict, List, Optional, Sequence, Set, Union

import libcst as cst

from queuecompat.migrate.pipelines import definition
from queuecompat.migrate.rewrites.plumbing import Plumbing
from queuecompat.migrate.rewrites.queue_statements import gives_batches, is_queue_statement
from queuecompat.migrate.rewrites.statements import (
    OtherShapeError,
    Statement,
    assigned_names,
    names_of,
    reads,
    target_of,
)
from queuecompat.migrate.sources import Source
from queuecompat.migrate.uses import dotted_name
from queuecompat.migrate.walking import argument, every, method

__all__ = ["Classic", "Training", "classic"]

# What may not be done anew for every batch, or not in eager mode.
_ONCE = (
    "tf.Variable", "tf.assign", "tf.contrib", "tf.get_", "tf.global_", "tf.image.random_", "tf.image_summary",
    "tf.layers", "tf.make_template", "tf.merge_", "tf.metrics", "tf.placeholder", "tf.random", "tf.scalar_summary",
    "tf.summary", "tf.train", "tf.truncated_normal", "tf.variable",
)  # fmt: skip
# What means something in a graph alone, wherever it stands.
_OF_GRAPHS = (
    "tf.add_to_collection", "tf.get_collection", "tf.get_default_graph", "tf.global_variables", "tf.gradients",
    "tf.merge_", "tf.placeholder", "tf.summary", "tf.train.Saver", "tf.train.Supervisor", "tf.trainable_variables",
    "tf.train.MonitoredSession", "tf.train.MonitoredTrainingSession", "tf.train.SingularMonitoredSession",
)  # fmt: skip
# Modules whose functions do nothing but calculate, and methods of tensors.
_HARMLESS = {"builtins", "math", "numpy"}
_OF_TENSORS = {"as_list", "get_shape", "items", "set_shape", "values"}


@dataclasses.dataclass(frozen=True)
class Training:
    """``train_op = optimizer.minimize(loss)``: its name, and its parts."""

    name: str
    optimizer: cst.BaseExpression
    loss: cst.BaseExpression
    others: Sequence[cst.Arg]
    comments: Sequence[cst.EmptyLine]


@dataclasses.dataclass
class Classic:
    """A block of the classic shape, in its parts.

    Attributes:
      before: statements in front of the pipeline; they stay where they are.
      between: those behind it and in front of the loop that have nothing to do with a batch; they stay, too.
      pipeline: the statements that build the input, or the one that calls a function which does.
      batch: the name or names that a batch has.
      derived: statements on a batch, for each batch.
      training: the training op, if there is one.
      loop: the ``for`` or ``while``.
      run: the statement of its body that runs the session.
      fetches: what that asks for.
      ended: statements for the end of data.
      after: statements behind the loop.
      comments: lines that stood in front of a block that is gone, by the statement that comes first now.
    """

    before: List[Statement] = dataclasses.field(default_factory=list)
    between: List[Statement] = dataclasses.field(default_factory=list)
    pipeline: List[Statement] = dataclasses.field(default_factory=list)
    batch: Optional[cst.BaseExpression] = None
    derived: List[cst.SimpleStatementLine] = dataclasses.field(default_factory=list)
    training: Optional[Training] = None
    loop: Optional[Union[cst.For, cst.While]] = None
    run: Optional[cst.SimpleStatementLine] = None
    fetches: Optional[cst.BaseExpression] = None
    ended: List[Statement] = dataclasses.field(default_factory=list)
    after: List[Statement] = dataclasses.field(default_factory=list)
    comments: Dict[Statement, List[cst.EmptyLine]] = dataclasses.field(default_factory=dict)


def classic(source: Source, statements: Sequence[Statement]) -> Classic:
    """The parts of the block that *statements* are.

    Raises:
      OtherShapeError: it has another shape.
    """
    return _Block(source, statements).taken_apart()


class _Block:
    """What is known so far of a block that is being taken apart."""

    def __init__(self, source: Source, statements: Sequence[Statement]) -> None:
        self._source = source
        self._plumbing = Plumbing(source, statements)
        self._parts = Classic(comments=self._plumbing.comments)
        self._tensors: Set[str] = set()

    def taken_apart(self) -> Classic:
        flat = self._plumbing.statements
        first, last = self._pipeline_of(flat)
        self._parts.pipeline = flat[first : last + 1]
        for one in self._parts.pipeline:
            if reads(one) & self._plumbing.names:
                raise OtherShapeError(one, "the pipeline uses the session, the graph or the coordinator")
        self._parts.batch = target_of(flat[last])
        if not assigned_names(self._parts.batch or cst.Name("_")) or self._parts.batch is None:
            raise OtherShapeError(flat[last], "a batch has no plain names")
        for one in flat[:first]:
            self._take(one)
        self._tensors = set(assigned_names(self._parts.batch))
        inner = {name for one in flat[first:last] for name in names_of(one)} - self._tensors
        for one in flat[last + 1 :]:
            if reads(one) & inner:
                raise OtherShapeError(one, "something between the queues is used outside of the pipeline")
            self._take(one)
        if self._parts.loop is None:
            raise OtherShapeError(flat[last], "no loop runs it in a session")
        return self._parts

    def _pipeline_of(self, flat: Sequence[Statement]) -> tuple[int, int]:
        """The places of the first and the last statement that builds the pipeline."""
        found = [
            place
            for place, one in enumerate(flat)
            if not isinstance(one, (cst.ClassDef, cst.FunctionDef)) and is_queue_statement(self._source, one)
        ]
        if not found:
            raise OtherShapeError(flat[0] if flat else cst.Pass(), "no statement here builds a pipeline")
        for one in flat[found[0] : found[-1] + 1]:
            if not isinstance(one, cst.SimpleStatementLine):
                raise OtherShapeError(one, "the pipeline is built in a block of its own")
        batches = [place for place in found if gives_batches(self._source, flat[place])]
        if len(batches) > 1:
            raise OtherShapeError(flat[batches[1]], "there is a second pipeline")
        if batches != found[-1:]:
            raise OtherShapeError(flat[found[-1]], "the pipeline does not end in a batcher, or in a function with one")
        return found[0], found[-1]

    def _take(self, one: Statement) -> None:
        if isinstance(one, cst.SimpleStatementLine):
            self._take_line(one)
        elif self._parts.loop is None and self._plumbing.runs(one):
            self._take_loop(one)
        else:
            self._keep(one)

    def _take_line(self, line: cst.SimpleStatementLine) -> None:
        if self._plumbing.includes(line):
            return
        if self._parts.loop is not None:
            self._keep(line)
        elif self._is_training(line):
            pass
        elif reads(line) & self._tensors:
            self._derive(line)
        else:
            self._keep(line)

    def _keep(self, one: Statement) -> None:
        names = reads(one)
        for call in every(one, cst.Call):
            if self._plumbing.called(call).startswith(_OF_GRAPHS) and not isinstance(
                one, (cst.ClassDef, cst.FunctionDef)
            ):
                raise OtherShapeError(one, f"'{self._source.code(call.func)}' belongs to a graph")
        behind = self._parts.loop is not None
        if names & self._plumbing.names and not (behind and self._only_reads_variables(one)):
            raise OtherShapeError(one, "it uses the session, the graph or the coordinator in another way")
        if names & self._tensors and not (behind and self._only_describes(one)):
            raise OtherShapeError(one, "it uses a tensor outside of the loop")
        if self._parts.training is not None and self._parts.training.name in names:
            raise OtherShapeError(one, "it uses the training op outside of the loop")
        (self._parts.after if behind else self._parts.between if self._tensors else self._parts.before).append(one)

    def _only_reads_variables(self, one: Statement) -> bool:
        """Whether all that *one* asks the session for is variables, one at a time."""
        calls = self._plumbing.runs(one)
        asked = [dotted_name(call.args[0].value) if len(call.args) == 1 else "" for call in calls]
        others = [name for name in every(one, cst.Name) if name.value in self._plumbing.names]
        return bool(calls) and len(others) == len(calls) and self._plumbing.variables.issuperset(asked)

    def _only_describes(self, one: cst.CSTNode) -> bool:
        """Whether *one* asks tensors of a batch for their type and shape alone."""
        derived = {name for line in self._parts.derived for name in names_of(line)}
        batch = set(assigned_names(self._parts.batch or cst.Name("_"))) - derived
        used = [name for name in every(one, cst.Name) if name.value in self._tensors]
        return all(name.value in batch and self._is_described(name) for name in used)

    def _is_described(self, name: cst.Name) -> bool:
        around = self._source.parents.get(name)
        return isinstance(around, cst.Attribute) and around.attr.value in (
            "dtype",
            "get_shape",
            "items",
            "shape",
            "values",
        )

    def _is_training(self, line: cst.SimpleStatementLine) -> bool:
        statement = line.body[0]
        if not isinstance(statement, cst.Assign) or not isinstance(statement.value, cst.Call):
            return False
        call, names = statement.value, assigned_names(statement.targets[0].target)
        loss = argument(call, "loss", 0)
        if method(call) != "minimize" or loss is None or len(names) != 1:
            return False
        if self._parts.training is not None:
            raise OtherShapeError(line, "there is a second training op")
        others = [one for one in call.args if one.value is not loss]
        named = others[1:] if others and others[0].keyword is None else others
        if any(one.keyword is None or one.keyword.value not in ("global_step", "name") for one in named):
            raise OtherShapeError(line, "minimize has arguments of another kind")
        optimizer = call.func.value  # type: ignore[attr-defined]
        self._parts.training = Training(names[0], optimizer, loss, others, [x for x in line.leading_lines if x.comment])
        return True

    def _derive(self, line: cst.SimpleStatementLine) -> None:
        """A statement on a batch: it goes into the loop, if it may be done for each batch."""
        statement = line.body[0]
        if len(line.body) > 1 or not isinstance(statement, (cst.Assign, cst.Expr)):
            raise OtherShapeError(line, "it is more than an assignment on a batch")
        if isinstance(statement, cst.Expr) and not self._sets_shape(statement.value):
            raise OtherShapeError(line, "it is more than an assignment on a batch")
        self._require_repeatable(line, line, set())
        self._tensors.update(names_of(line))
        self._parts.derived.append(line)

    def _sets_shape(self, node: cst.BaseExpression) -> bool:
        return isinstance(node, cst.Call) and method(node) == "set_shape"

    def _require_repeatable(self, line: cst.CSTNode, node: cst.CSTNode, seen: Set[cst.CSTNode]) -> None:
        """Whether *node*, and what it calls, may be done anew for each batch: it makes no variables, say."""
        for call in every(node, cst.Call):
            symbol, called = self._plumbing.called(call), definition(self._source, call.func)
            if symbol.startswith(_ONCE):
                raise OtherShapeError(line, f"'{self._source.code(call.func)}' cannot be done anew for each batch")
            if called is not None and called not in seen:
                self._require_repeatable(line, called, seen | {called})
            elif not symbol and called is None and not self._is_harmless(call):
                raise OtherShapeError(line, f"nobody knows here what '{self._source.code(call.func)}' does")

    def _is_harmless(self, call: cst.Call) -> bool:
        """Whether a function that is neither TensorFlow's nor of this file does nothing but calculate."""
        dotted = self._source.names.full(call.func)
        if dotted is not None:
            return dotted.partition(".")[0] in _HARMLESS
        if isinstance(call.func, cst.Attribute):
            root = dotted_name(call.func).partition(".")[0]
            return not root or root in self._tensors or method(call) in _OF_TENSORS
        return False

    def _take_loop(self, one: Statement) -> None:
        """The loop, or the ``try`` around it."""
        if isinstance(one, cst.Try):
            *first, last = one.body.body
            self._parts.comments[last] = [*self._parts.comments.get(one, []), *one.leading_lines]  # type: ignore[index]
            for line in first:
                self._take(line)  # type: ignore[arg-type]
            handled = [self._ended(handler) for handler in one.handlers]
            self._require_loop(last)
            if isinstance(last, cst.For) and any(handled):
                raise OtherShapeError(one, "its loop may end in two ways")
            self._parts.ended = [line for lines in handled for line in lines]
            if one.orelse is not None or not self._is_cleaning(one.finalbody):
                raise OtherShapeError(one, "its 'else' or 'finally' does more than to stop threads")
        else:
            self._require_loop(one)

    def _ended(self, handler: cst.ExceptHandler) -> List[Statement]:
        if handler.type is None or self._source.names.symbol(handler.type) != "tf.errors.OutOfRangeError":
            raise OtherShapeError(handler, "it catches something else than the end of data")
        name = assigned_names(handler.name.name) if handler.name else []
        kept = [one for one in handler.body.body if not self._plumbing.includes(one) and not _is_pass(one)]
        if any(reads(one) & {*name, *self._plumbing.names, *self._tensors} for one in kept):
            raise OtherShapeError(handler, "it uses the error, the session or a tensor")
        return kept  # type: ignore[return-value]

    def _is_cleaning(self, block: Optional[cst.Finally]) -> bool:
        return block is None or all(self._plumbing.includes(one) for one in block.body.body)

    def _require_loop(self, loop: cst.CSTNode) -> None:
        if not isinstance(loop, (cst.For, cst.While)) or loop.orelse is not None:
            raise OtherShapeError(loop, "the session is not run by a plain loop")
        if isinstance(loop, cst.While) and not self._is_endless(loop.test):
            raise OtherShapeError(loop, "its loop has a condition of its own")
        if isinstance(loop, cst.For) and reads(loop.iter) & (self._plumbing.names | self._tensors):
            raise OtherShapeError(loop, "its loop is over something of the graph")
        self._parts.loop = loop
        self._require_one_run(loop)

    def _is_endless(self, test: cst.BaseExpression) -> bool:
        """``True``, ``1``, or ``not coord.should_stop()``."""
        if isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
            call = test.expression
            return isinstance(call, cst.Call) and dotted_name(call.func).partition(".")[0] in self._plumbing.names
        return (isinstance(test, cst.Name) and test.value == "True") or (
            isinstance(test, cst.Integer) and test.value == "1"
        )

    def _require_one_run(self, loop: Union[cst.For, cst.While]) -> None:
        lines = [one for one in loop.body.body if self._plumbing.runs(one)]
        calls = self._plumbing.runs(loop.body)
        if len(calls) != 1 or not isinstance(lines[0], cst.SimpleStatementLine) or len(lines[0].body) != 1:
            raise OtherShapeError(loop, "its loop runs the session not exactly once each time")
        statement, call = lines[0].body[0], calls[0]
        if not isinstance(statement, (cst.Assign, cst.Expr)) or statement.value is not call:
            raise OtherShapeError(lines[0], "the run is a part of a longer expression")
        if len(call.args) != 1 or call.args[0].keyword is not None or call.args[0].star:
            raise OtherShapeError(lines[0], "the run is fed, or has other arguments")
        for one in loop.body.body:
            if one is not lines[0] and reads(one) & (self._plumbing.names | self._tensors):
                raise OtherShapeError(one, "it uses a tensor, the session or the coordinator")
        self._parts.run, self._parts.fetches = lines[0], call.args[0].value
        self._require_known(lines[0], call.args[0].value)

    def _require_known(self, line: cst.CSTNode, fetches: cst.BaseExpression) -> None:
        """Whether all that is fetched comes from a batch, or is the training op."""
        known = self._tensors | ({self._parts.training.name} if self._parts.training else set())
        elements = fetches.elements if isinstance(fetches, (cst.List, cst.Tuple)) else [cst.Element(fetches)]
        for element in elements:
            if not reads(element.value) & known or isinstance(element.value, (cst.Dict, cst.List, cst.Tuple)):
                raise OtherShapeError(line, f"'{self._source.code(element.value)}' does not come from the batch")
            if reads(element.value) & self._plumbing.names:
                raise OtherShapeError(line, "the session is used in what it fetches")


def _is_pass(one: cst.CSTNode) -> bool:
    return isinstance(one, cst.SimpleStatementLine) and all(isinstance(part, cst.Pass) for part in one.body)
