"""Attributes of objects whose methods build pipelines: ``self.files``, ``self.reader``, ``self.images``.

Rule 1: each call of a method that returns a dataset builds the dataset in a graph of its own. An attribute that holds a
        part of a graph must therefore be created in that method, and must not be used outside it.
Rule 2: attributes are identified by name alone, whatever object they belong to, except those of TensorFlow's objects. A
        name that other files use, or that is in a string of a file that calls ``getattr``, may be used anywhere.
"""

from __future__ import annotations

from typing import Iterator, List, NamedTuple, Optional, Set

import libcst as cst

from queuecompat.migrate.analysis.call_graph import class_of, reachable
from queuecompat.migrate.analysis.statements import CHANGING, assigned_names, uses
from queuecompat.migrate.source.parsing import Source

__all__ = [
    "Assigned",
    "assigned",
    "attribute_names",
    "foreign_attribute",
    "is_asked_for",
    "is_named_elsewhere",
    "leaked_attribute",
]

# TensorFlow names whose values are plain Python objects, not parts of a graph.
_OF_PYTHON = ("tf.app", "tf.flags", "tf.gfile", "tf.io.gfile", "tf.logging", "tf.train.latest_checkpoint")


class Assigned(NamedTuple):
    """One assignment to the attribute *target*, in *method*; None if it is outside methods."""

    target: cst.Attribute
    value: cst.BaseExpression
    method: Optional[cst.FunctionDef]


def attribute_names(source: Source) -> Set[str]:
    """The names of all attributes in a file, except those of TensorFlow and its objects."""
    return {one.attr.value for one in source.every(cst.Attribute) if not _is_of_tensorflow(source, one)}


def _is_of_tensorflow(source: Source, node: cst.Attribute) -> bool:
    """Whether *node* is a name of TensorFlow, or an attribute of an object that TensorFlow made: ``reader.read``."""
    if source.names.symbol(node):
        return True
    owner = node.value
    made: List[Optional[cst.BaseExpression]] = []
    if isinstance(owner, cst.Call):
        made = [owner]
    elif isinstance(owner, cst.Name):
        made = [source.assigned_value(one) for one in source.names.definitions(owner)]
    elif isinstance(owner, cst.Attribute):
        made = [one.value for one in source.once(assigned) if one.target.attr.value == owner.attr.value]
    return bool(made) and all(isinstance(one, cst.Call) and source.names.symbol(one.func) for one in made)


def assigned(source: Source) -> Iterator[Assigned]:
    """The assignments to attributes, and the calls that change what an attribute holds, in the order of the text."""
    for line in source.parents:
        if isinstance(line, cst.Assign):
            targets: List[cst.CSTNode] = [one.target for one in line.targets]
        elif isinstance(line, (cst.AnnAssign, cst.AugAssign)):
            targets = [line.target]
        elif isinstance(line, cst.Call) and isinstance(line.func, cst.Attribute) and line.func.attr.value in CHANGING:
            targets = [line.func.value]
        else:
            continue
        value = line if isinstance(line, cst.Call) else line.value
        if value is not None:
            method = _method_around(source, line)
            for target in (part for one in targets for part in source.every(cst.Attribute, one)):
                yield Assigned(target, value, method)


def _method_around(source: Source, node: cst.CSTNode) -> Optional[cst.FunctionDef]:
    method = source.around(node, cst.FunctionDef)
    while method is not None and class_of(source, method) is None:
        method = source.around(method, cst.FunctionDef)
    return method


def is_named_elsewhere(source: Source, name: str) -> bool:
    """Whether other files have an attribute or method called *name*, or this file may ask for it with ``getattr``."""
    return name in source.named_elsewhere or is_asked_for(source, name)


def is_asked_for(source: Source, name: str) -> bool:
    """Whether this file may ask for *name* with ``getattr``."""
    asks = any(one.value == "getattr" for one in source.every(cst.Name))
    return asks and any(one.raw_value == name for one in source.every(cst.SimpleString))


def foreign_attribute(source: Source, inside: Set[cst.CSTNode]) -> Optional[cst.CSTNode]:
    """An attribute that is read in *inside*, but gets a part of a graph in a method outside of it."""
    made: Set[str] = set()
    for one in source.once(assigned):
        if one.method not in inside and not _is_within(source, one.target, inside) and _is_of_graph(source, one):
            made.add(one.target.attr.value)
    stored = {one.target for one in source.once(assigned)}
    parts = (part for one in inside for part in source.every(cst.Attribute, one))
    found = (part for part in parts if part.attr.value in made and part not in stored)
    # ``tf.train.batch`` does not read the attribute ``batch`` of an object.
    return next((part for part in found if not source.names.symbol(part)), None)


def leaked_attribute(source: Source, inside: Set[cst.CSTNode]) -> Optional[cst.CSTNode]:
    """An attribute that gets a part of a graph in *inside*, and is used outside of it."""
    within = {part for one in inside for part in source.every(cst.Attribute, one)}
    others = (part for part in source.every(cst.Attribute) if part not in within)
    outside = {part.attr.value for part in others if not source.names.symbol(part)}
    for one in source.once(assigned):
        if one.target in within and _is_of_graph(source, one):
            name = one.target.attr.value
            if name in outside or is_named_elsewhere(source, name):
                return one.target
    return None


def _is_within(source: Source, node: cst.CSTNode, inside: Set[cst.CSTNode]) -> bool:
    around: Optional[cst.CSTNode] = node
    while around is not None and around not in inside:
        around = source.parents.get(around)
    return around is not None


def _is_of_graph(source: Source, one: Assigned) -> bool:
    """Whether the value of an attribute may be a tensor, a queue or a reader."""
    names: Set[str] = set(uses(one.value))
    values: List[cst.CSTNode] = [one.value]
    for line in reversed(list(source.every(cst.Assign, one.method)) if one.method is not None else []):
        bound = {name for target in line.targets for name in assigned_names(target.target)}
        if bound & names:
            names |= uses(line.value)
            values.append(line.value)
    calls = (call for value in values for part in reachable(source, value) for call in source.every(cst.Call, part))
    return any(_builds(source.names.symbol(call.func)) for call in calls)


def _builds(symbol: str) -> bool:
    return bool(symbol) and not symbol.startswith(_OF_PYTHON)
