"""Converts a function that reads from a queue and decodes into one that decodes a record.

def read_image(queue):                                    def read_image(record):
    reader = tf.TFRecordReader()
    _, record = reader.read(queue)                   ->
    return decode(record)                                     return decode(record)
"""

from __future__ import annotations

from typing import Any, Dict, List

import libcst as cst

from queuecompat.migrate.analysis.mentions import dotted_name
from queuecompat.migrate.analysis.statements import Statement, defs, names_of, uses, value_of
from queuecompat.migrate.rewrite.pipelines.readers import READERS, Reading
from queuecompat.migrate.rewrite.refusals import refused
from queuecompat.migrate.source.nodes import argument, every, method
from queuecompat.migrate.source.parsing import Source

__all__ = ["RecordFunction", "block_of"]


class RecordFunction:
    """One such function.

    Args:
      call: a call of it.
      queue: the argument of the call that is the queue.

    Attributes:
      reading: the read in it, with its reader.
      record: its names for the result: of the record, or of key and record.
    """

    def __init__(self, source: Source, function: cst.FunctionDef, call: cst.Call, queue: cst.Arg) -> None:
        keyword = queue.keyword.value if queue.keyword else None
        place = list(call.args).index(queue)
        found = [
            one
            for number, one in enumerate(function.params.params)
            if (number == place if keyword is None else one.name.value == keyword)
        ]
        if not found or any(one.star for one in call.args):
            raise refused("helper-queue", function)
        self._source, self._function, self._parameter = source, function, found[0]
        self._left_out: List[Statement] = []
        self._made: Dict[str, cst.BaseExpression] = {}
        self.record: List[str] = []
        for one in function.body.body:
            value = value_of(one)  # type: ignore[arg-type]
            if isinstance(value, cst.Call):
                self._take(one, value)
        if not self.record:
            raise refused("helper-does-more", function)

    def _take(self, one: Any, call: cst.Call) -> None:
        if self._source.names.symbol(call.func) in READERS and len(names_of(one)) == 1:
            self._made[names_of(one)[0]] = call
        elif method(call) in ("read", "read_up_to") and not self.record:
            made = call.func.value  # type: ignore[attr-defined]
            reader = self._made.get(dotted_name(made), made)
            if not isinstance(reader, cst.Call) or self._source.names.symbol(reader.func) not in READERS:
                return
            self._take_read(one, call, reader)
        else:
            return
        self._left_out.append(one)

    def _take_read(self, one: Any, call: cst.Call, reader: cst.Call) -> None:
        names, queue = names_of(one), self._parameter.name.value
        if len(names) != 2 or dotted_name(argument(call, "queue", 0)) != queue:
            raise refused("read-unsupported", one)
        used = {name for line in self._function.body.body if line is not one for name in uses(line)}
        if queue in used:
            raise refused("helper-queue-again", one)
        with_keys = names[0] in used - {"_"}
        self.record = names if with_keys else names[1:]
        block = argument(call, "num_records", 1)
        outside = uses(reader).union(*([uses(block)] if block is not None else []))
        lost = sorted(outside & {*defs(self._function.body), *map(_name, every(self._function, cst.Param))})
        if lost:
            raise refused("helper-reads-by", one, name=lost[0])
        self.reading = Reading(reader, with_keys, block_of(self._source, call))

    def replaced(self) -> cst.FunctionDef:
        """The function of a record."""
        body = [one for one in self._function.body.body if one not in self._left_out]
        parameters: List[cst.Param] = []
        for one in self._function.params.params:
            # The parameter's own comma and space are kept after the last of the names.
            first = [cst.Param(cst.Name(name)) for name in self.record[:-1]] if one is self._parameter else []
            last = one.with_changes(name=cst.Name(self.record[-1])) if one is self._parameter else one
            parameters += [*first, last]
        return self._function.with_changes(
            params=self._function.params.with_changes(params=parameters),
            body=self._function.body.with_changes(body=body),
        )

    def called(self, call: cst.Call, queue: cst.Arg, names: List[str]) -> cst.Call:
        """Converts a *call* that passes the *queue*: it now passes the tensors called *names*."""
        new: List[cst.Arg] = []
        for one in call.args:
            if one is not queue:
                new.append(one)
                continue
            for name, parameter in zip(names, self.record):
                keyword = cst.Name(parameter) if one.keyword else None
                new.append(one.with_changes(value=cst.Name(name), keyword=keyword, comma=cst.MaybeSentinel.DEFAULT))
            new[-1] = new[-1].with_changes(comma=one.comma)
        return call.with_changes(args=new)


def _name(parameter: cst.Param) -> str:
    return parameter.name.value


def block_of(source: Source, call: cst.Call) -> str:
    """The number of records that a call of ``read_up_to`` reads at most, as an expression; "" for ``read``."""
    if method(call) == "read":
        return ""
    found = argument(call, "num_records", 1)
    if found is None:
        raise refused("read-unsupported", call)
    return source.code(found)
