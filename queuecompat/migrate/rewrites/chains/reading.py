"""A pipeline, read statement by statement into its parts.

A statement is a stage of the pipeline; or it is the program's own, and works on a record (then it is mapped), on a
batch (the same), or on neither (then it stays in front). Of the lists that a join gets, one is read: ``examples`` says
when they are alike.
"""

from __future__ import annotations

from typing import Any, Dict, Iterator, Optional, Sequence, Set, Tuple

import libcst as cst

from queuecompat.migrate.pipelines import definition
from queuecompat.migrate.rewrites.chains.arrays import row_lines
from queuecompat.migrate.rewrites.chains.batchers import BATCHERS, Batcher, batcher
from queuecompat.migrate.rewrites.chains.calls import InputCall, positions
from queuecompat.migrate.rewrites.chains.examples import example, lists, repeated
from queuecompat.migrate.rewrites.chains.order import Order
from queuecompat.migrate.rewrites.chains.parts import Parts
from queuecompat.migrate.rewrites.chains.producers import PRODUCERS, matching_files, producer_lines
from queuecompat.migrate.rewrites.chains.readers import READERS, Reading
from queuecompat.migrate.rewrites.chains.record_functions import RecordFunction, block_of
from queuecompat.migrate.rewrites.chains.scopes import mutated_names, needed_names, unused
from queuecompat.migrate.rewrites.queue_statements import is_queue_statement
from queuecompat.migrate.rewrites.sessions.plumbing import Plumbing
from queuecompat.migrate.rewrites.statements import (
    OtherShapeError,
    Statement,
    assigned_names,
    bound_names,
    names_of,
    reads,
    target_of,
    value_of,
)
from queuecompat.migrate.sources import Source
from queuecompat.migrate.uses import dotted_name
from queuecompat.migrate.walking import argument, every, method

__all__ = ["Chain"]

# What is collected in a graph, fed to it or kept in it, and would be lost in a dataset.
_OF_GRAPHS = (
    "tf.Variable", "tf.add_to_collection", "tf.get_collection", "tf.get_variable", "tf.histogram_summary",
    "tf.image_summary", "tf.placeholder", "tf.scalar_summary", "tf.summary",
)  # fmt: skip
_NO_COUNTERPART = "this part of a pipeline has no counterpart here"


class Chain:
    """One pipeline.

    Attributes:
      parts: of it.
      helpers: functions that change with it, and what becomes of them.
    """

    def __init__(
        self, source: Source, tf: str, statements: Sequence[Statement], function: Optional[cst.FunctionDef]
    ) -> None:
        self._source, self._tf = source, tf
        self._statements = Plumbing(source, statements).statements
        self._lines = [line for one in self._statements for line in _lines_of(one)]
        self._joined = {dotted_name(one) for one in self._lists_of_joins()} - {""}
        self._order = Order(source, function)
        self._queue = ""
        self._readers: Dict[str, Tuple[cst.Call, str]] = {}
        self._tensors: Set[str] = set()
        self._of_batch: Set[str] = set()
        self._lists: Dict[str, Tuple[cst.BaseExpression, str]] = {}
        self._times = ""
        self.parts = Parts()
        self.helpers: Dict[Optional[cst.CSTNode], cst.FunctionDef] = {}
        if not all(isinstance(one, (cst.BaseCompoundStatement, cst.SimpleStatementLine)) for one in self._statements):
            raise OtherShapeError(self._statements[0], "it stands in one line with its 'def'")
        if any("dataset" in reads(one) for one in self._statements):
            raise OtherShapeError(self._statements[0], "something in it is called 'dataset' already")
        for one in self._statements:
            self._take(one)
        if self.parts.batcher is None:
            raise OtherShapeError(statements[-1], "it does not end in a batcher")
        self._order.require_names(self.parts, self._tensors, {self._queue, *self._readers, *self._lists} - {""})

    def _take(self, one: Statement) -> None:
        if self._is_ended():
            raise OtherShapeError(one, "there are statements behind the batch")
        value = value_of(one)
        if isinstance(one, cst.For) and self._is_join_loop(one):
            self._take_loop(one)
        elif value is not None and self._is_part(one, value):
            self._order.take_stage(one)
            self._keep_comments(one)
        elif is_queue_statement(self._source, one):
            raise OtherShapeError(one, _NO_COUNTERPART)
        else:
            self._take_other(one)

    def _take_other(self, one: Statement) -> None:
        """A statement of the program's own."""
        for call in every(one, cst.Call):
            if self._source.names.symbol(call.func).startswith(_OF_GRAPHS):
                raise OtherShapeError(one, f"'{self._source.code(call.func)}' belongs to a graph")
        if self.parts.batcher is not None:
            self._order.take_behind(one, self._of_batch)
            self._of_batch |= bound_names(one)
            self.parts.behind.append(one)
        elif reads(one) & self._tensors:
            self._take_own(one, one)
        elif reads(one) & {self._queue, *self._readers, *self._lists}:
            raise OtherShapeError(one, "it uses a queue or a reader in another way")
        else:
            self._order.take_front(one)
            self.parts.front.append(one)

    def _is_ended(self) -> bool:
        found = self.parts
        return found.returned is not None or (found.batcher is not None and found.batch is None)

    def _keep_comments(self, one: Any) -> None:
        """Those in front of it; those in its lines say nothing without them."""
        self.parts.comments += [cst.EmptyLine(comment=line.comment) for line in one.leading_lines if line.comment]

    def _take_own(self, one: Statement, old: cst.CSTNode) -> None:
        self._tensors |= self._order.take_own(old, self._tensors)  # type: ignore[arg-type]
        self.parts.own.append(one)
        self.parts.sources.append(old)

    def _is_part(self, one: Statement, value: cst.BaseExpression) -> bool:
        """Whether the statement is a stage of the pipeline; then it is noted as one."""
        if isinstance(one.body[0], cst.Return) and self.parts.batcher is not None:  # type: ignore[index]
            self.parts.returned = value
        elif self._is_lists(one, value):
            pass
        elif isinstance(value, cst.Call):
            return self._is_stage(one, value)
        else:
            return False
        return True

    def _is_stage(self, one: Statement, call: cst.Call) -> bool:
        symbol = self._source.names.symbol(call.func)
        if symbol == "tf.train.match_filenames_once":
            found = f"{_name_of(one)} = {matching_files(self._source, self._tf, call)}"
            self.parts.front.append(cst.parse_statement(found, config=self._source.tree.config_for_parsing))
        elif symbol in PRODUCERS:
            self._take_producer(one, call, symbol)
        elif symbol in READERS:
            self._readers[_name_of(one)] = (call, self._times)
        elif method(call) in ("read", "read_up_to"):
            self._take_read(one, call)
        elif method(call) == "dequeue" and not call.args:
            self._take_dequeue(one, call)
        elif symbol in BATCHERS:
            self._take_batcher(one, call)
        elif any(self._is_queue(arg.value) for arg in call.args):
            new = self._read_in(one, call)
            self._take_own(one.deep_replace(call, new), one)  # type: ignore[arg-type]
        else:
            return False
        return True

    def _take_producer(self, one: Statement, call: cst.Call, symbol: str) -> None:
        self._produce(one, call)
        if symbol == "tf.train.slice_input_producer":
            self._records(one, names_of(one))
            if isinstance(target_of(one), cst.Name):
                self.parts.record = [f"*{name}" for name in self.parts.record]
        else:
            self._queue = _name_of(one)

    def _produce(self, one: Statement, call: cst.Call) -> None:
        if self.parts.producer:
            raise OtherShapeError(one, "there is a second producer")
        self.parts.producer = producer_lines(self._source, self._tf, call)

    def _take_dequeue(self, one: Statement, call: cst.Call) -> None:
        producer = call.func.value  # type: ignore[attr-defined]
        if self._is_producer(producer):
            self._produce(one, producer)
        elif not self._is_queue(producer):
            raise OtherShapeError(one, _NO_COUNTERPART)
        self._records(one, names_of(one))

    def _take_read(self, one: Statement, call: cst.Call) -> None:
        reader, queue = call.func.value, argument(call, "queue", 0)  # type: ignore[attr-defined]
        made, times = self._readers.get(dotted_name(reader), (reader, self._times))
        names = names_of(one)
        if isinstance(queue, cst.Call) and self._is_producer(queue):
            self._produce(one, queue)
        elif not self._is_queue(queue):
            raise OtherShapeError(one, _NO_COUNTERPART)
        if not isinstance(made, cst.Call) or self._source.names.symbol(made.func) not in READERS or len(names) != 2:
            raise OtherShapeError(one, _NO_COUNTERPART)
        with_keys = any(names[0] in reads(line) - {"_"} for line in self._lines if line is not one)
        self.parts.reading = Reading(made, with_keys, block_of(self._source, call))
        self.parts.files_at_once = times
        self._records(one, names if with_keys else names[1:])

    def _read_in(self, one: Statement, call: cst.Call) -> cst.Call:
        """``read_and_decode(queue)``: the function gets the record in place of the queue."""
        function = definition(self._source, call.func)
        if not isinstance(function, cst.FunctionDef):
            raise OtherShapeError(one, "a function that is not in this file takes the queue")
        queue = next(one for one in call.args if self._is_queue(one.value))
        helper = RecordFunction(self._source, function, call, queue)
        self.parts.reading, self.parts.files_at_once = helper.reading, self._times
        names = [unused(name, self._statements) for name in helper.record]
        self._records(one, names)
        self.helpers[function] = helper.replaced()
        return helper.called(call, queue, names)

    def _is_producer(self, node: cst.BaseExpression) -> bool:
        return isinstance(node, cst.Call) and self._source.names.symbol(node.func) in PRODUCERS

    def _is_queue(self, node: Optional[cst.BaseExpression]) -> bool:
        return dotted_name(node) == self._queue != ""

    def _records(self, one: Statement, names: Sequence[str]) -> None:
        if self.parts.record or not names:
            raise OtherShapeError(one, "records come from two places, or have no plain names")
        self.parts.record = list(names)
        self._tensors.update(names)

    def _lists_of_joins(self) -> Iterator[cst.BaseExpression]:
        """What the joins of the pipeline get."""
        for line in self._lines:
            for call in every(line, cst.Call):
                parameters = BATCHERS.get(self._source.names.symbol(call.func), ("",))
                found = argument(call, parameters[0], 0)
                if parameters[0] == "tensors_list" and found is not None:
                    yield found

    def _is_lists(self, one: Statement, value: cst.BaseExpression) -> bool:
        """``examples = [read(queue) for _ in range(4)]``, or ``[]`` where a loop appends to it."""
        names = names_of(one)
        if len(names) != 1 or names[0] not in self._joined:
            return False
        if not isinstance(value, cst.List) or value.elements:
            self._lists[names[0]] = self._alike(one, value)
        return True

    def _alike(self, one: cst.CSTNode, value: cst.BaseExpression) -> Tuple[cst.BaseExpression, str]:
        found = lists(self._source, value)
        if found is None:
            raise OtherShapeError(one, "the lists of the join are not all alike")
        return found

    def _is_join_loop(self, loop: cst.For) -> bool:
        return any(_appended_to(line) in self._joined for line in _lines_of(loop))

    def _take_loop(self, loop: cst.For) -> None:
        """``for _ in range(4): ...; examples.append([image, label])``."""
        *body, last = _lines_of(loop)
        times = repeated(self._source, loop, loop.body)
        name = _appended_to(last)
        if times is None or name not in self._joined or name in self._lists or loop.orelse is not None:
            raise OtherShapeError(loop, "the lists of the join are not all alike")
        bound: Set[str] = set().union(*map(bound_names, body))
        if bound & needed_names(body) or any(mutated_names(self._source, line) - bound for line in body):
            raise OtherShapeError(loop, "the lists of the join are not all alike")
        self._order.take_stage(loop.iter)
        self._times = times
        for line in body:
            self._take(line)
        self._times = ""
        self._lists[name] = (last.body[0].value.args[0].value, times)  # type: ignore[index, union-attr]
        self._keep_comments(loop)
        self._keep_comments(last)

    def _take_batcher(self, one: Statement, call: cst.Call) -> None:
        if self.parts.batcher is not None:
            raise OtherShapeError(one, "there is a second batcher")
        found = self.parts.batcher = batcher(self._source, call)
        self._require_outside(one, found)
        tensors = found.tensors
        if found.is_join:
            tensors, self._times = self._lists.get(dotted_name(tensors)) or self._alike(one, tensors)
        new = self._with_record(one, tensors)
        if self.parts.record:
            self.parts.example = example(self._source, tensors, new, self._lines)
            self.parts.sources += [tensors, *([found.keep] if found.keep else [])]
        elif found.enqueue_many and not found.is_join and found.shapes is None:
            given = InputCall(self._source, call, positions("tensors"))
            self.parts.producer = row_lines(self._source, self._tf, given)
        else:
            raise OtherShapeError(one, "it is not seen here where its records come from")
        self._take_batch(one)

    def _require_outside(self, one: Statement, found: Batcher) -> None:
        """Whether what is written behind ``decode`` needs nothing of a record."""
        inside = (found.tensors, found.keep, found.shapes)
        needed = [reads(arg.value) for arg in found.call.args if arg.value not in inside]
        tensors = sorted(set().union(*needed) & self._tensors)
        if tensors:
            raise OtherShapeError(one, f"an argument of its batcher is made of '{tensors[0]}', of a single record")

    def _with_record(self, one: Statement, tensors: cst.BaseExpression) -> cst.BaseExpression:
        """*tensors*, if a function in them reads, with what it gets then."""
        calls = [call for call in every(tensors, cst.Call) if any(self._is_queue(arg.value) for arg in call.args)]
        if not calls:
            return tensors
        if len(calls) > 1 or method(calls[0]):
            raise OtherShapeError(one, "records come from two places, or have no plain names")
        return tensors.deep_replace(calls[0], self._read_in(one, calls[0]))

    def _take_batch(self, one: Statement) -> None:
        statement = one.body[0]  # type: ignore[index]
        if isinstance(statement, cst.Return):
            return
        target = target_of(one)
        if target is None or not assigned_names(target):
            raise OtherShapeError(one, "a batch has no plain names")
        self.parts.batch = target
        self._of_batch = set(assigned_names(target))


def _lines_of(one: Statement) -> Sequence[Statement]:
    """The statements in a loop; of all else, the statement itself."""
    return one.body.body if isinstance(one, cst.For) else [one]  # type: ignore[return-value]


def _appended_to(line: cst.CSTNode) -> str:
    """The ``x`` of a line ``x.append(...)``; "" of all others."""
    statement = line.body[0] if isinstance(line, cst.SimpleStatementLine) else None
    call = statement.value if isinstance(statement, cst.Expr) else None
    if isinstance(call, cst.Call) and method(call) == "append" and len(call.args) == 1:
        return dotted_name(call.func).rpartition(".")[0]
    return ""


def _name_of(one: Statement) -> str:
    """The one name that a line assigns to.

    Raises:
      OtherShapeError: it assigns to something else, an attribute say.
    """
    names = names_of(one)
    if len(names) != 1:
        raise OtherShapeError(one, "a part of a pipeline has no plain name")
    return names[0]
