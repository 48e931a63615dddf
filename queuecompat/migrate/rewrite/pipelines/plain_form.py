"""Brings a pipeline that is spread over helpers and objects into one plain function that ``reading`` understands.

The plain function is written into a copy of its file, and all later analysis of names and definitions uses that copy.
"""

from __future__ import annotations

from typing import Iterable, List, Optional, Tuple

import libcst as cst

from queuecompat.migrate.analysis.attributes import is_named_elsewhere
from queuecompat.migrate.analysis.call_graph import class_of
from queuecompat.migrate.rewrite.pipelines.inlining import inlined
from queuecompat.migrate.rewrite.pipelines.own_lines import with_batchers_on_own_lines, with_draws_on_own_lines
from queuecompat.migrate.rewrite.pipelines.simplifying import simplified
from queuecompat.migrate.source.nodes import every
from queuecompat.migrate.source.parsing import Source

__all__ = ["PlainForm", "named_like", "plain_form", "without_unused"]

# A copy of a file with a plainer function; that function; and the names of the helpers that were inlined into it.
PlainForm = Tuple[Source, cst.FunctionDef, List[str]]


def plain_form(source: Source, function: cst.FunctionDef, *, in_graph: bool) -> Optional[PlainForm]:
    """*function* in plain form; None if nothing can be made plainer.

    Args:
      in_graph: whether its batches stay tensors of a graph.
    """
    if not isinstance(function.body, cst.IndentedBlock):
        return None
    whole = inlined(source, function)
    body = function.body.with_changes(body=list(whole.statements))
    first, new = _with(source, function, function.with_changes(body=body))
    names = {one.name.value for one in whole.helpers}
    gone = [one for one in first.every(cst.FunctionDef) if one.name.value in names and _is_unused(first, one)]
    second, new = _with(first, new, simplified(first, new, gone, in_graph=in_graph))
    third, new = _with(second, new, with_batchers_on_own_lines(second, new))
    fourth, new = _with(third, new, with_draws_on_own_lines(third, new))
    if fourth.text == source.text:
        return None
    return fourth, new, [one.name.value for one in whole.helpers]


def _with(source: Source, function: cst.FunctionDef, new: cst.FunctionDef) -> Tuple[Source, cst.FunctionDef]:
    """A copy of *source* with *new* in place of *function*, and *new* in that copy."""
    if new is function:
        return source, function
    copy = source.again(source.replaced({function: new}))
    place = list(source.every(cst.FunctionDef)).index(function)
    before = list(source.every(cst.FunctionDef))[:place]
    # Functions before it are unchanged; functions inside it come after it.
    return copy, list(copy.every(cst.FunctionDef))[len(before)]


def named_like(source: Source, function: cst.CSTNode) -> cst.CSTNode:
    """The function of *source* that corresponds to *function*, which is in a copy."""
    name = function.name.value  # type: ignore[attr-defined]
    return next(one for one in source.every(cst.FunctionDef) if one.name.value == name)


def without_unused(source: Source, names: Iterable[str]) -> str:
    """The text of *source* without those functions called *names* that are no longer used."""
    wanted = set(names)
    while True:
        unused = [one for one in source.every(cst.FunctionDef) if one.name.value in wanted and _is_unused(source, one)]
        if not unused:
            return source.text
        source = source.again(source.replaced({one: cst.RemoveFromParent() for one in unused}))


def _is_unused(source: Source, function: cst.FunctionDef) -> bool:
    name = function.name.value
    if is_named_elsewhere(source, name):
        return False
    if class_of(source, function) is None and function not in source.tree.body:
        return False
    own = set(every(function, cst.Name))
    if function in source.tree.body:
        # ``dataset.prefetch`` does not refer to a function of the file.
        own |= {one.attr for one in source.every(cst.Attribute)}
    return not any(one.value == name and one not in own for one in source.every(cst.Name))
