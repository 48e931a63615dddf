"""Rewrites ``images.get_shape()[1].value`` as ``images.get_shape()[1]`` in a program that becomes eager.

TensorFlow 1's shapes consist of Dimension objects, whose ``.value`` is a number or None; TensorFlow 2's shapes contain
the number or None itself. Input functions that become datasets stay unchanged, because ``queuecompat`` passes them
Dimension objects. If only a run could tell whether a value is a dimension, the rewrite is refused.
"""

from __future__ import annotations

import re
from typing import Any, Callable, Dict, List, Sequence

import libcst as cst

from queuecompat.migrate.analysis.call_graph import definition, reachable
from queuecompat.migrate.analysis.pipelines import is_in_a_pipeline
from queuecompat.migrate.analysis.statements import parts_of
from queuecompat.migrate.rewrite.refusals import refused
from queuecompat.migrate.source.edits import replaced
from queuecompat.migrate.source.nodes import method
from queuecompat.migrate.source.parsing import Source

__all__ = ["without_dimensions"]

_VALUE = re.compile(r"\.\s*value\b")
# Methods of a shape that return a shape.
_OF_SHAPES = {"concatenate", "merge_with", "with_rank", "with_rank_at_least", "with_rank_at_most"}


def without_dimensions(source: Source, text: str) -> str:
    """*text*, a rewritten *source*, without ``.value`` on dimensions of shapes.

    Raises:
      UnsupportedPatternError: it is unknown whether the object with ``.value`` is a dimension.
    """
    if not _VALUE.search(text):
        return text
    new = source.again(text)
    asked = [one for one in new.every(cst.Attribute) if one.attr.value == "value" and not _is_called(new, one)]
    if not asked:
        return text
    reached = _called_eagerly(new)
    changed: List[cst.Attribute] = []
    for one in asked:
        if is_in_a_pipeline(new, one) and new.around(one, cst.FunctionDef) not in reached:
            continue
        if _is_dimension(new, one.value):
            changed.append(one)
        elif _may_be_dimension(new, one.value):
            raise refused("unknown-dimension", _likewise(source, new.code(one)), value=new.code(one.value))
    numbers: Dict[cst.CSTNode, cst.CSTNode] = {}
    for one in reversed(changed):  # the inner ones first
        numbers[one] = replaced(one.value, numbers)
    return new.replaced(numbers)


def _likewise(source: Source, code: str) -> cst.CSTNode:
    """The place of *code* in *source*."""
    found = (one for one in source.every(cst.Attribute) if source.code(one) == code)
    return next(found, source.tree.body[0])


def _is_called(source: Source, node: cst.CSTNode) -> bool:
    """Whether it is a method call: ``variable.value()``."""
    around = source.parents.get(node)
    return isinstance(around, cst.Call) and around.func is node


def _called_eagerly(source: Source) -> List[cst.CSTNode]:
    """The functions of the file that code outside of its pipelines calls, except the pipelines themselves."""
    calls = (call for call in source.every(cst.Call) if not is_in_a_pipeline(source, call))
    found = [definition(source, call.func) for call in calls]
    called = [one for one in found if isinstance(one, cst.FunctionDef) and not one.decorators]
    return list(reachable(source, *called, kind=cst.FunctionDef))


def _is_dimension(source: Source, node: cst.CSTNode) -> bool:
    """Whether *node* is certainly an element of a shape."""
    if isinstance(node, cst.Subscript):
        [first, *others] = node.slice
        return isinstance(first.slice, cst.Index) and not others and _is_shape(source, node.value)
    return isinstance(node, cst.Name) and _all_given(source, node, _is_dimension, _is_shape)


def _is_shape(source: Source, node: cst.CSTNode) -> bool:
    """Whether *node* is certainly a shape of a tensor."""
    if isinstance(node, cst.Call):
        if method(node) in _OF_SHAPES:
            return _is_shape(source, node.func.value)  # type: ignore[attr-defined]
        return method(node) == "get_shape" or source.names.symbol(node.func) == "tf.TensorShape"
    if isinstance(node, cst.Attribute):
        return node.attr.value == "shape"
    if isinstance(node, cst.Subscript):
        return isinstance(node.slice[0].slice, cst.Slice) and _is_shape(source, node.value)
    return isinstance(node, cst.Name) and _all_given(source, node, _is_shape, _is_never)


def _is_never(source: Source, node: cst.CSTNode) -> bool:
    return False


_Question = Callable[[Source, cst.CSTNode], bool]


def _all_given(source: Source, name: cst.Name, whole: _Question, around: _Question) -> bool:
    """Whether every value assigned to *name* satisfies *whole*, or is an element of a value that satisfies *around*."""
    found: Sequence[cst.CSTNode] = source.names.definitions(name)
    return bool(found) and all(_is_given(source, one, whole, around) for one in found)


def _is_given(source: Source, target: cst.CSTNode, whole: _Question, around: _Question) -> bool:
    value = source.assigned_value(target)
    if value is not None:
        return whole(source, value)
    above = source.parents.get(target)
    if isinstance(above, (cst.CompFor, cst.For)) and target is above.target:
        return around(source, above.iter)
    return isinstance(above, cst.Element) and _is_unpacked(source, above, around)


def _is_unpacked(source: Source, element: cst.Element, around: _Question) -> bool:
    """Whether *element* is a part of such a value, as in ``height, width = image.get_shape()``."""
    value = source.assigned_value(source.parents[element])
    return value is not None and around(source, value)


def _may_be_dimension(source: Source, node: cst.CSTNode) -> bool:
    """Whether *node* is a name, or an element of one, whose value may come from a shape; a parameter may."""
    if isinstance(node, cst.Subscript):
        return isinstance(node.slice[0].slice, cst.Index) and _may_be_dimension(source, node.value)
    if not isinstance(node, cst.Name):
        return False
    for one in source.names.definitions(node):
        statement = _statement(source, one)
        if isinstance(source.parents.get(one), cst.Param) or isinstance(one, cst.Param):
            return True
        if statement is not None and any(_is_shape(source, part) for part in parts_of(statement)):
            return True
    return False


def _statement(source: Source, node: cst.CSTNode) -> Any:
    around = source.around(node, (cst.SimpleStatementLine, cst.For, cst.CompFor))
    return around.iter if isinstance(around, (cst.For, cst.CompFor)) else around
