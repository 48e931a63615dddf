"""Moves parts that are nested in expressions to lines of their own, because ``reading`` reads a pipeline line by line.

    tf.train.batch([tf.train.range_input_producer(9).dequeue()], 2)     row = tf.train.range_input_producer(9).dequeue()
                                                                  ->    tf.train.batch([row], 2)
    line = reader.read(queue)[1]                                  ->    _, line = reader.read(queue)
    return Pair(*tf.train.batch([a, b], 2))                       ->    batch = tf.train.batch([a, b], 2)
                                                                        return Pair(*batch)

A draw or a batcher that Python may evaluate not at all, or more than once, stays where it is.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional

import libcst as cst

from queuecompat.migrate.analysis.needed_names import unused
from queuecompat.migrate.analysis.statements import lines_of, names_of, value_of
from queuecompat.migrate.rewrite.pipelines.batchers import BATCHERS
from queuecompat.migrate.rewrite.pipelines.producers import PRODUCERS
from queuecompat.migrate.rewrite.pipelines.readers import READERS
from queuecompat.migrate.source.edits import replaced
from queuecompat.migrate.source.nodes import children, every, method
from queuecompat.migrate.source.parsing import Source

__all__ = ["made_at_once", "with_batchers_on_own_lines", "with_draws_on_own_lines"]

# Expressions whose parts may be evaluated not at all, or more than once.
_DELAYED = (cst.BaseComp, cst.BooleanOperation, cst.IfExp, cst.Lambda)
# The results of ``read``, by index and by name.
_PARTS = {"0": 0, "1": 1, "key": 0, "value": 1}


class _Part(NamedTuple):
    """A batcher, or a draw: a call that takes the next element of a queue or reader.

    Attributes:
      call: the call that batches or draws.
      node: the expression that uses the result: the call itself, or a part of its result.
      names: the assignment targets, with "{}" in place of the name that replaces *node*.
      name: the preferred name.
    """

    call: cst.Call
    node: cst.BaseExpression
    names: str
    name: str


_Parts = Callable[[cst.BaseExpression], Iterator[_Part]]


def with_batchers_on_own_lines(source: Source, function: cst.FunctionDef) -> cst.FunctionDef:
    """*function*, of *source*, with its batchers on separate lines."""
    return _with_parts_on_own_lines(source, function, lambda node: _batchers(source, node))


def with_draws_on_own_lines(source: Source, function: cst.FunctionDef) -> cst.FunctionDef:
    """*function*, of *source*, with its draws on separate lines."""
    made = _made(source, function)
    return _with_parts_on_own_lines(source, function, lambda node: _draws(source, node, made))


def _with_parts_on_own_lines(source: Source, function: cst.FunctionDef, parts: _Parts) -> cst.FunctionDef:
    taken: List[cst.CSTNode] = [function]
    changes: Dict[cst.CSTNode, Any] = {}
    for line in (inner for one in function.body.body for inner in lines_of(one)):  # type: ignore[arg-type]
        lines = _on_own_lines(source, line, parts, taken)
        if lines:
            changes[line] = cst.FlattenSentinel(lines)
            taken += lines
    new: cst.FunctionDef = replaced(function, changes)
    return new


def made_at_once(root: cst.CSTNode) -> Iterator[cst.BaseExpression]:
    """The expressions in *root* that are evaluated exactly once whenever *root* is."""
    waiting = [root]
    for node in waiting:
        if isinstance(node, _DELAYED):
            continue
        if isinstance(node, cst.BaseExpression):
            yield node
        waiting.extend(children(node))


def _made(source: Source, function: cst.FunctionDef) -> Dict[str, str]:
    """The names of queues and readers in *function*, each with the function that made it."""
    found: Dict[str, str] = {}
    for line in every(function.body, cst.SimpleStatementLine):
        value, names = value_of(line), names_of(line)
        if isinstance(value, cst.Call) and len(names) == 1:
            found[names[0]] = source.names.symbol(value.func)
    return found


def _on_own_lines(source: Source, line: Any, parts: _Parts, taken: List[cst.CSTNode]) -> List[Any]:
    """The lines that replace *line*; empty if it stays."""
    if not isinstance(line, cst.SimpleStatementLine) or len(line.body) != 1:
        return []
    found = [one for node in made_at_once(line.body[0]) for one in parts(node)]
    value, is_plain = value_of(line), isinstance(line.body[0], cst.Assign) and len(names_of(line)) == 1
    before: List[Any] = []
    changes: Dict[cst.CSTNode, Any] = {}
    for one in found:
        if one.node is one.call is value:
            continue
        # ``line = reader.read(queue)[1]`` already has a name.
        name = names_of(line)[0] if is_plain and one.node is value else unused(one.name, [*taken, *before])
        code = f"{one.names.format(name)} = {source.code(one.call)}"
        before.append(source.statement(code))
        if one.node is value and is_plain:
            return [before[-1].with_changes(leading_lines=line.leading_lines)]
        changes[one.node] = cst.Name(name)
    if not before:
        return []
    before[0] = before[0].with_changes(leading_lines=line.leading_lines)
    return [*before, replaced(line.with_changes(leading_lines=[]), changes)]


def _batchers(source: Source, node: cst.BaseExpression) -> Iterator[_Part]:
    """Yields the batcher that *node* is."""
    if isinstance(node, cst.Call) and source.names.symbol(node.func) in BATCHERS:
        yield _Part(node, node, "{}", "batch")


def _draws(source: Source, node: cst.BaseExpression, made: Dict[str, str]) -> Iterator[_Part]:
    """Yields the draw that *node* is, or is a part of."""
    part = _part_of_read(node)
    if part is not None:
        call, place = part
        if _is_of(source, call, made, READERS):
            yield _Part(call, node, ("{}, _", "_, {}")[place], ("key", "record")[place])
    elif isinstance(node, cst.Call) and method(node) == "dequeue" and not node.args:
        if _is_of(source, node, made, PRODUCERS):
            yield _Part(node, node, "{}", "row")
    elif isinstance(node, cst.Call) and source.names.symbol(node.func) == "tf.train.slice_input_producer":
        yield _Part(node, node, "{}", "rows")


def _part_of_read(node: cst.BaseExpression) -> Any:
    """The call and the index in ``reader.read(queue)[1]``, or in ``reader.read(queue).value``."""
    found: Optional[str] = None
    if isinstance(node, cst.Subscript) and len(node.slice) == 1 and isinstance(node.slice[0].slice, cst.Index):
        index = node.slice[0].slice.value
        found = index.value if isinstance(index, cst.Integer) else None
    elif isinstance(node, cst.Attribute):
        found = node.attr.value
    call = node.value if found in _PARTS else None  # type: ignore[attr-defined]
    if not isinstance(call, cst.Call) or method(call) not in ("read", "read_up_to"):
        return None
    return call, _PARTS[found]  # type: ignore[index]


def _is_of(source: Source, call: cst.Call, made: Dict[str, str], kinds: Any) -> bool:
    """Whether *call* is a method of an object that one of *kinds* made, directly or under a name."""
    owner = call.func.value  # type: ignore[attr-defined]
    if isinstance(owner, cst.Name):
        return made.get(owner.value) in kinds
    return isinstance(owner, cst.Call) and source.names.symbol(owner.func) in kinds
