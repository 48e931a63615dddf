"""Finds the source of a pipeline's records: its producer, its reader, and functions that read from the queue.

Each is recorded in the pipeline's parts when its statement is reached. What is left out: a second producer, and records
that come from two sources.
"""

from __future__ import annotations

import itertools
from typing import Dict, Optional, Sequence, Set, Tuple

import libcst as cst

from queuecompat.migrate.analysis.call_graph import definition
from queuecompat.migrate.analysis.mentions import dotted_name
from queuecompat.migrate.analysis.needed_names import unused
from queuecompat.migrate.analysis.statements import Statement, names_of, target_of, uses
from queuecompat.migrate.rewrite.pipelines.choices import chosen_lines
from queuecompat.migrate.rewrite.pipelines.parts import Parts
from queuecompat.migrate.rewrite.pipelines.producers import PRODUCERS, matching_files, producer_lines
from queuecompat.migrate.rewrite.pipelines.readers import READERS, Reading
from queuecompat.migrate.rewrite.pipelines.record_functions import RecordFunction, block_of
from queuecompat.migrate.rewrite.refusals import refused
from queuecompat.migrate.source.nodes import argument, every, method
from queuecompat.migrate.source.parsing import Source

__all__ = ["Records"]


class Records:
    """The stages of a pipeline up to its records.

    Args:
      lines: all statements of the pipeline, including those in loops.

    Attributes:
      stages: the names of its queue and its readers, which are removed.
      tensors: the names of a record's tensors.
      helpers: functions that change with the pipeline, mapped to their new forms.
      times: how often the statements being read are repeated, as an expression; "" if they are not.
    """

    def __init__(self, source: Source, tf: str, parts: Parts, lines: Sequence[Statement]) -> None:
        self._source, self._tf, self._parts, self._lines = source, tf, parts, lines
        self._queue = ""
        self._readers: Dict[str, Tuple[cst.Call, str]] = {}
        self.tensors: Set[str] = set()
        self.helpers: Dict[Optional[cst.CSTNode], cst.FunctionDef] = {}
        self.times = ""

    @property
    def stages(self) -> Set[str]:
        return {self._queue, *self._readers} - {""}

    def take(self, one: Statement, call: cst.Call) -> bool:
        """Whether a statement, which calls *call*, is one of these stages; if so, records it.

        Raises:
          UnsupportedPatternError: the stage has no counterpart.
        """
        symbol = self._source.names.symbol(call.func)
        if symbol == "tf.train.match_filenames_once":
            found = f"{_name_of(one)} = {matching_files(self._source, self._tf, call)}"
            self._parts.front.append(self._source.statement(found))
        elif symbol in PRODUCERS:
            self._take_producer(one, call, symbol)
        elif symbol in READERS:
            self._readers[_name_of(one)] = (call, self.times)
        elif method(call) in ("read", "read_up_to") and self._source.names.full(call.func) is None:
            self._take_read(one, call)
        elif method(call) == "dequeue" and not call.args:
            self._take_dequeue(one, call)
        else:
            return False
        return True

    def take_choice(self, one: Statement, cases: Sequence[Tuple[str, cst.Call, Statement]]) -> None:
        """Records the producers among which an ``if`` chooses: each condition, with its call and the call's line."""
        self._require_first(one)
        lines = [producer_lines(self._source, self._tf, call) for _, call, _ in cases]
        same = list(itertools.takewhile(lambda one: one == [one[0]] * len(one), map(list, zip(*lines))))
        rest = [(condition, own[len(same) :]) for (condition, _, _), own in zip(cases, lines)]
        self._parts.producer = [*(one[0] for one in same), *chosen_lines(rest)]
        self._queue = _name_of(cases[0][2])

    def reading_calls(self, node: cst.CSTNode) -> Sequence[cst.Call]:
        """The calls in *node* that get the queue as an argument."""
        return [call for call in every(node, cst.Call) if any(self._is_queue(arg.value) for arg in call.args)]

    def read_in(self, one: Statement, call: cst.Call) -> cst.Call:
        """Converts a call ``read_and_decode(queue)``: the function now gets the record instead of the queue.

        Raises:
          UnsupportedPatternError: the function cannot be converted.
        """
        function = definition(self._source, call.func)
        if not isinstance(function, cst.FunctionDef):
            raise refused("helper-elsewhere", one, call=self._source.code(call.func))
        queue = next(one for one in call.args if self._is_queue(one.value))
        helper = RecordFunction(self._source, function, call, queue)
        self._parts.reading, self._parts.files_at_once = helper.reading, self.times
        names = [unused(name, self._lines) for name in helper.record]
        self._note(one, names)
        self.helpers[function] = helper.replaced()
        return helper.called(call, queue, names)

    def read_within(self, one: Statement, tensors: cst.BaseExpression) -> cst.BaseExpression:
        """*tensors*, with a call of a reading function in it converted.

        Raises:
          UnsupportedPatternError: there are several such calls.
        """
        calls = self.reading_calls(tensors)
        if not calls:
            return tensors
        if len(calls) > 1 or method(calls[0]):
            raise refused("two-record-sources", one)
        return tensors.deep_replace(calls[0], self.read_in(one, calls[0]))

    def rename(self, new: str) -> None:
        """Renames the single tensor of a record to *new* from here on."""
        self._parts.record = [new]
        self.tensors.clear()
        self.tensors.add(new)

    def _take_producer(self, one: Statement, call: cst.Call, symbol: str) -> None:
        self._produce(one, call)
        if symbol == "tf.train.slice_input_producer":
            self._note(one, names_of(one))
            if isinstance(target_of(one), cst.Name):
                self._parts.record = [f"*{name}" for name in self._parts.record]
        else:
            self._queue = _name_of(one)

    def _produce(self, one: Statement, call: cst.Call) -> None:
        self._require_first(one)
        self._parts.producer = producer_lines(self._source, self._tf, call)

    def _require_first(self, one: Statement) -> None:
        if self._parts.producer:
            raise refused("second-producer", one)

    def _take_dequeue(self, one: Statement, call: cst.Call) -> None:
        producer = call.func.value  # type: ignore[attr-defined]
        if self._is_producer(producer):
            self._produce(one, producer)
        elif not self._is_queue(producer):
            raise refused("no-translation", one, call=self._source.code(call.func))
        self._note(one, names_of(one))

    def _take_read(self, one: Statement, call: cst.Call) -> None:
        reader, queue = call.func.value, argument(call, "queue", 0)  # type: ignore[attr-defined]
        made, times = self._readers.get(dotted_name(reader), (reader, self.times))
        names = names_of(one)
        if isinstance(queue, cst.Call) and self._is_producer(queue):
            self._produce(one, queue)
        elif not self._is_queue(queue):
            raise refused("no-translation", one, call=self._source.code(call.func))
        if not isinstance(made, cst.Call) or self._source.names.symbol(made.func) not in READERS or len(names) != 2:
            raise refused("no-translation", one, call=self._source.code(call.func))
        with_keys = any(names[0] in uses(line) - {"_"} for line in self._lines if line is not one)
        self._parts.reading = Reading(made, with_keys, block_of(self._source, call))
        self._parts.files_at_once = times
        self._note(one, names if with_keys else names[1:])

    def _is_producer(self, node: cst.BaseExpression) -> bool:
        return isinstance(node, cst.Call) and self._source.names.symbol(node.func) in PRODUCERS

    def _is_queue(self, node: Optional[cst.BaseExpression]) -> bool:
        return dotted_name(node) == self._queue != ""

    def _note(self, one: Statement, names: Sequence[str]) -> None:
        if self._parts.record or not names:
            raise refused("two-record-sources", one)
        self._parts.record = list(names)
        self.tensors.update(names)


def _name_of(one: Statement) -> str:
    """The single name that a line assigns.

    Raises:
      UnsupportedPatternError: it assigns something else, such as an attribute.
    """
    names = names_of(one)
    if len(names) != 1:
        raise refused("part-not-plain", one)
    return names[0]
