"""Reads a pipeline statement by statement into its parts.

A statement is either a stage of the pipeline, or one of the program's own. The program's own statements work on a
record or on a batch, and are mapped over the dataset; or on neither, and stay in front. ``records`` recognises the
stages up to the records, ``joins`` the lists of a join, ``choices`` an ``if`` around batchers, and ``batches`` what
follows them.
"""

from __future__ import annotations

import re
from typing import Any, Dict, List, Optional, Sequence, Set, Tuple

import libcst as cst

from queuecompat.migrate.analysis.call_graph import callee, calls_of, definition
from queuecompat.migrate.analysis.collected import MAKING_VARIABLES
from queuecompat.migrate.analysis.queue_statements import calls_batcher, is_batch_elsewhere, is_queue_statement
from queuecompat.migrate.analysis.statements import (
    Statement,
    lines_of,
    may_write,
    names_of,
    target_of,
    uses,
    value_of,
    why_not_plain,
)
from queuecompat.migrate.rewrite.pipelines.arrays import row_lines
from queuecompat.migrate.rewrite.pipelines.batchers import BATCHERS, Batcher, batcher
from queuecompat.migrate.rewrite.pipelines.batches import Batches
from queuecompat.migrate.rewrite.pipelines.calls import InputCall, positions
from queuecompat.migrate.rewrite.pipelines.choices import Choices
from queuecompat.migrate.rewrite.pipelines.code_motion import CodeMotion
from queuecompat.migrate.rewrite.pipelines.examples import example
from queuecompat.migrate.rewrite.pipelines.joins import Joins
from queuecompat.migrate.rewrite.pipelines.parts import Parts
from queuecompat.migrate.rewrite.pipelines.record_queues import RecordQueue, record_queue
from queuecompat.migrate.rewrite.pipelines.records import Records
from queuecompat.migrate.rewrite.refusals import UnsupportedPatternError, refused
from queuecompat.migrate.rewrite.sessions.comments import comments_of
from queuecompat.migrate.rewrite.sessions.plumbing import Plumbing
from queuecompat.migrate.source.nodes import every
from queuecompat.migrate.source.parsing import Source

__all__ = ["Chain"]

# What these collect in a graph, feed to it or store in it would be lost in a dataset.
_OF_GRAPHS = (
    *MAKING_VARIABLES, "tf.add_to_collection", "tf.get_collection", "tf.histogram_summary", "tf.image_summary",
    "tf.placeholder", "tf.scalar_summary", "tf.summary",
)  # fmt: skip
# Names that suggest SparseTensors.
_SPARSE = re.compile("sparse|varlen", re.IGNORECASE)


class Chain:
    """One pipeline.

    Args:
      in_graph: whether the statements after the batcher stay in a graph, where they may do anything.

    Attributes:
      parts: the parts of the pipeline.
    """

    def __init__(
        self,
        source: Source,
        tf: str,
        statements: Sequence[Statement],
        function: Optional[cst.FunctionDef],
        *,
        in_graph: bool = False,
    ) -> None:
        self._source, self._tf, self._in_graph = source, tf, in_graph
        self._choices = Choices(source, Plumbing(source, statements).statements)
        self._statements = self._choices.statements
        self._lines = [line for one in self._statements for line in lines_of(one)]
        self.parts = Parts()
        self._joins = Joins(source, self._lines)
        self._queue = record_queue(source, self._statements)
        self._motion = CodeMotion(source, function)
        self._records = Records(source, tf, self.parts, self._lines)
        self._batches = Batches(source, self.parts, self._motion)
        self._before: Sequence[Statement] = []
        # The comments above a module-level pipeline will be placed above its new function.
        self._above = statements[0] if function is None else None
        if not all(isinstance(one, (cst.BaseCompoundStatement, cst.SimpleStatementLine)) for one in self._statements):
            raise refused("one-line-def", self._statements[0])
        if any("dataset" in uses(one) for one in self._statements if not _renames_dataset(one)):
            raise refused("name-dataset", self._statements[0])
        self._read()

    def _read(self) -> None:
        """Reads all statements and raises all refusals together; skips statements that depend on a refused one."""
        found: List[UnsupportedPatternError] = []
        unknown: Set[str] = set()
        for place, one in enumerate(self._statements):
            self._before = self._statements[:place]
            if not uses(one) & unknown:
                try:
                    self._take(one)
                    continue
                except UnsupportedPatternError as other:
                    found.append(other.at(self._choices.origins.get(other.node, other.node)))
            unknown |= may_write(self._source, one)
        if found:
            raise UnsupportedPatternError.of_all(found)
        self._require_whole()

    def _require_whole(self) -> None:
        if self.parts.batcher is None:
            raise refused("not-batched", self._statements[-1])
        self._motion.require_names(self.parts, self._records.tensors, self._gone())

    @property
    def helpers(self) -> Dict[Optional[cst.CSTNode], cst.FunctionDef]:
        """The helper functions that change with the pipeline, mapped to their new forms."""
        return self._records.helpers

    def _gone(self) -> Set[str]:
        """The names of stages, which a dataset does not have."""
        return {*self._records.stages, *self._joins.lists}

    def _take(self, one: Statement) -> None:
        if self._batches.are_ended():
            raise refused("after-batch", one)
        value = value_of(one)
        if self._queue is not None and one in self._queue.lines:
            self._take_queue(self._queue, one)
        elif isinstance(one, cst.For) and self._joins.is_loop(one):
            self._take_loop(one)
        elif self._choices.are_in(one):
            self._take_choice(one)
        elif self._choices.are_of_queues(one):
            self._take_producers(one)
        elif value is not None and self._is_part(one, value):
            self._motion.take_stage(one)
            self._keep_comments(one)
        elif is_queue_statement(self._source, one):
            raise _untranslated(self._source, one)
        else:
            self._take_other(one)

    def _take_other(self, one: Statement) -> None:
        """Handles a statement of the program's own."""
        own = set(every(one, cst.Call))
        stays = self._in_graph and self.parts.batcher is not None
        for call in () if stays else calls_of(self._source, one):
            if self._source.names.symbol(call.func).startswith(_OF_GRAPHS if call in own else MAKING_VARIABLES):
                raise refused("graph-part", one, call=self._source.code(call.func))
        if self.parts.batcher is not None:
            self._batches.take(one)
        elif uses(one) & self._records.tensors:
            if _is_return(one):
                raise refused("not-batched", one)
            self._take_own(one, one)
        elif uses(one) & self._gone():
            raise refused("queue-use", one)
        else:
            self._motion.take_front(one)
            self.parts.front.append(one)

    def _keep_comments(self, one: Any) -> None:
        """Stores those comments of a removed statement that are kept."""
        is_read = self.parts.reading is not None
        part = "batches" if self.parts.batcher is not None else "records" if is_read else "producer"
        is_first = one is self._above
        kept = comments_of(one.with_changes(leading_lines=[]) if is_first else one)
        lines = [cst.EmptyLine(comment=line.comment) for line in kept]
        self.parts.comments.setdefault(part, []).extend(lines)

    def _take_own(self, one: Statement, old: cst.CSTNode) -> None:
        self._take_begun(one)
        tensors = self._records.tensors
        tensors |= self._motion.take_own(old, tensors)  # type: ignore[arg-type]
        self.parts.own.append(one)
        self.parts.sources.append(old)

    def _take_begun(self, one: cst.CSTNode) -> None:
        """Moves the statements in front that belong to *one*, which runs for each record, into the mapped function."""
        tensors = self._records.tensors
        for place, line in enumerate(self._motion.begun(one, self.parts.front, tensors)):
            tensors |= self._motion.take_own(line, tensors)
            self.parts.front.remove(line)
            self.parts.own.insert(place, line)
            self.parts.sources.insert(place, line)

    def _is_part(self, one: Statement, value: cst.BaseExpression) -> bool:
        """Whether the statement is a stage of the pipeline; if so, records it as one."""
        if _is_return(one) and self.parts.batcher is not None:
            if is_queue_statement(self._source, value):
                raise refused("second-batcher", one)
            self._batches.take_returned(one, value, in_graph=self._in_graph)
        elif self._joins.is_list(one, value):
            pass
        elif isinstance(value, cst.Call):
            return self._is_stage(one, value)
        else:
            return False
        return True

    def _is_stage(self, one: Statement, call: cst.Call) -> bool:
        if self._records.take(one, call):
            return True
        if self._source.names.symbol(call.func) in BATCHERS:
            self._take_batcher(one, [("", batcher(self._source, call))])
        elif call in self._records.reading_calls(call):
            new = self._records.read_in(one, call)
            self._take_own(one.deep_replace(call, new), one)  # type: ignore[arg-type]
        else:
            return False
        return True

    def _take_loop(self, loop: cst.For) -> None:
        """Handles ``for _ in range(4): ...; examples.append([image, label])``."""
        self._motion.take_stage(loop.iter)
        self._records.times = self._joins.take_loop(loop)
        *body, last = lines_of(loop)
        for line in body:
            self._take(line)
        self._records.times = ""
        self._keep_comments(loop)
        self._keep_comments(last)

    def _take_queue(self, queue: RecordQueue, one: Statement) -> None:
        """Handles a statement that belongs to a queue of records."""
        if one is queue.filling:
            self._records.times = queue.times
            for line in queue.read:
                self._take(line)
            self._records.times = ""
            reading = self.parts.reading
            is_record = self.parts.record == [queue.value] and not self.parts.own
            if not is_record or (reading is not None and reading.block):
                raise refused("no-translation", one, call=self._source.code(queue.call.func))
            self._motion.take_stage(one.iter if isinstance(one, cst.For) else one)
        elif one is queue.taking:
            self._records.rename(names_of(one)[0])
            self.parts.shuffle_lines = queue.shuffle_lines
        else:
            self._motion.take_stage(one)
        self._keep_comments(one)

    def _take_choice(self, one: Statement) -> None:
        """Handles an ``if`` around batchers."""
        cases = self._choices.cases(one)
        tensors = sorted(set().union(*(uses(case.test) for case in every(one, cst.If))) & self._records.tensors)
        if tensors:
            raise refused("condition-of-record", one, name=tensors[0])
        self._take_batcher(cases[0][2], [(condition, found) for condition, found, _ in cases])
        self._motion.take_stage(one)
        for line in (one, *(line for _, _, line in cases)):
            self._keep_comments(line)

    def _take_producers(self, one: Statement) -> None:
        """Handles an ``if`` around producers."""
        cases = self._choices.producers(one)
        self._records.take_choice(one, cases)
        self._motion.take_stage(one)
        for line in (one, *(line for _, _, line in cases)):
            self._keep_comments(line)

    def _take_batcher(self, one: Statement, cases: Sequence[Tuple[str, Batcher]]) -> None:
        """Handles a batcher, or the first of several that treat the same tensors in the same way."""
        if self.parts.batcher is not None:
            raise refused("second-batcher", one)
        found = self.parts.batcher = cases[0][1]
        self.parts.cases = cases
        for _, case in cases:
            self._require_outside(one, case)
        tensors = found.tensors
        if found.is_join:
            tensors, self._records.times = self._joins.alike(one, tensors)
        new = self._records.read_within(one, tensors)
        if new is tensors and is_queue_statement(self._source, tensors):
            raise self._queues_within(one, tensors)
        if self.parts.record:
            self._take_begun(tensors)
            self.parts.example = example(self._source, tensors, new, self._before, _names_of_batch(one, found))
            self.parts.sources += [tensors, *([found.keep] if found.keep else [])]
        elif found.enqueue_many and not found.is_join and found.shapes is None and found.keep is None:
            given = InputCall(self._source, found.call, positions("tensors"))
            self.parts.producer = row_lines(self._source, self._tf, given)
        else:
            raise refused("records-unknown", one)
        self._batches.take_line(one)

    def _queues_within(self, one: Statement, tensors: cst.BaseExpression) -> UnsupportedPatternError:
        """The refusal of a batcher whose arguments build parts of the pipeline, or call functions that do."""
        calls = [call for call in every(tensors, cst.Call) if is_queue_statement(self._source, call)]
        inside = [part for call in calls for part in every(call, cst.Call) if part is not call]
        outermost = [call for call in calls if call not in inside]
        if self.parts.producer or len(outermost) > 1:
            return refused("second-producer", one)
        # In a chain of calls, the first one identifies the part.
        first = next((call for call in reversed(calls) if call in _chain(outermost[0])), outermost[0])
        return refused("queue-in-arguments", one, call=self._source.code(first.func))

    def _require_outside(self, one: Statement, found: Batcher) -> None:
        """Requires that the arguments written after ``decode`` need no record, and that its rows can be counted."""
        inside = (found.tensors, found.keep, found.shapes)
        needed = [uses(arg.value) for arg in found.call.args if arg.value not in inside]
        tensors = sorted(set().union(*needed) & self._records.tensors)
        if tensors:
            raise refused("argument-of-record", one, name=tensors[0])
        by_rows = found.keep is not None and found.enqueue_many
        if by_rows and any(_SPARSE.search(name.value) for name in self._source.every(cst.Name)):
            raise refused("rows-unknown", one)


def _is_return(one: cst.CSTNode) -> bool:
    return isinstance(one, cst.SimpleStatementLine) and isinstance(one.body[0], cst.Return)


def _names_of_batch(one: Statement, found: Batcher) -> Optional[int]:
    """As *batched* of ``example``: how many names a line assigns its batch to, 0 if it returns the batch as it is."""
    if _is_return(one):
        return None if found.enqueue_many else 0
    target = target_of(one)
    is_unpacked = isinstance(target, (cst.List, cst.Tuple)) and len(target.elements) > 1
    is_starred = any(True for _ in every(one, cst.StarredElement))
    return len(target.elements) if is_unpacked and not is_starred else None  # type: ignore[union-attr]


def _renames_dataset(one: Statement) -> bool:
    """Whether a line assigns a parameter ``dataset`` to another name, which all later statements use."""
    value = value_of(one)
    return isinstance(value, cst.Name) and value.value == "dataset" and isinstance(target_of(one), cst.Name)


def _chain(call: cst.Call) -> Sequence[cst.BaseExpression]:
    """*call* and the objects whose methods are called: for ``f(x).g()``, that call and ``f(x)``."""
    found: List[cst.BaseExpression] = [call]
    while isinstance(found[-1], cst.Call) and isinstance(found[-1].func, cst.Attribute):
        found.append(found[-1].func.value)
    return found


def _untranslated(source: Source, one: Statement) -> UnsupportedPatternError:
    """The refusal of a statement that builds a part of the pipeline but is not one of its stages."""
    if isinstance(one, (cst.For, cst.Try, cst.While, cst.With)):
        return refused("pipeline-in-block", one)
    if any(source.names.symbol(call.func) in BATCHERS for call in every(one, cst.Call)) and not why_not_plain(one):
        return refused("part-not-plain", one)
    batch = next((call for call in every(one, cst.Call) if _is_batch_of_function(source, call)), None)
    if why_not_plain(one) or batch is None:
        call = _queue_call(source, one)
        if isinstance(one, cst.If):
            return refused("part-in-branch", one, call=call)
        if any(one.name.value == call for one in source.every(cst.FunctionDef)) and not why_not_plain(one):
            return refused("helper-not-plain", one, call=call)
        kind = "" if why_not_plain(one) else _class_in(source, one, call)
        if kind:
            return refused("part-of-object", one, name=kind)
        return refused(why_not_plain(one) or "no-translation", one, call=call)
    return refused("batch-of-function", one, call=source.code(batch.func))


def _class_in(source: Source, one: Statement, call: str) -> str:
    """The name of the class that *call* in *one* creates an object of; "" if it is no class of the program."""
    found = next((node.func for node in every(one, cst.Call) if source.code(node.func) == call), None)
    if found is None:
        return ""
    own = definition(source, found)
    if isinstance(own, cst.ClassDef):
        return own.name.value
    return source.parts_elsewhere.get(source.names.full(found) or call, "")


def _is_batch_of_function(source: Source, call: cst.Call) -> bool:
    """Whether *call* calls a function that returns batches, in this file or another."""
    if is_batch_elsewhere(source, call):
        return True
    return isinstance(callee(source, call), cst.FunctionDef) and calls_batcher(source, call)


def _queue_call(source: Source, one: Statement) -> str:
    """The code of the function by which *one* builds a part of the pipeline."""
    calls = list(every(one, cst.Call))
    found = next((call for call in calls if is_queue_statement(source, call.func)), None)
    # A function of the file that builds the part is more informative than the calls around it.
    found = found or next((call for call in calls if is_queue_statement(source, call)), None)
    return source.code((found or calls[0]).func) if calls else source.code(one)
