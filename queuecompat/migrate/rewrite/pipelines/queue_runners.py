"""The runner of a queue that the program creates: the lines that create it and add it to the graph.

tf.train.add_queue_runner(tf.train.QueueRunner(queue, [enqueue] * 4))
"""

from __future__ import annotations

from typing import Any, List, NamedTuple, Optional, Sequence

import libcst as cst

from queuecompat.migrate.analysis.statements import names_of, uses, value_of
from queuecompat.migrate.source.nodes import argument, every, method
from queuecompat.migrate.source.parsing import Source

__all__ = ["Runner", "calls_on", "repeated_op", "runner_of"]


class Runner(NamedTuple):
    """The runner of one queue.

    Attributes:
      made: the line that creates it.
      added: the line that adds it to the graph; it may be the same line.
      ops: the enqueue ops, as the call passes them.
    """

    made: Any
    added: Any
    ops: cst.BaseExpression


def runner_of(source: Source, body: Sequence[Any], name: str) -> Optional[Runner]:
    """The runner of the queue *name*; None unless *body* has exactly one, without options for closing the queue."""
    runners = [(one, call) for one in body for call in _of(source, one, ".QueueRunner") if name in uses(call)]
    if len(runners) != 1:
        return None
    line, runner = runners[0]
    added = [one for one in body for call in _of(source, one, "add_queue_runner") if _adds(call, runner, line)]
    ops = argument(runner, "enqueue_ops", 1)
    return Runner(line, added[0], ops) if len(added) == 1 and len(runner.args) == 2 and ops is not None else None


def repeated_op(ops: cst.BaseExpression) -> Optional[cst.BaseExpression]:
    """The single op in ``[op]`` or ``[op] * threads``."""
    if isinstance(ops, cst.BinaryOperation) and isinstance(ops.operator, cst.Multiply):
        ops = ops.left
    return ops.elements[0].value if isinstance(ops, cst.List) and len(ops.elements) == 1 else None


def calls_on(node: cst.CSTNode, name: str, methods: Sequence[str]) -> List[cst.Call]:
    """The calls in *node* of *methods* of the object called *name*."""
    found = [one for one in every(node, cst.Call) if method(one) in methods]
    return [one for one in found if isinstance(one.func.value, cst.Name) and one.func.value.value == name]  # type: ignore[attr-defined]


def _of(source: Source, node: cst.CSTNode, end: str) -> List[cst.Call]:
    return [one for one in every(node, cst.Call) if source.names.symbol(one.func).endswith(end)]


def _adds(call: cst.Call, runner: cst.Call, line: Any) -> bool:
    added = argument(call, "qr", 0)
    if added is runner:
        return True
    return isinstance(added, cst.Name) and value_of(line) is runner and names_of(line) == [added.value]
