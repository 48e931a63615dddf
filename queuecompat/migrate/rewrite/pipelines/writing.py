"""Writes the parts of a pipeline as a function that returns a dataset.

    def inputs(files):
        <front>
        def decode(record): <own>
        def finish(images): <after_batch>
        dataset = <producer, reader>
        dataset = <shuffle, map, batch>

Records are shuffled before the map where possible, as in the compiled pipeline: the shuffle buffer then holds records
instead of decoded examples. This is impossible if the steps in between split records into examples or drop examples, or
if values depend on the order of computation.
"""

from __future__ import annotations

from typing import Any, Dict, List, Sequence, Tuple

import libcst as cst

from queuecompat.migrate.analysis.lists import is_list, used_as_list
from queuecompat.migrate.analysis.needed_names import unused
from queuecompat.migrate.analysis.order_of_records import PYTHON, SEEDED, order_needed
from queuecompat.migrate.analysis.pipelines import INPUT_PIPELINE
from queuecompat.migrate.analysis.statements import assigned_names
from queuecompat.migrate.rewrite.pipelines.batchers import Batcher
from queuecompat.migrate.rewrite.pipelines.choices import chosen_lines
from queuecompat.migrate.rewrite.pipelines.examples import Example
from queuecompat.migrate.rewrite.pipelines.parts import Parts
from queuecompat.migrate.rewrite.pipelines.row_wise import is_row_wise
from queuecompat.migrate.rewrite.refusals import refused
from queuecompat.migrate.source.parsing import Source

__all__ = ["new_function"]


def new_function(
    source: Source, tf: str, name: str, function: Any, parts: Parts, *, in_graph: bool = False
) -> cst.FunctionDef:
    """Returns the function of a pipeline.

    Args:
      tf: the file's name for TensorFlow.
      name: the name of the new function, if there is no old one.
      function: the old function, or None.
      in_graph: whether it returns the tensors of an iterator, as the old one returned those of a queue.
    """
    return _Writer(source, tf, parts, in_graph).function(name, function)


class _Writer:
    def __init__(self, source: Source, tf: str, parts: Parts, in_graph: bool) -> None:
        assert parts.batcher is not None
        self._source, self._tf, self._parts, self._in_graph = source, tf, parts, in_graph
        self._batcher: Batcher = parts.batcher
        self._example = parts.example and parts.example.shaped(source, tf, self._batcher)

    def function(self, name: str, function: Any) -> cst.FunctionDef:
        """The function, keeping the comments and decorators around the old one."""
        body = self._body()
        if function is None:
            body[0] = body[0].with_changes(leading_lines=[line for line in body[0].leading_lines if line.comment])
            return cst.FunctionDef(cst.Name(name), cst.Parameters(), cst.IndentedBlock(body))
        kept = [one for one in function.decorators if self._source.names.full(one.decorator) != INPUT_PIPELINE]
        lines = [line for one in function.decorators if one not in kept for line in one.leading_lines]
        return function.with_changes(
            body=function.body.with_changes(body=body),
            decorators=kept,
            leading_lines=[*function.leading_lines, *lines],
            lines_after_decorators=function.lines_after_decorators if kept else (),
        )

    def _body(self) -> List[Any]:
        mapped, lines, begins = self._stages()
        finished, finish_lines = ([], []) if self._in_graph else self._finished()
        prefetched = f"dataset.prefetch({self._tf}.data.AUTOTUNE)"
        ends = ["dataset = " + prefetched, self._element()] if self._in_graph else ["return " + prefetched]
        lines = [*self._parts.producer, *lines, *finish_lines, *ends]
        functions = [*mapped, *finished]
        body: List[Any] = [*self._parts.front, *functions, *map(self._source.statement, lines)]
        first = len(body) - len(lines)
        if functions:
            body[first] = body[first].with_changes(leading_lines=[cst.EmptyLine(indent=False)])
        for part, comments in self._parts.comments.items():
            place = first + (lines.index(begins[part]) if part in begins else 0)
            body[place] = body[place].with_changes(leading_lines=[*body[place].leading_lines, *comments])
        if functions and not self._parts.front:
            body[0] = body[0].with_changes(leading_lines=[])
        return [*body, *self._after_element()] if self._in_graph else body

    def _element(self) -> str:
        """The line that takes the batch from an iterator, in place of the batcher."""
        call, target = self._batcher.call, self._parts.batch
        element = f"{self._tf}.data.make_one_shot_iterator(dataset).get_next()"
        if not isinstance(target, (cst.List, cst.Tuple)):
            kind = is_list(self._source, call, None)
            if kind is None:
                raise refused("list-of-batch", call, call=self._source.code(call.func))
            element = f"list({element})" if kind else element
        return f"return {element}" if target is None else f"{self._source.code(target)} = {element}"

    def _after_element(self) -> List[Any]:
        """The statements on a batch, which stay in the graph."""
        returned = self._parts.returned
        after = [] if returned is None else [self._source.statement(f"return {self._source.code(returned)}")]
        return [*self._parts.after_batch, *after]

    def _stages(self) -> Tuple[List[Any], List[str], Dict[str, str]]:
        """The parts of the function between the producer and the finished batches.

        Returns:
          The functions that are mapped over files and records; the lines from the reader to the batches; and for
          "records" and "batches", the first of these lines that belongs to them, above which their comments go.
        """
        mapped, map_lines = self._mapped()
        shuffle = chosen_lines([(condition, one.shuffle_lines()) for condition, one in self._parts.cases])
        batch = chosen_lines([(condition, [one.batch_line()]) for condition, one in self._parts.cases])
        whole = self._decodes_batches()
        reading, read = self._reader_lines(in_blocks=not whole)
        begins = {"batches": [*shuffle, *batch][0], **({"records": read[0]} if read else {})}
        mapped = [*reading, *mapped]
        if whole:
            return mapped, [*read, *shuffle, *batch, *map_lines], begins
        cut = [self._cut_line()] if self._batcher.enqueue_many and self._example is not None else []
        kept = [
            "dataset = dataset.filter(lambda example, keep: keep)",
            "dataset = dataset.map(lambda example, keep: example)",
        ]
        if cut or self._batcher.keep or self._keeps_order():
            return mapped, [*read, *map_lines, *cut, *(kept if self._batcher.keep else []), *shuffle, *batch], begins
        return mapped, [*read, *shuffle, *map_lines, *batch], begins

    def _cut_line(self) -> str:
        """The line that splits elements which hold several examples."""
        if not self._batcher.pads:
            return "dataset = dataset.unbatch()"
        # Examples of varying length may be empty, and unbatch() of empty ones crashes TensorFlow 2.21.
        slices = f"{self._tf}.data.Dataset.from_tensor_slices"
        is_tuple = self._count() > 1 or self._batcher.keep is not None
        return f"dataset = dataset.flat_map({f'lambda *rows: {slices}(rows)' if is_tuple else slices})"

    def _decodes_batches(self) -> bool:
        """Whether whole batches of records may be decoded instead of the blocks that the reader returned."""
        blocks = self._parts.reading is not None and self._parts.reading.block
        if not blocks or not self._batcher.enqueue_many or self._batcher.pads or self._batcher.keep:
            return False
        return is_row_wise(self._source, self._parts.sources)

    def _reader_lines(self, *, in_blocks: bool) -> Tuple[List[Any], List[str]]:
        """The function that reads one file, if a function is needed, and the lines that read all files."""
        reading, at_once = self._parts.reading, self._parts.files_at_once
        if reading is None:
            return [], [*self._parts.shuffle_lines]
        function, line = reading.lines(self._source, self._tf, at_once, in_blocks=in_blocks)
        blank = [cst.EmptyLine(indent=False)]
        functions = [self._source.statement(function).with_changes(leading_lines=blank)] if function else []
        return functions, [line, *self._parts.shuffle_lines]

    def _mapped(self) -> Tuple[List[Any], List[str]]:
        """The function with the program's own statements on a record, and the line that maps it."""
        example = self._example
        if example is None or (not self._parts.own and not self._batcher.keep and self._is_record(example)):
            return [], []
        name = unused("decode", [self._source.tree])
        function = self._new_function(name, self._parts.record, self._parts.own, self._returned(example))
        parallel = "" if self._keeps_order() else f", num_parallel_calls={self._tf}.data.AUTOTUNE"
        return [function], [f"dataset = dataset.map({name}{parallel})"]

    def _is_record(self, example: Example) -> bool:
        record = ", ".join(self._parts.record)
        return example.code == (f"tuple({record[1:]})" if record[:1] == "*" else record)

    def _returned(self, example: Example) -> str:
        if not self._batcher.keep:
            return example.code
        code = f"({example.code})" if len(example.parts) > 1 else example.code
        keep = self._source.code(self._batcher.keep)
        if self._batcher.enqueue_many:
            # There may be one value for all rows, or one per row: both become one per row.
            first = example.first or f"{self._tf}.nest.flatten({example.code})[0]"
            keep = f"{self._tf}.broadcast_to({keep}, {self._tf}.shape({first})[:1])"
        return f"{code}, {keep}"

    def _keeps_order(self) -> bool:
        """Whether records must be computed in the order in which they are read.

        Seeded ops draw their numbers in that order, and a Python function was called in it by a single thread.
        """
        needed = order_needed(self._source, *self._parts.sources)
        if SEEDED in needed and self._batcher.is_join:
            raise refused("seeded-join", self._batcher.call)
        return SEEDED in needed or (PYTHON in needed and self._batcher.is_ordered)

    def _finished(self) -> Tuple[List[Any], List[str]]:
        """The function with the statements on a batch, and the line that maps it."""
        target, after_batch, returned = self._parts.batch, self._parts.after_batch, self._parts.returned
        if target is None or (
            not after_batch and (returned is None or assigned_names(returned) == assigned_names(target))
        ):
            return [], []
        names = assigned_names(target)
        is_list = isinstance(target, cst.Name) and self._count() > 1
        name = unused("finish", [self._source.tree])
        code = ", ".join(names) if returned is None else self._source.code(self._without_inner_lists(returned))
        lines = [*self._lists(names[0]), *after_batch] if is_list else after_batch
        function = self._new_function(name, [f"*{names[0]}"] if is_list else names, lines, code)
        return [function], [f"dataset = dataset.map({name})"]

    def _lists(self, name: str) -> List[Any]:
        """The line that makes a list of the batch *name*, a tuple, if the statements on it use it as a list."""
        around = self._source.around(self._batcher.call, cst.FunctionDef) or self._source.tree
        returned = self._parts.returned
        whole = [returned] if isinstance(returned, cst.Name) else []  # tf.data takes a list for a tuple
        is_used = used_as_list(self._source, name, around, whole)
        return [self._source.statement(f"{name} = list({name})")] if is_used else []

    def _without_inner_lists(self, value: Any, *, is_inner: bool = False) -> Any:
        """*value* with nested lists turned into tuples, because tf.data would stack their tensors."""
        if isinstance(value, (cst.Dict, cst.List, cst.Tuple)):
            inner = (self._without_inner_lists(one.value, is_inner=True) for one in value.elements)
            elements = [one.with_changes(value=new) for one, new in zip(value.elements, inner)]
            value = value.with_changes(elements=elements)
            return _tuple(value) if is_inner and isinstance(value, cst.List) else value
        is_name_of_list = is_inner and is_list(self._source, value, None)
        return cst.parse_expression(f"tuple({self._source.code(value)})") if is_name_of_list else value

    def _count(self) -> int:
        """The number of tensors in a batch; 1 for a dict."""
        if self._example is not None:
            return self._example.count or 1
        return len(getattr(self._batcher.tensors, "elements", ()))

    def _new_function(self, name: str, parameters: Sequence[str], body: Sequence[Any], returned: str) -> Any:
        function = self._source.statement(f"def {name}({', '.join(parameters)}):\n    return {returned}\n")
        statements = [*body, *function.body.body]
        statements[0] = statements[0].with_changes(leading_lines=[x for x in statements[0].leading_lines if x.comment])
        return function.with_changes(
            body=function.body.with_changes(body=statements), leading_lines=[cst.EmptyLine(indent=False)]
        )


def _tuple(display: cst.List) -> cst.Tuple:
    """A list display as a tuple, with its spaces and comments."""
    elements = list(display.elements)
    if len(elements) == 1 and not isinstance(elements[0].comma, cst.Comma):
        elements = [elements[0].with_changes(comma=cst.Comma())]
    return cst.Tuple(
        elements,
        lpar=[cst.LeftParen(display.lbracket.whitespace_after)],
        rpar=[cst.RightParen(display.rbracket.whitespace_before)],
    )
