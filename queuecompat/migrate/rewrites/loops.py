"""A block of the classic shape, written as a loop over a dataset.

    images, labels = inputs(files)                 for images, labels in inputs(files):
    loss = ...                                         with tf.GradientTape() as tape:
    train_op = optimizer.minimize(loss)    ->              loss = ...
    ...                                                variables = tape.watched_variables()
        _, value = sess.run([train_op, loss])          optimizer.apply_gradients(...)
                                                       value = loss.numpy()

The statements between pipeline and loop go into it; what is fetched becomes ``.numpy()``.
"""

from __future__ import annotations

from typing import Any, List, Optional, Sequence, Set, Tuple

import libcst as cst

from queuecompat.migrate.rewrites.classic import Classic, Training
from queuecompat.migrate.rewrites.statements import Statement, assigned_names, reads
from queuecompat.migrate.sources import Source
from queuecompat.migrate.uses import dotted_name
from queuecompat.migrate.walking import every, method

__all__ = ["looped"]

_BLANK = cst.EmptyLine(indent=False)


def looped(source: Source, parts: Classic, dataset: str, tensorflow: str, pipeline: Sequence[Any]) -> List[Any]:
    """The statements of the new block.

    Args:
      dataset: the expression that gives the dataset.
      tensorflow: the name of TensorFlow in the file.
      pipeline: what stands where the pipeline was built, if anything does.
    """
    return _Writer(source, parts, tensorflow).block(dataset, pipeline)


class _Writer:
    def __init__(self, source: Source, parts: Classic, tensorflow: str) -> None:
        assert parts.batch is not None and parts.loop is not None and parts.fetches is not None
        self._source, self._parts, self._tf = source, parts, tensorflow
        self._loop, self._fetches = parts.loop, parts.fetches
        self._batch = source.code(_bare(parts.batch))
        self._names = set(assigned_names(parts.batch))
        self._taken = {name.value for name in source.every(cst.Name)}

    def block(self, dataset: str, pipeline: Sequence[Any]) -> List[Any]:
        before = [self._commented(one) for one in self._parts.before]
        first = self._parts.pipeline[0]
        comments = [*self._parts.comments.get(first, []), *first.leading_lines]
        place = [*pipeline, *(self._commented(one) for one in self._parts.between)]
        place += self._optimizer_lines()
        described = any(reads(one) & self._names for one in self._parts.after)
        if described:
            name = self._unused("dataset")
            place.append(self._statement(f"{name} = {dataset}"))
            dataset = name
        place.append(self._new_loop(dataset))
        if pipeline:
            place[len(pipeline)] = _apart(place[len(pipeline)])
            comments = comments if any(line.comment is None for line in comments) else [_BLANK, *comments]
        place[0] = _led(place[0], comments)
        after = [one.visit(_Behind()) for one in self._parts.after]
        if described:
            after = [self._statement(f"{self._batch} = {dataset}.element_spec"), *after]
        return [*before, *place, *self._parts.ended, *after]

    def _optimizer_lines(self) -> List[Any]:
        """The optimizer under a name, for a loop that uses it again and again."""
        training = self._parts.training
        self._optimizer = dotted_name(training.optimizer) if training is not None else ""
        if training is None or self._optimizer:
            return []
        self._optimizer = self._unused("optimizer")
        return [self._statement(f"{self._optimizer} = {self._source.code(training.optimizer)}")]

    def _commented(self, one: Statement) -> Statement:
        return _led(one, self._parts.comments.get(one, []))

    def _unused(self, name: str) -> str:
        while name in self._taken:
            name += "_"
        self._taken.add(name)
        return name

    def _statement(self, code: str) -> Any:
        return cst.parse_statement(code, config=self._source.tree.config_for_parsing)

    def _new_loop(self, dataset: str) -> Statement:
        head = self._statement(f"for {self._head(dataset)}:\n    pass\n")
        block = self._loop.body
        body: List[Any] = []
        for one in block.body:
            body += self._run_lines(one) if one is self._parts.run else [one]
        if not body:
            body = [self._statement("pass")]
        new = head.with_changes(body=block.with_changes(body=body), leading_lines=self._loop_lines())
        if self._parts.ended and self._may_break():
            # What was done at the end of data is not done after a break.
            otherwise = self._statement("for _ in _:\n    pass\nelse:\n    pass\n").orelse
            block = otherwise.body.with_changes(body=self._parts.ended)
            self._parts.ended = []
            return new.with_changes(orelse=otherwise.with_changes(body=block))
        return new

    def _loop_lines(self) -> Sequence[cst.EmptyLine]:
        return [*self._parts.comments.get(self._loop, []), *self._loop.leading_lines]

    def _may_break(self) -> bool:
        return any(True for _ in every(self._loop.body, cst.Break))

    def _head(self, dataset: str) -> str:
        if isinstance(self._loop, cst.While):
            return f"{self._batch} in {dataset}"
        steps, number = self._source.code(self._loop.iter), self._source.code(_bare(self._loop.target))
        used: Set[str] = set().union(*(reads(one) for one in self._loop.body.body if one is not self._parts.run))
        count = self._count()
        used = used.union(*(reads(one) for one in self._parts.after))
        if count and not used & set(assigned_names(self._loop.target)):
            return f"{self._batch} in {dataset}.take({count})"
        batch = f"({self._batch})" if "," in self._batch else self._batch
        return f"{number}, {batch} in zip({steps}, {dataset})"

    def _count(self) -> Optional[str]:
        """The ``n`` of a loop over ``range(n)``."""
        steps = self._loop.iter if isinstance(self._loop, cst.For) else None
        if isinstance(steps, cst.Call) and dotted_name(steps.func) in ("range", "xrange") and len(steps.args) == 1:
            return self._source.code(steps.args[0].value)
        return None

    def _run_lines(self, run: Any) -> List[Any]:
        """What stands where the session was run."""
        lines: List[Any] = list(self._parts.derived)
        lines[:1] = map(_without_blank, lines[:1])
        if self._parts.training is not None:
            lines = self._training_lines(self._parts.training, lines)
        lines += self._value_lines(run)
        if lines:
            lines[0] = _led(lines[0], run.leading_lines)
        return lines

    def _training_lines(self, training: Training, derived: List[Any]) -> List[Any]:
        tape, variables = self._unused("tape"), self._unused("variables")
        loss = self._source.code(training.loss)
        recorded = self._statement(f"with {self._tf}.GradientTape() as {tape}:\n    pass\n")
        if not isinstance(training.loss, cst.Name):
            name = self._unused("loss")
            derived, loss = [*derived, self._statement(f"{name} = {loss}")], name
        others = "".join(f", {self._source.code(one).rstrip(', ')}" for one in training.others)
        watched = self._statement(f"{variables} = {tape}.watched_variables()")
        return [
            recorded.with_changes(body=recorded.body.with_changes(body=derived)),
            _led(watched, training.comments),
            self._statement(
                f"{self._optimizer}.apply_gradients(zip({tape}.gradient({loss}, {variables}), {variables}){others})"
            ),
        ]

    def _value_lines(self, run: Any) -> List[Any]:
        statement = run.body[0]
        if not isinstance(statement, cst.Assign):
            return []
        pairs = self._pairs(statement)
        if pairs is None:
            values = self._values()
            return [
                run.with_changes(body=[statement.with_changes(value=cst.parse_expression(values))], leading_lines=[])
            ]
        if not pairs:
            return []
        names, values = ", ".join(name for name, _ in pairs), ", ".join(value for _, value in pairs)
        line = self._statement(f"{names} = {values}")
        return [line.with_changes(trailing_whitespace=run.trailing_whitespace)]

    def _pairs(self, statement: cst.Assign) -> Optional[List[Tuple[str, str]]]:
        """Name and value for each tensor that is fetched under a name of its own."""
        target, fetches = statement.targets[0].target, self._fetches
        both = (cst.List, cst.Tuple)
        if len(statement.targets) != 1 or not isinstance(target, both) or not isinstance(fetches, both):
            return None
        if len(target.elements) != len(fetches.elements):
            return None
        pairs = [
            (self._source.code(name.value), self._value(tensor.value))
            for name, tensor in zip(target.elements, fetches.elements)
        ]
        return [pair for pair in pairs if pair[0] != "_"]

    def _values(self) -> str:
        if isinstance(self._fetches, (cst.List, cst.Tuple)):
            values = ", ".join(self._value(element.value) for element in self._fetches.elements)
            return f"[{values}]" if isinstance(self._fetches, cst.List) else f"({values},)"
        return self._value(self._fetches)

    def _value(self, fetch: cst.BaseExpression) -> str:
        code = self._source.code(fetch)
        training = self._parts.training
        if training is not None and code == training.name:
            return "None"
        if isinstance(fetch, cst.Name) and fetch.value == self._batch:
            # Whatever the input function returns: a tensor, a list or a dict.
            return f"{self._tf}.nest.map_structure(lambda tensor: tensor.numpy(), {code})"
        plain = isinstance(fetch, (cst.Attribute, cst.Call, cst.Name, cst.Subscript))
        return f"{code}.numpy()" if plain else f"({code}).numpy()"


class _Behind(cst.CSTTransformer):
    """Behind the loop: ``sess.run(weights)`` is ``weights.numpy()``; a specification has no ``get_shape()``."""

    def on_leave(self, original_node: cst.CSTNode, updated_node: cst.CSTNode) -> Any:
        if not isinstance(updated_node, cst.Call) or not isinstance(updated_node.func, cst.Attribute):
            return updated_node
        if method(updated_node) == "run" and len(updated_node.args) == 1:
            return cst.Call(cst.Attribute(updated_node.args[0].value, cst.Name("numpy")))
        if method(updated_node) == "get_shape" and not updated_node.args:
            return cst.Attribute(updated_node.func.value, cst.Name("shape"))
        return updated_node


def _led(one: Any, lines: Sequence[cst.EmptyLine]) -> Any:
    return one.with_changes(leading_lines=[*lines, *one.leading_lines]) if lines else one


def _apart(one: Any) -> Any:
    """*one* behind an empty line."""
    return one if any(line.comment is None for line in one.leading_lines) else _led(one, [_BLANK])


def _without_blank(one: Any) -> Any:
    """*one* without the empty lines in front of it."""
    return one.with_changes(leading_lines=[line for line in one.leading_lines if line.comment is not None])


def _bare(target: cst.BaseExpression) -> cst.BaseExpression:
    """A target without the parentheses or brackets around it."""
    if isinstance(target, cst.List):
        return cst.Tuple(target.elements, lpar=[], rpar=[])
    return target.with_changes(lpar=[], rpar=[]) if isinstance(target, cst.Tuple) else target
