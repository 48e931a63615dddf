"""Simplifies a function that builds a pipeline, so that ``reading`` understands it.

    class Record(object): pass
    one = Record()
    one.key, one.value = reader.read(queue)     ->     key, value = reader.read(queue)

Rule 1: an object of an empty class that only holds attributes is replaced by one variable per attribute. Attributes of
        the method's own object that nothing else uses become variables too.
Rule 2: the rewrite needs the name ``dataset``: a variable of the program with this name gets a "_".
Rule 3: summaries are removed, because nothing collects them while a dataset runs; a comment takes their place.
Rule 4: a queue of the program's own that one op fills is removed (``own_queues``).
"""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence, Set

import libcst as cst

from queuecompat.migrate.analysis.attributes import is_named_elsewhere
from queuecompat.migrate.analysis.call_graph import class_of, definition
from queuecompat.migrate.analysis.statements import defs, target_of, uses, value_of
from queuecompat.migrate.rewrite.pipelines.own_queues import without_own_queue
from queuecompat.migrate.source.edits import replaced
from queuecompat.migrate.source.nodes import every
from queuecompat.migrate.source.parsing import Source

__all__ = ["simplified"]

_SUMMARIES = {
    "tf.histogram_summary", "tf.image_summary", "tf.scalar_summary", "tf.summary.audio", "tf.summary.histogram",
    "tf.summary.image", "tf.summary.scalar", "tf.summary.text",
}  # fmt: skip


def simplified(
    source: Source, function: cst.FunctionDef, gone: Sequence[cst.FunctionDef], *, in_graph: bool
) -> cst.FunctionDef:
    """*function*, of *source*, simplified.

    Args:
      gone: functions that have been inlined into it, and that nothing else uses.
      in_graph: whether its batches stay tensors of a graph, which collects their summaries.
    """
    changes: Dict[cst.CSTNode, Any] = {}
    taken = uses(function) | {one.name.value for one in every(function.params, cst.Param)}
    changes.update(_without_objects(source, function, taken))
    changes.update(_without_own_attributes(source, function, taken, gone))
    changes.update(without_own_queue(source, function))
    new: cst.FunctionDef = replaced(function, {old: one for old, one in changes.items() if old is not function})
    new = new if in_graph else _without_summaries(source, new)
    return _without_name(source, new, "dataset")


# Objects that only hold attributes.


def _without_objects(source: Source, function: cst.FunctionDef, taken: Set[str]) -> Dict[cst.CSTNode, Any]:
    found: Dict[cst.CSTNode, Any] = {}
    for line in function.body.body:
        target, made = target_of(line), value_of(line)  # type: ignore[arg-type]
        kind = definition(source, made.func) if isinstance(made, cst.Call) and not made.args else None
        if not isinstance(target, cst.Name) or not isinstance(kind, cst.ClassDef) or not _is_empty(kind):
            continue
        parts = _attributes(function, target.value, taken, used=1)
        if parts is None:
            continue
        found.update(parts)
        found[line] = cst.RemoveFromParent()
        if kind in function.body.body and sum(one.value == kind.name.value for one in every(function, cst.Name)) == 2:
            found[kind] = cst.RemoveFromParent()
    return found


def _is_empty(kind: cst.ClassDef) -> bool:
    """Whether a class has no base but ``object``, and only ``pass`` or strings in its body."""
    if kind.decorators or kind.keywords or any(getattr(one.value, "value", "") != "object" for one in kind.bases):
        return False
    lines = [
        part for one in kind.body.body for part in (one.body if isinstance(one, cst.SimpleStatementLine) else [one])
    ]
    return all(
        isinstance(one, cst.Pass)
        or (isinstance(one, cst.Expr) and isinstance(one.value, (cst.Ellipsis, cst.SimpleString)))
        for one in lines
    )


def _attributes(
    function: cst.FunctionDef, name: str, taken: Set[str], *, used: int
) -> Optional[Dict[cst.CSTNode, Any]]:
    """Maps each attribute of *name* to a variable; None if *name* itself is not used exactly *used* times."""
    parts = [
        one for one in every(function, cst.Attribute) if isinstance(one.value, cst.Name) and one.value.value == name
    ]
    whole = [one for one in every(function.body, cst.Name) if one.value == name]
    own = {id(one.value) for one in parts}
    keywords = {id(one.keyword) for one in every(function, cst.Arg) if one.keyword} | {
        id(one.attr) for one in every(function, cst.Attribute)
    }
    if len([one for one in whole if id(one) not in own | keywords]) != used:
        return None
    new: Dict[str, str] = {}
    for one in parts:
        if one.attr.value not in new:
            fresh = one.attr.value
            while fresh in taken:
                fresh += "_"
            taken.add(fresh)
            new[one.attr.value] = fresh
    return {one: cst.Name(new[one.attr.value]) for one in parts}


def _without_own_attributes(
    source: Source, function: cst.FunctionDef, taken: Set[str], gone: Sequence[cst.FunctionDef]
) -> Dict[cst.CSTNode, Any]:
    """Maps attributes of the method's own object that only this method assigns and reads to variables."""
    kind = class_of(source, function)
    if kind is None or not function.params.params:
        return {}
    own = function.params.params[0].name.value
    found: Dict[cst.CSTNode, Any] = {}
    parts = [
        one for one in every(function.body, cst.Attribute) if isinstance(one.value, cst.Name) and one.value.value == own
    ]
    stored = [
        part.attr.value
        for one in every(function.body, cst.AssignTarget)
        for part in every(one, cst.Attribute)
        if part in parts
    ]
    inside = {part for one in (function, *gone) for part in every(one, cst.Attribute)}
    outside = {one.attr.value for one in source.every(cst.Attribute) if one not in inside}
    fresh: Dict[str, str] = {}
    for name in dict.fromkeys(stored):
        if name not in outside and not is_named_elsewhere(source, name):
            fresh[name] = name
            while fresh[name] in taken:
                fresh[name] += "_"
            taken.add(fresh[name])
    for one in parts:
        if one.attr.value in fresh:
            found[one] = cst.Name(fresh[one.attr.value])
    return found


# Summaries and names.


def _without_summaries(source: Source, function: cst.FunctionDef) -> cst.FunctionDef:
    body: List[Any] = []
    said: List[cst.EmptyLine] = []
    one: Any
    for one in function.body.body:
        call = one.body[0].value if _is_expression(one) else None
        if isinstance(call, cst.Call) and source.names.symbol(call.func) in _SUMMARIES:
            said += [
                *one.leading_lines,
                cst.EmptyLine(comment=cst.Comment(f"# A dataset writes no summary: {_one_line(source, call)}")),
            ]
        else:
            body.append(one.with_changes(leading_lines=[*said, *one.leading_lines]) if said else one)
            said = []
    return (
        function
        if len(body) == len(function.body.body)
        else function.with_changes(body=function.body.with_changes(body=body))
    )


def _is_expression(one: Any) -> bool:
    return isinstance(one, cst.SimpleStatementLine) and len(one.body) == 1 and isinstance(one.body[0], cst.Expr)


def _one_line(source: Source, node: cst.CSTNode) -> str:
    return " ".join(source.code(node).split())


def _without_name(source: Source, function: cst.FunctionDef, name: str) -> cst.FunctionDef:
    """*function* with *name* renamed in its body, if it is a name of its own."""
    parameters = {one.name.value for one in every(function.params, cst.Param)}
    own = parameters.union(*(defs(line) for line in function.body.body))
    if name not in uses(function.body) & own:
        return function
    fresh = f"{name}_"
    while fresh in uses(function):
        fresh += "_"
    left_out = {one.attr for one in every(function, cst.Attribute)} | {one.keyword for one in every(function, cst.Arg)}
    found = [one for one in every(function.body, cst.Name) if one.value == name and one not in left_out]
    body = replaced(function.body, {one: cst.Name(fresh) for one in found})
    if name in parameters:
        first = source.statement(f"{fresh} = {name}")
        body = body.with_changes(body=[*_docstring(body.body), first, *body.body[len(_docstring(body.body)) :]])
    return function.with_changes(body=body)


def _docstring(body: Sequence[Any]) -> List[Any]:
    is_text = bool(body) and _is_expression(body[0]) and isinstance(body[0].body[0].value, cst.SimpleString)
    return [body[0]] if is_text else []
