"""Code after the last run that draws a batch: it may read variables, and ask a batch for its type and shape.

Variables exist in eager mode; the dataset's element specification tells what a graph knew of a batch.
"""

from __future__ import annotations

from typing import Any

import libcst as cst

from queuecompat.migrate.analysis.mentions import dotted_name
from queuecompat.migrate.analysis.statements import Statement, assigned_names, names_of, uses
from queuecompat.migrate.rewrite.refusals import refused
from queuecompat.migrate.rewrite.sessions.classic import Classic
from queuecompat.migrate.rewrite.sessions.eager import require_eager
from queuecompat.migrate.source.nodes import every, method
from queuecompat.migrate.source.parsing import Source

__all__ = ["made_eager", "require_after"]

_DESCRIBING = {"dtype", "get_shape", "items", "shape", "values"}


def require_after(source: Source, parts: Classic, one: Statement) -> None:
    """Requires that *one* may follow the last run.

    Raises:
      UnsupportedPatternError: it needs the graph.
    """
    require_eager(source, one)
    names = uses(one)
    if names & parts.plumbing.names and not _only_reads_variables(parts, one):
        raise refused("session-use", one)
    if names & parts.model.tensors and not _only_describes(source, parts, one):
        raise refused("tensor-outside", one)
    if names & parts.model.names - parts.model.tensors:
        raise refused("training-outside", one)


def made_eager(parts: Classic, one: Any) -> Any:
    """*one* for eager mode: ``sess.run(weights)`` becomes ``weights.numpy()``, ``get_shape()`` becomes ``shape``."""
    return one.visit(_After(parts, one))


def _only_reads_variables(parts: Classic, one: Statement) -> bool:
    """Whether *one* asks the session only for variables, one at a time."""
    calls = parts.plumbing.runs(one)
    asked = [dotted_name(call.args[0].value) if len(call.args) == 1 else "" for call in calls]
    others = [name for name in every(one, cst.Name) if name.value in parts.plumbing.names]
    return bool(calls) and len(others) == len(calls) and parts.plumbing.variables.issuperset(asked)


def _only_describes(source: Source, parts: Classic, one: cst.CSTNode) -> bool:
    """Whether *one* asks tensors of a batch only for their type and shape."""
    derived = {name for line in parts.model.lines for name in names_of(line)}
    batch = {name for given in parts.inputs for name in given.names} - derived
    used = [name for name in every(one, cst.Name) if name.value in parts.model.tensors]
    return all(name.value in batch and (_is_described(source, name) or _is_in_turn(source, name)) for name in used)


def _is_described(source: Source, name: cst.Name) -> bool:
    around = source.parents.get(name)
    return isinstance(around, cst.Attribute) and around.attr.value in _DESCRIBING


def _is_in_turn(source: Source, name: cst.Name) -> bool:
    """Whether it is the ``a`` of ``[t.dtype for t in (a, b)]``."""
    element = source.parents.get(name)
    row = source.parents.get(element) if isinstance(element, cst.Element) else None
    turns = source.parents.get(row) if isinstance(row, (cst.List, cst.Tuple)) else None
    if not isinstance(turns, cst.CompFor) or turns.iter is not row or turns.inner_for_in is not None:
        return False
    around = source.parents.get(turns)
    used = [one for one in every(around, cst.Name) if one.value in assigned_names(turns.target)] if around else []
    return all(one is turns.target or _is_described(source, one) for one in used)


class _After(cst.CSTTransformer):
    def __init__(self, parts: Classic, one: cst.CSTNode) -> None:
        super().__init__()
        self._plumbing = parts.plumbing
        self._batch = {name for given in parts.inputs for name in given.names}
        for turns in every(one, cst.CompFor):
            if uses(turns.iter) & self._batch:
                self._batch.update(assigned_names(turns.target))

    def on_leave(self, original_node: cst.CSTNode, updated_node: cst.CSTNode) -> Any:
        if not isinstance(original_node, cst.Call) or not isinstance(updated_node.func, cst.Attribute):  # type: ignore[attr-defined]
            return updated_node
        assert isinstance(updated_node, cst.Call) and isinstance(updated_node.func, cst.Attribute)
        if self._plumbing.is_run(original_node):
            return cst.Call(cst.Attribute(updated_node.args[0].value, cst.Name("numpy")))
        if method(updated_node) == "get_shape" and dotted_name(updated_node.func.value) in self._batch:
            return cst.Attribute(updated_node.func.value, cst.Name("shape"))
        return updated_node
