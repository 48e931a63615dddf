"""Writes the lines that replace a session run: the statements that the run needs, then its line with values in it.

_, value = sess.run([train_op, loss])    ->    with tf.GradientTape() as tape:
                                                   loss = ...
                                               variables = tape.watched_variables()
                                               optimizer.apply_gradients(...)
                                               value = loss.numpy()
"""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import libcst as cst

from queuecompat.migrate.analysis.call_graph import definition
from queuecompat.migrate.analysis.mentions import dotted_name
from queuecompat.migrate.analysis.results import LISTS
from queuecompat.migrate.analysis.several import may_be_several
from queuecompat.migrate.analysis.statements import names_of, uses, value_of
from queuecompat.migrate.rewrite.sessions.classic import Classic
from queuecompat.migrate.rewrite.sessions.comments import led, lost
from queuecompat.migrate.rewrite.sessions.model import Training
from queuecompat.migrate.rewrite.sessions.session_runs import Run, reads_variables
from queuecompat.migrate.rewrite.sessions.templates import renamed
from queuecompat.migrate.source.parsing import Source

__all__ = ["NewLines", "RunLines", "apart", "spaced", "without_blank"]


class NewLines:
    """Writes statements of a file.

    Attributes:
      tensorflow: the file's name for TensorFlow.
    """

    def __init__(self, source: Source, tensorflow: str) -> None:
        self._source, self.tensorflow = source, tensorflow
        self._taken = {name.value for name in source.every(cst.Name)}

    def unused(self, name: str) -> str:
        """*name*, with ``_`` appended until the file does not use it."""
        while name in self._taken:
            name += "_"
        self._taken.add(name)
        return name

    def statement(self, code: str) -> Any:
        """*code* as a statement, in the file's indentation."""
        return self._source.statement(code)


class RunLines(NewLines):
    """Writes these lines for all runs of a block.

    Attributes:
      model_lines: what the model needs before the first run: the template of its function with variables.
      optimizer_line: replaces the line of the training op: assigns the optimizer to a name, if it had none.
    """

    def __init__(self, source: Source, parts: Classic, tensorflow: str) -> None:
        super().__init__(source, tensorflow)
        self._parts = parts
        self._own: Dict[str, str] = {}
        self._template = ""
        self.model_lines: List[Any] = []
        if parts.template:
            self._template = self.unused(f"{parts.template}_template")
            made = self.statement(
                f"{self._template} = {tensorflow}.make_template({parts.template!r}, {parts.template})"
            )
            comment = cst.EmptyLine(
                comment=cst.Comment("# The first call creates its variables, and later calls reuse them.")
            )
            self.model_lines = [led(made, [comment])]
        training = parts.model.training
        self._optimizer = dotted_name(training.optimizer) if training is not None else ""
        self.optimizer_line: List[Any] = []
        if training is not None and not self._optimizer:
            self._optimizer = self.unused("optimizer")
            optimizer = parts.model.placeholders.as_functions(training.optimizer)
            self.optimizer_line = [self.statement(f"{self._optimizer} = {optimizer}")]

    def fed(self, run: Run) -> List[Any]:
        """The lines that assign the fed values to the placeholders' names."""
        types = self._parts.model.placeholders.types
        values = ((name, self._source.code(value), types[name]) for name, value in run.fed.items())
        return [self.statement(f"{name} = {self.tensorflow}.constant({code}, {dtype})") for name, code, dtype in values]

    def computed(self, run: Run) -> List[Any]:
        """The statements that the run needs, and the training step."""
        lines = [self._in_template(one) for one in run.needed.lines]
        lines[:1] = map(without_blank, lines[:1])
        if run.needed.trains:
            assert self._parts.model.training is not None
            return self._training_lines(self._parts.model.training, lines)
        return lines

    def all_lines(self, line: cst.SimpleStatementLine, run: Run, computed: Sequence[Any]) -> List[Any]:
        """The lines that replace *line*: *computed*, then the line with values; they keep its comments."""
        lines = [*computed, *self.line(line, run)]
        lines[:1] = [led(one, [*line.leading_lines, *lost(line, lines)]) for one in lines[:1]]
        return lines

    def line(self, line: cst.SimpleStatementLine, run: Run) -> List[Any]:
        """The line of *run* with values in its place; empty if running the session was its only effect."""
        [statement] = line.body
        pairs = self._pairs(statement, run)
        if pairs == [] or (isinstance(statement, cst.Expr) and statement.value is run.call):
            return []
        if pairs:
            names, values = ", ".join(name for name, _ in pairs), ", ".join(value for _, value in pairs)
            new = self.statement(f"{names} = {values}")
            return [new.with_changes(trailing_whitespace=line.trailing_whitespace)]
        return [self.replaced(line, run).with_changes(leading_lines=[])]

    def replaced(self, node: Any, run: Run) -> Any:
        """*node* with values in place of the run, and of runs that only read variables."""
        values = cst.parse_expression(self._values(run.fetches))
        return self.with_values(values if node is run.call else node.deep_replace(run.call, values))

    def with_values(self, node: Any) -> Any:
        """*node* with values in place of runs that only read variables."""
        return node.visit(_VariableReads(self._parts, self._values))

    def _in_template(self, node: Any) -> Any:
        return renamed(node, self._parts.template, self._template) if self._template else node

    def _own_name(self, name: str) -> str:
        """A new name, the same in all runs of the block."""
        if name not in self._own:
            self._own[name] = self.unused(name)
        return self._own[name]

    def _training_lines(self, training: Training, derived: List[Any]) -> List[Any]:
        tape, variables = self._own_name("tape"), self._own_name("variables")
        loss = self._source.code(self._in_template(training.loss))
        recorded = self.statement(f"with {self.tensorflow}.GradientTape() as {tape}:\n    pass\n")
        if not isinstance(training.loss, cst.Name):
            name = self._own_name("loss")
            derived, loss = [*derived, self.statement(f"{name} = {loss}")], name
        others = "".join(f", {self._source.code(one).rstrip(', ')}" for one in training.others)
        watched = self.statement(f"{variables} = {tape}.watched_variables()")
        return [
            recorded.with_changes(body=recorded.body.with_changes(body=derived or [self.statement("pass")])),
            led(watched, training.comments),
            self.statement(
                f"{self._optimizer}.apply_gradients(zip({tape}.gradient({loss}, {variables}), {variables}){others})"
            ),
        ]

    def _pairs(self, statement: cst.CSTNode, run: Run) -> Optional[List[Tuple[str, str]]]:
        """The name and value of each fetched tensor, if each is assigned to a target of its own."""
        if not isinstance(statement, cst.Assign) or statement.value is not run.call or len(statement.targets) != 1:
            return None
        target, both = statement.targets[0].target, (cst.List, cst.Tuple)
        if not isinstance(target, both) or not isinstance(run.fetches, both):
            return None
        starred = any(isinstance(one, cst.StarredElement) for one in target.elements)
        if starred or len(target.elements) != len(run.fetches.elements):
            return None
        pairs = [
            (self._source.code(name.value), self._value(tensor.value))
            for name, tensor in zip(target.elements, run.fetches.elements)
        ]
        return [pair for pair in pairs if pair[0] != "_"]

    def _values(self, fetches: cst.BaseExpression) -> str:
        if isinstance(fetches, cst.Dict):
            pairs = ((one.key, one.value) for one in fetches.elements if isinstance(one, cst.DictElement))
            return "{" + ", ".join(f"{self._source.code(key)}: {self._value(value)}" for key, value in pairs) + "}"
        if isinstance(fetches, (cst.List, cst.Tuple)):
            values = ", ".join(self._value(element.value) for element in fetches.elements)
            return f"[{values}]" if isinstance(fetches, cst.List) else f"({values},)"
        return self._value(fetches)

    def _value(self, fetch: cst.BaseExpression) -> str:
        code = self._source.code(fetch)
        training = self._parts.model.training
        if training is not None and code == training.name:
            return "None"
        if not self._is_one_tensor(fetch):
            return f"{self.tensorflow}.nest.map_structure(lambda tensor: tensor.numpy(), {code})"
        plain = isinstance(fetch, (cst.Attribute, cst.Call, cst.Name, cst.Subscript))
        return f"{code}.numpy()" if plain else f"({code}).numpy()"

    def _is_one_tensor(self, fetch: cst.BaseExpression) -> bool:
        """Whether *fetch* is a single tensor, and not a list or dict of tensors."""
        if isinstance(fetch, cst.Name):
            return self._is_single(fetch.value)
        root = fetch
        while isinstance(root, (cst.Attribute, cst.Subscript)):
            root = root.value
        is_own = isinstance(root, cst.Call) and definition(self._source, root.func) is not None
        if isinstance(root, cst.Name):
            is_own = not self._is_batch(root.value) and not self._is_single(root.value)
        return root is fetch or not is_own or self._parts.model.result(fetch).is_tensor

    def _is_batch(self, name: str) -> bool:
        """Whether *name* is a whole batch, in the form that the input function returns."""
        lines = (one for one in self._parts.model.lines if name in names_of(one))
        batches = (one.batch for one in self._parts.inputs)
        return any(isinstance(one, cst.Name) and one.value == name for one in batches) and not any(lines)

    def _is_single(self, name: str) -> bool:
        """Whether *name* is a single tensor, and not a list or dict of tensors."""
        if self._is_batch(name):
            return False
        lines = [one for one in self._parts.model.lines if name in names_of(one)]
        return self._assigns_tensor(lines[-1], name) if lines else not self._is_several(name)

    def _is_several(self, name: str) -> bool:
        """Whether the part *name* of a batch may be a dict or a list."""
        for one in self._parts.inputs:
            value = value_of(one.statements[-1])
            if value is None or one.is_prepared or not isinstance(one.batch, (cst.List, cst.Tuple)):
                continue
            for place, element in enumerate(one.batch.elements):
                if isinstance(element.value, cst.Name) and element.value.value == name:
                    return may_be_several(self._source, value, place)
        return False

    def _assigns_tensor(self, line: cst.SimpleStatementLine, name: str) -> bool:
        """Whether *line*, the last one that assigns *name*, assigns a tensor to it."""
        statement = line.body[0]
        assert isinstance(statement, cst.Assign)
        value, is_name = statement.value, isinstance(statement.targets[0].target, cst.Name)
        if isinstance(value, cst.Call) and not definition(self._source, value.func):
            return not (is_name and self._source.names.symbol(value.func) in LISTS)
        if isinstance(value, (cst.BinaryOperation, cst.Comparison, cst.UnaryOperation)):
            return True
        if isinstance(value, cst.Subscript) and is_name and name not in uses(value):
            return self._is_one_tensor(value)
        return self._parts.model.result(cst.Name(name)).is_tensor


class _VariableReads(cst.CSTTransformer):
    def __init__(self, parts: Classic, values: Callable[[cst.BaseExpression], str]) -> None:
        super().__init__()
        self._parts, self._values = parts, values

    def on_leave(self, original_node: cst.CSTNode, updated_node: cst.CSTNode) -> Any:
        if not isinstance(updated_node, cst.Call):
            return updated_node
        if self._parts.plumbing.is_run(updated_node) and reads_variables(self._parts, updated_node):
            return cst.parse_expression(self._values(updated_node.args[0].value))
        return updated_node


def apart(one: Any) -> Any:
    """*one* after an empty line."""
    return one.with_changes(leading_lines=spaced(one.leading_lines))


def spaced(lines: Sequence[cst.EmptyLine]) -> Sequence[cst.EmptyLine]:
    """*lines* with at least one empty line."""
    return lines if any(line.comment is None for line in lines) else [cst.EmptyLine(indent=False), *lines]


def without_blank(one: Any) -> Any:
    """*one* without the empty lines above it."""
    return one.with_changes(leading_lines=[line for line in one.leading_lines if line.comment is not None])
