"""Recognises queues that the program fills itself: ``queue.enqueue([placeholder])``, which its threads run and feed."""

from __future__ import annotations

from typing import Iterator

import libcst as cst

from queuecompat.migrate.analysis.mentions import dotted_name
from queuecompat.migrate.source.nodes import every, method
from queuecompat.migrate.source.parsing import Source

__all__ = ["is_fed_queue"]

_PUTTING = ("enqueue", "enqueue_many")


def is_fed_queue(source: Source, call: cst.Call) -> bool:
    """Whether *call* creates a queue whose elements come from placeholders; compares names and attributes as text."""
    line = source.parents.get(call)
    if not source.names.symbol(call.func).endswith("Queue") or not isinstance(line, cst.Assign):
        return False
    queues = {dotted_name(one.target) for one in line.targets}
    puts = (one for one in source.every(cst.Call) if method(one) in _PUTTING and _owner(one) in queues)
    parts = (part for put in puts for part in every(put, cst.BaseExpression))  # type: ignore[type-abstract]
    return any(_is_placeholder(source, part) or dotted_name(part) in source.once(_placeholders) for part in parts)


def _owner(call: cst.Call) -> str:
    return dotted_name(call.func).rpartition(".")[0]


def _placeholders(source: Source) -> Iterator[str]:
    """The names and attributes that are assigned a placeholder, or a list of them."""
    for line in source.every(cst.Assign):
        if any(_is_placeholder(source, one) for one in every(line.value, cst.Call)):
            yield from filter(None, (dotted_name(one.target) for one in line.targets))


def _is_placeholder(source: Source, node: cst.BaseExpression) -> bool:
    return isinstance(node, cst.Call) and source.names.symbol(node.func) in ("tf.placeholder", "tf.sparse_placeholder")
