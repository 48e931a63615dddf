"""``--to tf-data``: input functions that build a queue pipeline build a ``tf.data.Dataset`` instead.

The pipelines of ``chains`` are understood: a producer, perhaps a reader, the program's own statements on a record, a
batcher. Those statements become a function that is mapped, as they are written. The loops become those of
``as_dataset``; a function that ``--to as-dataset`` has decorated loses its decorator.
"""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence, Set, Tuple

import libcst as cst

from queuecompat.migrate.pipelines import INPUT_PIPELINE, definition
from queuecompat.migrate.rewrites.as_dataset import Pipeline, Replacements, rewritten_as
from queuecompat.migrate.rewrites.chains import (
    PRODUCERS,
    READERS,
    batch_lines,
    matching_files,
    pool_lines,
    producer_lines,
    reader_line,
)
from queuecompat.migrate.rewrites.plumbing import Plumbing
from queuecompat.migrate.rewrites.queue_statements import is_queue_statement
from queuecompat.migrate.rewrites.rewritten import Rewritten
from queuecompat.migrate.rewrites.statements import OtherShapeError, Statement, assigned_names, names_of, reads
from queuecompat.migrate.sources import Source
from queuecompat.migrate.uses import dotted_name
from queuecompat.migrate.walking import every, method

__all__ = ["tf_data"]


def tf_data(source: Source) -> Rewritten:
    """*source* with its pipelines written as datasets."""
    return rewritten_as(source, _as_tf_data, "QC744", [], takes_decorated=True)


def _as_tf_data(source: Source, pipeline: Pipeline, tensorflow: str) -> Replacements:
    return _Pipeline(source, pipeline, tensorflow).replaced()


class _Pipeline:
    """One pipeline while it is read, statement by statement."""

    def __init__(self, source: Source, pipeline: Pipeline, tf: str) -> None:
        self._source, self._pipeline, self._tf = source, pipeline, tf
        self._statements = Plumbing(source, pipeline.statements).statements
        self._comments: List[cst.EmptyLine] = []
        self._front: List[Statement] = []
        self._own: List[Statement] = []
        self._behind: List[Statement] = []
        self._chain: List[str] = []
        self._queue = ""
        self._readers: Dict[str, cst.Call] = {}
        self._record: List[str] = []
        self._tensors: Set[str] = set()
        self._batcher: Optional[cst.Call] = None
        self._batch: Optional[cst.BaseExpression] = None
        self._returned: Optional[cst.BaseExpression] = None
        self._helpers: Replacements = {}

    def replaced(self) -> Replacements:
        """The new function, by the one that was there or None; and other functions that change with it."""
        if any("dataset" in reads(one) for one in self._statements):
            raise OtherShapeError(self._statements[0], "something in it is called 'dataset' already")
        for one in self._statements:
            self._take(one)
        if self._batcher is None:
            raise OtherShapeError(self._pipeline.statements[-1], "it does not end in a batcher")
        return {**self._helpers, self._pipeline.function: self._new_function()}

    def _take(self, one: Statement) -> None:
        if self._returned is not None:
            raise OtherShapeError(one, "there are statements behind the batch")
        value = _value(one)
        if value is not None and self._is_part(one, value):
            self._comments += [cst.EmptyLine(comment=comment) for comment in every(one, cst.Comment)]
            return
        if is_queue_statement(self._source, one):
            raise OtherShapeError(one, "this part of a pipeline has no counterpart here")
        if self._batcher is not None:
            self._behind.append(one)
        elif reads(one) & self._tensors:
            self._tensors.update(names_of(one))
            self._own.append(one)
        elif reads(one) & {self._queue, *self._readers}:
            raise OtherShapeError(one, "it uses a queue or a reader in another way")
        else:
            self._front.append(one)

    def _is_part(self, one: Statement, value: cst.BaseExpression) -> bool:
        """Whether the statement is a stage of the pipeline; then it is noted as one."""
        call = value if isinstance(value, cst.Call) else None
        symbol = self._source.names.symbol(call.func) if call is not None else ""
        if isinstance(one.body[0], cst.Return) and self._batcher is not None:  # type: ignore[index]
            self._returned = value
        elif call is None:
            return False
        elif symbol == "tf.train.match_filenames_once":
            self._front.append(self._statement(f"{_name_of(one)} = {matching_files(self._source, self._tf, call)}"))
        elif symbol in PRODUCERS:
            self._take_producer(one, call, symbol)
        elif symbol in READERS:
            self._readers[_name_of(one)] = call
        elif method(call) == "read":
            self._take_read(one, call)
        elif method(call) == "dequeue" and not call.args:
            self._take_dequeue(one, call)
        elif symbol in ("tf.train.batch", "tf.train.shuffle_batch"):
            self._take_batcher(one, call)
        else:
            return self._is_helper(one, call)
        return True

    def _take_producer(self, one: Statement, call: cst.Call, symbol: str) -> None:
        if self._chain:
            raise OtherShapeError(one, "there is a second producer")
        self._chain += producer_lines(self._source, self._tf, call)
        if symbol == "tf.train.slice_input_producer":
            self._records(one, names_of(one))
        else:
            self._queue = _name_of(one)

    def _take_dequeue(self, one: Statement, call: cst.Call) -> None:
        producer = call.func.value  # type: ignore[attr-defined]
        symbol = self._source.names.symbol(producer.func) if isinstance(producer, cst.Call) else ""
        if symbol in PRODUCERS:
            self._take_producer(one, producer, symbol)
        elif not self._queue or dotted_name(producer) != self._queue:
            raise OtherShapeError(one, "this part of a pipeline has no counterpart here")
        self._records(one, names_of(one))

    def _take_read(self, one: Statement, call: cst.Call) -> None:
        reader = call.func.value  # type: ignore[attr-defined]
        made = self._readers.get(dotted_name(reader), reader)
        names = names_of(one)
        if not isinstance(made, cst.Call) or len(names) != 2 or not self._is_queue(call):
            raise OtherShapeError(one, "this part of a pipeline has no counterpart here")
        rest = [later for later in self._statements if later is not one]
        with_keys = any(names[0] in reads(later) for later in rest) and names[0] != "_"
        self._chain.append(reader_line(self._source, self._tf, made, with_keys=with_keys))
        self._records(one, names if with_keys else names[1:])

    def _is_queue(self, call: cst.Call) -> bool:
        return len(call.args) == 1 and dotted_name(call.args[0].value) == self._queue != ""

    def _records(self, one: Statement, names: Sequence[str]) -> None:
        if self._record or not names:
            raise OtherShapeError(one, "records come from two places, or have no plain names")
        self._record = list(names)
        self._tensors.update(names)

    def _is_helper(self, one: Statement, call: cst.Call) -> bool:
        """``image = read_and_decode(queue)``: the function gets the record in place of the queue."""
        function = definition(self._source, call.func)
        if not self._queue or not any(dotted_name(arg.value) == self._queue for arg in call.args):
            return False
        if not isinstance(function, cst.FunctionDef):
            raise OtherShapeError(one, "a function that is not in this file takes the queue")
        place = [dotted_name(arg.value) for arg in call.args].index(self._queue)
        helper = _Helper(self._source, function, place)
        self._chain.append(reader_line(self._source, self._tf, helper.reader, with_keys=False))
        self._records(one, [self._unused(helper.record)])
        arguments = list(call.args)
        arguments[place] = arguments[place].with_changes(value=cst.Name(self._record[0]))
        self._own.append(one.deep_replace(call, call.with_changes(args=arguments)))  # type: ignore[arg-type]
        self._tensors.update(names_of(one))
        self._helpers[function] = helper.replaced()
        return True

    def _unused(self, name: str) -> str:
        taken = {one.value for line in self._statements for one in every(line, cst.Name)}
        while name in taken:
            name += "_"
        return name

    def _take_batcher(self, one: Statement, call: cst.Call) -> None:
        if self._batcher is not None:
            raise OtherShapeError(one, "there is a second batcher")
        if not self._record:
            raise OtherShapeError(one, "it is not seen here where its records come from")
        self._batcher = call
        statement = one.body[0]  # type: ignore[index]
        if isinstance(statement, cst.Return):
            self._returned = call
        elif isinstance(statement, cst.Assign) and assigned_names(statement.targets[0].target):
            self._batch = statement.targets[0].target
        else:
            raise OtherShapeError(one, "a batch has no plain names")

    def _new_function(self) -> cst.FunctionDef:
        assert self._batcher is not None
        pool, batch = pool_lines(self._source, self._batcher), batch_lines(self._source, self._tf, self._batcher)
        mapped, map_lines = self._mapped()
        finished, finish_lines = self._finished()
        last = [f"return dataset.prefetch({self._tf}.data.AUTOTUNE)"]
        lines = [*self._chain, *pool, *map_lines, *batch, *finish_lines, *last]
        body: List[Any] = [*self._front, *mapped, *finished, *map(self._statement, lines)]
        first = len(body) - len(lines)
        blank = [cst.EmptyLine(indent=False)] if mapped or finished else []
        body[first] = body[first].with_changes(leading_lines=[*blank, *self._comments])
        return self._with_body(body)

    def _with_body(self, body: List[Any]) -> cst.FunctionDef:
        function = self._pipeline.function
        if function is None:
            body[0] = body[0].with_changes(leading_lines=[line for line in body[0].leading_lines if line.comment])
            return cst.FunctionDef(cst.Name(self._pipeline.name), cst.Parameters(), cst.IndentedBlock(body))
        kept = [one for one in function.decorators if self._source.names.full(one.decorator) != INPUT_PIPELINE]
        lines = [line for one in function.decorators if one not in kept for line in one.leading_lines]
        return function.with_changes(
            body=function.body.with_changes(body=body),
            decorators=kept,
            leading_lines=[*function.leading_lines, *lines],
            lines_after_decorators=function.lines_after_decorators if kept else (),
        )

    def _statement(self, code: str) -> Any:
        return cst.parse_statement(code, config=self._source.tree.config_for_parsing)

    def _mapped(self) -> Tuple[List[Any], List[str]]:
        """The function of the program's own statements on a record, and the line that maps it."""
        returned = self._returned_of_batch()
        if not self._own and returned == ", ".join(self._record):
            return [], []
        name = self._unused("decode")
        function = self._function(name, self._record, self._own, returned)
        seeded = any(one.keyword and one.keyword.value == "seed" for one in every(function, cst.Arg))
        # In parallel, the order of what is drawn would not be that of the records.
        parallel = "" if seeded else f", num_parallel_calls={self._tf}.data.AUTOTUNE"
        return [function], [f"dataset = dataset.map({name}{parallel})"]

    def _returned_of_batch(self) -> str:
        """What is batched, as an expression."""
        assert self._batcher is not None
        tensors = self._batcher.args[0].value
        if isinstance(tensors, cst.Dict):
            return self._source.code(tensors)
        if not isinstance(tensors, (cst.List, cst.Tuple)):
            raise OtherShapeError(self._batcher, "its tensors are not listed here")
        return ", ".join(self._source.code(element.value) for element in tensors.elements)

    def _finished(self) -> Tuple[List[Any], List[str]]:
        """The same for statements on a batch."""
        if self._batch is None or (not self._behind and self._is_batch(self._returned)):
            return [], []
        names = assigned_names(self._batch)
        count = len(getattr(self._batcher.args[0].value, "elements", ())) if self._batcher else 0
        is_list = isinstance(self._batch, cst.Name) and count > 1 and not self._is_dict()
        name = self._unused("finish")
        returned = ", ".join(names) if self._returned is None else self._source.code(self._returned)
        function = self._function(name, [f"*{names[0]}"] if is_list else names, self._behind, returned)
        return [function], [f"dataset = dataset.map({name})"]

    def _is_dict(self) -> bool:
        return self._batcher is not None and isinstance(self._batcher.args[0].value, cst.Dict)

    def _is_batch(self, returned: Optional[cst.BaseExpression]) -> bool:
        """Whether what is returned is the batch itself; an assignment alone returns it."""
        return returned is None or assigned_names(returned) == assigned_names(self._batch or cst.Name("_"))

    def _function(self, name: str, parameters: Sequence[str], body: Sequence[Any], returned: str) -> Any:
        function = self._statement(f"def {name}({', '.join(parameters)}):\n    return {returned}\n")
        statements = [*body, *function.body.body]
        statements[0] = statements[0].with_changes(leading_lines=[x for x in statements[0].leading_lines if x.comment])
        return function.with_changes(
            body=function.body.with_changes(body=statements), leading_lines=[cst.EmptyLine(indent=False)]
        )


class _Helper:
    """A function that reads from a queue and decodes, on its way to one that decodes a record.

    Attributes:
      reader: the call that makes the reader.
      record: its name for a record.
    """

    def __init__(self, source: Source, function: cst.FunctionDef, place: int) -> None:
        parameters = function.params.params
        if place >= len(parameters):
            raise OtherShapeError(function, "it takes the queue in another way")
        self._function, self._parameter, self._queue = function, parameters[place], parameters[place].name.value
        self._left_out: List[Statement] = []
        readers: Dict[str, cst.Call] = {}
        self.record, reader = "", None
        for one in function.body.body:
            value = _value(one)  # type: ignore[arg-type]
            if not isinstance(value, cst.Call):
                continue
            if source.names.symbol(value.func) in READERS:
                readers[_name_of(one)] = value
                self._left_out.append(one)  # type: ignore[arg-type]
            elif method(value) == "read" and not self.record:
                made = value.func.value  # type: ignore[attr-defined]
                reader = readers.get(dotted_name(made), made)
                self.record = self._record_of(one, value)
                self._left_out.append(one)  # type: ignore[arg-type]
        if not isinstance(reader, cst.Call) or source.names.symbol(reader.func) not in READERS:
            raise OtherShapeError(function, "it does more with the queue than to read a record")
        self.reader = reader

    def _record_of(self, one: Any, call: cst.Call) -> str:
        names = names_of(one)
        others = [line for line in self._function.body.body if line is not one]
        if len(names) != 2 or len(call.args) != 1 or dotted_name(call.args[0].value) != self._queue:
            raise OtherShapeError(one, "it reads in another way")
        if any(reads(line) & {names[0], self._queue} - {"_"} for line in others):
            raise OtherShapeError(one, "it uses the queue, or the keys of records")
        return names[1]

    def replaced(self) -> cst.FunctionDef:
        """The function of a record."""
        body = [one for one in self._function.body.body if one not in self._left_out]
        parameter = self._parameter.with_changes(name=cst.Name(self.record))
        parameters = [parameter if one is self._parameter else one for one in self._function.params.params]
        return self._function.with_changes(
            params=self._function.params.with_changes(params=parameters),
            body=self._function.body.with_changes(body=body),
        )


def _value(one: Statement) -> Optional[cst.BaseExpression]:
    """The value of a line that is one assignment, or one return."""
    if isinstance(one, cst.SimpleStatementLine) and len(one.body) == 1:
        statement = one.body[0]
        if isinstance(statement, (cst.Assign, cst.Return)):
            return statement.value
    return None


def _name_of(one: Any) -> str:
    """The one name that a line assigns to.

    Raises:
      OtherShapeError: it assigns to something else, an attribute say.
    """
    names = names_of(one)
    if len(names) != 1:
        raise OtherShapeError(one, "a part of a pipeline has no plain name")
    return names[0]
