"""Finds where a statement runs the session: ``total += sess.run(loss)``.

Rule 1: the run must happen exactly once, whatever the rest of the statement does, and before any other effect of the
        statement. Its value may then be computed before the statement.
Rule 2: a step that the training op counts is read after that op. TensorFlow 1 leaves the order open, and fetches a
        variable by reference, so that the value at the end of the run arrives.
"""

from __future__ import annotations

import dataclasses
from typing import List, Mapping, Optional, Sequence

import libcst as cst

from queuecompat.migrate.analysis.call_graph import definition
from queuecompat.migrate.analysis.mentions import dotted_name
from queuecompat.migrate.analysis.purity import is_pure
from queuecompat.migrate.analysis.statements import parts_of, uses
from queuecompat.migrate.rewrite.refusals import refused
from queuecompat.migrate.rewrite.sessions.classic import Classic
from queuecompat.migrate.rewrite.sessions.model import Needed
from queuecompat.migrate.rewrite.sessions.purity import require_pure
from queuecompat.migrate.source.nodes import argument, every
from queuecompat.migrate.source.parsing import Source

__all__ = ["Run", "reads_variables", "run_in"]

_DISPLAYS = (cst.BaseComp, cst.Dict, cst.List, cst.Set, cst.StarredElement, cst.Tuple)


@dataclasses.dataclass(frozen=True)
class Run:
    """One run of the session.

    Attributes:
      call: the call ``sess.run(...)``.
      fetches: what it fetches.
      needed: what that needs.
      fed: the values that it feeds, by the names of placeholders.
    """

    call: cst.Call
    fetches: cst.BaseExpression
    needed: Needed
    fed: Mapping[str, cst.BaseExpression]


def run_in(source: Source, parts: Classic, line: cst.CSTNode, root: cst.CSTNode) -> Run:
    """The run of the session in *root*, which is *line*, or the expression that a compound statement begins with.

    Raises:
      UnsupportedPatternError: its value cannot be computed before the line.
    """
    calls = [call for call in parts.plumbing.runs(root) if not reads_variables(parts, call)]
    if len(calls) != 1:
        raise refused("two-runs", line)
    if isinstance(line, cst.SimpleStatementLine) and len(line.body) != 1:
        raise refused("run-with-others", line)
    call = calls[0]
    fetches = argument(call, "fetches", 0)
    feeds = argument(call, "feed_dict", 1)
    if fetches is None or len(call.args) != (1 if feeds is None else 2):
        raise refused("fed", line)
    fed = parts.feeds.values(line, feeds)
    _require_first(source, line, root, call)
    inside = {name for run in parts.plumbing.runs(root) for name in every(run, cst.Name)}
    others = {one.value for one in every(root, cst.Name) if one not in inside and one.value in uses(root)}
    if others & parts.names:
        raise refused("graph-name", line)
    needed = _needed(source, parts, line, fetches)
    if needed.trains and len(parts.plumbing.runs(root)) > 1:
        raise refused("reads-and-changes", line)
    _require_fed(parts, line, needed, fed)
    return Run(call, fetches, needed, fed)


def _require_fed(parts: Classic, line: cst.CSTNode, needed: Needed, fed: Mapping[str, cst.BaseExpression]) -> None:
    """Requires that a run feeds only placeholders, all that it needs, and values that need no run themselves."""
    if set(fed) - set(parts.model.placeholders.types):
        raise refused("fed", line)
    for name in needed.placeholders:
        if name not in fed:
            raise refused("not-fed", line, name=name)
    if any(uses(value) & parts.names or parts.plumbing.runs(value) for value in fed.values()):
        raise refused("graph-name", line)


def reads_variables(parts: Classic, call: cst.Call) -> bool:
    """Whether a run fetches only variables; such a run may be anywhere, and draws no batch."""
    elements = _elements_of(call.args[0].value) if len(call.args) == 1 and not call.args[0].star else []
    return bool(elements) and all(isinstance(one, cst.Name) and _is_variable(parts, one) for one in elements)


def _elements_of(fetches: cst.BaseExpression) -> List[cst.BaseExpression]:
    """The single fetches of a list, tuple or dict of them."""
    if not isinstance(fetches, (cst.Dict, cst.List, cst.Tuple)):
        return [fetches]
    plain = all(isinstance(one, (cst.DictElement, cst.Element)) for one in fetches.elements)
    return [one.value for one in fetches.elements] if plain else [fetches]


def _require_first(source: Source, line: cst.CSTNode, root: cst.CSTNode, call: cst.Call) -> None:
    around: Optional[cst.CSTNode] = call
    above: List[cst.CSTNode] = []
    while around is not None and around is not root:
        inner, around = around, source.parents.get(around)
        if isinstance(around, (cst.BaseComp, cst.Lambda)) and not _is_first_in(around, [call, *above]):
            what = "a lambda" if isinstance(around, cst.Lambda) else "a comprehension"
            raise refused("run-in-expression", line, what=what)
        if _may_skip(around, inner):
            raise refused("run-maybe", line)
        above += [around] if around is not None else []
    if any(one not in above for one in every(root, cst.Yield)):
        raise refused("called-before-run", line, call="yield")
    later = {part for one in above if isinstance(one, cst.BaseComp) for part in every(one, cst.Call)}
    later = later.difference(*(every(one, cst.Call) for one in above if isinstance(one, cst.CompFor)))
    for other in every(root, cst.Call):
        if other is call:
            return
        if other not in above and other not in later and not is_pure(source, other, set()):
            raise refused("called-before-run", line, call=source.code(other.func))


def _is_first_in(around: cst.CSTNode, inside: Sequence[cst.CSTNode]) -> bool:
    """Whether a call, with *inside* the nodes up to it, is in the first iterable of a comprehension, evaluated once."""
    for_in = around.for_in if isinstance(around, cst.BaseComp) else None
    return for_in is not None and inside[-1] is for_in and inside[-2] is for_in.iter


def _may_skip(around: Optional[cst.CSTNode], inner: cst.CSTNode) -> bool:
    """Whether *inner* is a part of *around* that is evaluated conditionally or more than once."""
    if isinstance(around, cst.BooleanOperation):
        return inner is around.right
    if isinstance(around, cst.IfExp):
        return inner is not around.test
    if isinstance(around, cst.Comparison):
        return inner is not around.left and inner is not around.comparisons[0]
    return isinstance(around, (cst.Assert, cst.NamedExpr))


def _needed(source: Source, parts: Classic, line: cst.CSTNode, fetches: cst.BaseExpression) -> Needed:
    elements = _elements_of(fetches)
    needed = parts.model.needed(line, elements)
    for one in elements:
        if uses(one) & parts.plumbing.names:
            raise refused("session-in-fetches", line)
        require_pure(source, line, one, tensors=parts.model.tensors)
        if one is not fetches and isinstance(one, (cst.Dict, cst.List, cst.Tuple)):
            raise refused("nested-fetch", line, fetch=source.code(one))
        if not _is_known(parts, one, needed) or any(definition(source, call.func) for call in every(one, cst.Call)):
            raise refused("foreign-fetch", line, fetch=source.code(one))
        if needed.trains and _reads_variables(parts, one) and not _is_counted(parts, one):
            raise refused("fetch-order", line, fetch=source.code(one))
    return needed


def _is_known(parts: Classic, fetch: cst.BaseExpression, needed: Needed) -> bool:
    """Whether it comes from a batch, or is the training op, or a variable."""
    training = parts.model.training
    if training is not None and isinstance(fetch, cst.Name) and fetch.value == training.name:
        return True
    if any(isinstance(one, _DISPLAYS) for one in parts_of(fetch)):
        return False
    if _is_variable(parts, fetch):
        return not needed.trains or _is_counted(parts, fetch)
    return bool(uses(fetch) & parts.model.tensors) and not uses(fetch) & (parts.model.names - parts.model.tensors)


def _is_variable(parts: Classic, fetch: cst.BaseExpression) -> bool:
    return isinstance(fetch, cst.Name) and fetch.value in parts.plumbing.variables - parts.model.names


def _is_counted(parts: Classic, fetch: cst.BaseExpression) -> bool:
    """Whether it is the step that the training op counts."""
    training = parts.model.training
    return _is_variable(parts, fetch) and training is not None and dotted_name(fetch) == training.step


def _reads_variables(parts: Classic, fetch: cst.BaseExpression) -> bool:
    return bool(uses(fetch) & parts.plumbing.variables)
