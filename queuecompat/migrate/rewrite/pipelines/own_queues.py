"""Removes a queue of the program's own that a single op fills and a single line dequeues from.

    queue = tf.FIFOQueue(40, [tf.int32, tf.float32], [[], []])
    enqueue = queue.enqueue([number, half])
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [enqueue]))
    return queue.dequeue_many(n)                     ->    return tf.train.batch([number, half], n, shapes=[[], []])

``dequeue`` from a queue that keeps its order returns what was enqueued. ``dequeue_many`` becomes a batcher: at the end
of the data it drops an incomplete batch, which ``dequeue_up_to`` returns. What is left out: a queue with other uses in
the function, and a queue whose elements have no shapes.
"""

from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Optional, Sequence

import libcst as cst

from queuecompat.migrate.analysis.queue_statements import QUEUES, TAKING
from queuecompat.migrate.analysis.statements import defs, names_of, uses, value_of
from queuecompat.migrate.rewrite.imports.eager_imports import tensorflow_name
from queuecompat.migrate.rewrite.pipelines.calls import InputCall, positions
from queuecompat.migrate.rewrite.pipelines.queue_runners import calls_on, repeated_op, runner_of
from queuecompat.migrate.source.nodes import argument, method
from queuecompat.migrate.source.parsing import Source

__all__ = ["without_own_queue"]

Changes = Dict[cst.CSTNode, Any]


class _Filled(NamedTuple):
    """How a queue is filled.

    Attributes:
      values: the tensors of an element.
      many: whether each tensor holds several elements (``enqueue_many``).
      lines: the statements that fill it.
    """

    values: Sequence[cst.BaseExpression]
    many: bool
    lines: Sequence[cst.CSTNode]


def without_own_queue(source: Source, function: cst.FunctionDef) -> Changes:
    """The changes to *function* that remove its first such queue; empty if there is none."""
    for line in function.body.body:
        made, names = value_of(line), names_of(line)  # type: ignore[arg-type]
        if isinstance(made, cst.Call) and source.names.symbol(made.func) in QUEUES and len(names) == 1:
            changes = _handed_on(source, function, InputCall(source, made, _places(source, made)), names[0])
            if changes:
                return {line: cst.RemoveFromParent(), **changes}
    return {}


def _places(source: Source, made: cst.Call) -> Dict[str, int]:
    return positions(*QUEUES[source.names.symbol(made.func)])


def _handed_on(source: Source, function: cst.FunctionDef, queue: InputCall, name: str) -> Changes:
    lines: List[Any] = [one for one in function.body.body if name in uses(one)][1:]
    taking = [(one, call) for one in lines for call in calls_on(one, name, TAKING)]
    filled = _filled(source, function, queue, name)
    if filled is None or len(taking) != 1 or {*lines} - {*filled.lines} != {taking[0][0]}:
        return {}
    line, call = taking[0]
    statements = list(function.body.body)
    between = statements[statements.index(filled.lines[0]) : statements.index(line)]
    needed = {name for value in filled.values for name in uses(value)}
    if any(defs(one) & needed for one in between if one not in filled.lines):
        return {}
    new = _taken(source, queue, filled, call)
    return {} if new is None else {**{one: cst.RemoveFromParent() for one in filled.lines}, call: new}


def _filled(source: Source, function: cst.FunctionDef, queue: InputCall, name: str) -> Optional[_Filled]:
    """How the queue is filled; None if that is unknown, or if more than one op fills it."""
    body: List[Any] = list(function.body.body)
    enqueues = [(one, call) for one in body for call in calls_on(one, name, ("enqueue", "enqueue_many"))]
    runner = runner_of(source, body, name)
    if len(enqueues) != 1 or runner is None:
        return None
    first, enqueue = enqueues[0]
    op = repeated_op(runner.ops)
    if op is not enqueue and not (value_of(first) is enqueue and isinstance(op, cst.Name) and _is(op, first)):
        return None
    values = _values(queue, argument(enqueue, "vals", 0))
    if values is None:
        return None
    lines = [one for one in body if one in (first, runner.made, runner.added)]
    return _Filled(values, method(enqueue) == "enqueue_many", lines)


def _is(name: cst.Name, line: Any) -> bool:
    """Whether *name* is the only name that *line* assigns."""
    return names_of(line) == [name.value]


def _values(queue: InputCall, given: Optional[cst.BaseExpression]) -> Optional[Sequence[cst.BaseExpression]]:
    if isinstance(given, (cst.List, cst.Tuple)):
        return [one.value for one in given.elements]
    types = queue.value("dtypes")
    is_one = isinstance(types, (cst.List, cst.Tuple)) and len(types.elements) == 1
    return [given] if given is not None and is_one and not isinstance(given, cst.Dict) else None


def _taken(source: Source, queue: InputCall, filled: _Filled, call: cst.Call) -> Optional[cst.BaseExpression]:
    """The expression that replaces *call*, which dequeues."""
    kind, values = source.names.symbol(queue.call.func), [source.code(one) for one in filled.values]
    if queue.code("names") not in ("", "None") or any(one.star for one in queue.call.args):
        return None
    if method(call) == "dequeue":
        in_order = kind == "tf.FIFOQueue" and not filled.many and not call.args
        return cst.parse_expression(values[0] if len(values) == 1 else f"({', '.join(values)})") if in_order else None
    size, shapes = argument(call, "n", 0), queue.value("shapes")
    if size is None or not isinstance(shapes, (cst.List, cst.Tuple)) or len(shapes.elements) != len(values):
        return None
    given = [f"[{', '.join(values)}]", source.code(size)]
    if kind == "tf.RandomShuffleQueue":
        given += [
            f"{name}={queue.code(name)}" for name in ("capacity", "min_after_dequeue", "seed") if queue.code(name)
        ]
    given += ["enqueue_many=True"] if filled.many else []
    if kind == "tf.PaddingFIFOQueue":
        given.append("dynamic_pad=True")
    given.append(f"shapes={source.code(shapes)}")
    given += ["allow_smaller_final_batch=True"] if method(call) == "dequeue_up_to" else []
    batcher = "shuffle_batch" if kind == "tf.RandomShuffleQueue" else "batch"
    return cst.parse_expression(f"{tensorflow_name(source)}.train.{batcher}({', '.join(given)})")
