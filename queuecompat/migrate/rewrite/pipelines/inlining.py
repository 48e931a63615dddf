"""Inlines the helpers that build parts of a pipeline into the function that builds the pipeline.

    def queue_of(names):                                     def inputs(names):
        return tf.train.string_input_producer(names)             queue = tf.train.string_input_producer(names)
                                                       ->        ...
    def inputs(names):
        queue = queue_of(names)
        ...

Rule 1: only helpers that handle a queue or a reader are inlined; helpers that decode stay functions.
Rule 2: a helper is inlined if it is a plain function, or a method of the same object; if its last statement is its only
        ``return``; and if its free names mean the same at the call. A helper that other files look up is refused,
        because a test may replace it. A helper may also end with an ``if`` whose branches all return (``branches``
        makes one of early returns): its value is then assigned on a line of its own.
Rule 3: names of a helper that already exist in the function around the call get a "_".
Rule 4: the order of all statements is kept. An argument that is not a name or a literal gets a line of its own.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Set, Tuple

import libcst as cst

from queuecompat.migrate.analysis.call_graph import callee, class_of, is_bound
from queuecompat.migrate.analysis.queue_statements import is_queue_statement
from queuecompat.migrate.analysis.statements import assigned_names, defs, free_names, uses
from queuecompat.migrate.rewrite.pipelines.branches import branches, has_else, returns, with_branches, with_else
from queuecompat.migrate.rewrite.pipelines.own_lines import made_at_once
from queuecompat.migrate.rewrite.refusals import refused
from queuecompat.migrate.source.edits import renamed, replaced
from queuecompat.migrate.source.nodes import every, method
from queuecompat.migrate.source.parsing import Source

__all__ = ["Inlined", "inlined"]

_READING = {"dequeue", "dequeue_many", "dequeue_up_to", "read", "read_up_to"}
_LITERALS = (cst.Float, cst.Integer, cst.Name, cst.SimpleString)
# Pipelines that create variables are refused, so a scope of variables is only a scope of names.
_TRANSPARENT = {"tf.device", "tf.name_scope", "tf.variable_scope"}
_INNER = (cst.FunctionDef, cst.Lambda)


@dataclasses.dataclass(frozen=True)
class Inlined:
    """A function's statements with its helpers inlined, and these helpers."""

    statements: Sequence[Any]
    helpers: Sequence[cst.FunctionDef]


@dataclasses.dataclass(frozen=True)
class _Call:
    """A call of a helper; *arguments* maps the helper's parameters to the passed values.

    *is_within*: the helper ends with an ``if``, and the statement does more than return or assign its value.
    """

    call: cst.Call
    helper: cst.FunctionDef
    arguments: Mapping[str, cst.BaseExpression]
    is_within: bool


def inlined(source: Source, function: cst.FunctionDef) -> Inlined:
    """The statements of *function*, with every helper inlined that can be."""
    return _Inlining(source, function).whole()


class _Inlining:
    def __init__(self, source: Source, function: cst.FunctionDef) -> None:
        self._source, self._function = source, function
        self._taken = uses(function) | {one.name.value for one in every(function.params, cst.Param)}
        self._local = defs(function.body) | {one.name.value for one in every(function.params, cst.Param)}
        self._helpers: List[cst.FunctionDef] = []
        # Attributes that are assigned a queue, a reader or a record here: ``self.queue``.
        self._held = {
            part.attr.value
            for one in every(function.body, cst.Assign)
            if is_queue_statement(source, one)
            for target in one.targets
            for part in every(target, cst.Attribute)
        }

    def whole(self) -> Inlined:
        statements = list(self._expanded(_flat(self._source, self._function.body.body), (self._function,)))
        return Inlined([line for one in statements for line in _decided(one)], self._helpers)

    def _expanded(self, statements: Sequence[Any], inside: Tuple[cst.FunctionDef, ...]) -> Iterator[Any]:
        for one in statements:
            found = self._call(one, inside)
            if found is None:
                yield one
            elif found.is_within:
                yield from self._expanded(self._on_own_line(one, found.call), inside)
            else:
                yield from self._written_out(one, found, inside)

    def _call(self, one: Any, inside: Tuple[cst.FunctionDef, ...]) -> Optional[_Call]:
        """The first call of a helper in a statement, inner calls before outer ones."""
        if not isinstance(one, cst.SimpleStatementLine) or len(one.body) != 1:
            return None
        if not isinstance(one.body[0], (cst.Assign, cst.Expr, cst.Return)) or one.body[0].value is None:
            return None
        calls = [part for part in made_at_once(one.body[0].value) if isinstance(part, cst.Call)]
        for call in reversed(calls):
            helper = callee(self._source, call)
            if not isinstance(helper, cst.FunctionDef) or helper in inside or not self._touches(helper):
                continue
            arguments = self._arguments(call, helper)
            is_whole = not isinstance(one.body[0], cst.Expr) and one.body[0].value is call
            has_one_end = self._is_plain(helper, with_branches=False)
            if arguments is not None and (has_one_end or self._is_plain(helper, with_branches=True)):
                if helper.name.value in self._source.looked_up_elsewhere:
                    raise refused("looked-up", call, function=helper.name.value)
                return _Call(call, helper, arguments, is_within=not has_one_end and not is_whole)
        return None

    def _on_own_line(self, one: Any, call: cst.Call) -> List[Any]:
        """*one* as two lines, the first of which assigns the result of *call* to a name."""
        name = "result"
        while name in self._taken:
            name += "_"
        self._taken.add(name)
        first = cst.SimpleStatementLine([cst.Assign([cst.AssignTarget(cst.Name(name))], call)])
        rest = replaced(one.with_changes(leading_lines=[]), {call: cst.Name(name)})
        return [first.with_changes(leading_lines=one.leading_lines), rest]

    def _touches(self, helper: cst.FunctionDef) -> bool:
        """Whether a helper builds queues or readers, or reads from them or from attributes that hold them."""
        parameters = {one.name.value for one in every(helper.params, cst.Param)}
        if is_queue_statement(self._source, helper) or any(
            one.attr.value in self._held for one in every(helper.body, cst.Attribute)
        ):
            return True
        calls = (call for call in every(helper.body, cst.Call) if method(call) in _READING)
        return any(uses(call.func) & parameters for call in calls)

    def _is_plain(self, helper: cst.FunctionDef, *, with_branches: bool) -> bool:
        """Whether a helper can be written out; *with_branches*: also where it ends with an ``if``."""
        if not isinstance(helper.body, cst.IndentedBlock) or helper.asynchronous is not None:
            return False
        statements = _with_one_end(_flat(self._source, helper.body.body))
        if not statements:  # there was only an ``if False``
            return False
        *others, last = statements
        if with_branches and isinstance(last, cst.If):
            cases = [case.body.body for case in branches(last)]
            others += [last.test, *(line for *lines, _ in cases for line in lines)]
            others += [case.test for case in branches(last.orelse) if isinstance(case, cst.If)]
            ends = has_else(last) and all(_is_return(case[-1]) for case in cases)
        else:
            ends = _is_return(last)
        if any(
            isinstance(part, (cst.Global, cst.Nonlocal, cst.Return, cst.Yield)) for one in others for part in _own(one)
        ):
            return False
        own = defs(helper.body) | {one.name.value for one in every(helper.params, cst.Param)}
        # Parameters inside the body belong to nested functions.
        inner = {one.name.value for one in every(helper.body, cst.Param)}
        inner |= {name for one in every(helper.body, cst.CompFor) for name in assigned_names(one.target)}
        return bool(ends and not inner & own and not self._shadowed(helper, own))

    def _shadowed(self, helper: cst.FunctionDef, own: Set[str]) -> Set[str]:
        """Names that a helper reads from the file, but that mean something else where it is called."""
        return (free_names(helper) - own) & self._local

    def _arguments(self, call: cst.Call, helper: cst.FunctionDef) -> Optional[Dict[str, cst.BaseExpression]]:
        given = helper.params
        if any(one.star for one in call.args) or given.posonly_params or given.star_kwarg is not None:
            return None
        if isinstance(given.star_arg, cst.Param) or (helper.decorators and class_of(self._source, helper) is None):
            return None
        parameters = {one.name.value: one.default for one in (*given.params, *given.kwonly_params)}
        places = [one.name.value for one in given.params]
        found: Dict[str, cst.BaseExpression] = {}
        if is_bound(self._source, call):
            found[places.pop(0)] = call.func.value  # type: ignore[attr-defined]
        for place, one in enumerate(call.args):
            name = one.keyword.value if one.keyword else places[place] if place < len(places) else ""
            if name not in parameters or name in found:
                return None
            found[name] = one.value
        for name, default in parameters.items():
            if name not in found:
                if not isinstance(default, _LITERALS) or (
                    isinstance(default, cst.Name) and default.value not in _CONSTANTS
                ):
                    return None
                found[name] = default
        return found

    def _written_out(self, one: Any, found: _Call, inside: Tuple[cst.FunctionDef, ...]) -> Iterator[Any]:
        """The statements of the helper, then *one* with the returned value in place of the call."""
        helper, body = found.helper, _with_one_end(_flat(self._source, found.helper.body.body))
        bound = defs(found.helper.body)
        if helper not in self._helpers:
            self._helpers.append(helper)
        ends = [case.body.body[-1] for case in branches(body[-1])] if isinstance(body[-1], cst.If) else [body[-1]]
        # Other branches may return a batch at once; they have no names.
        named = [_returned(end) for end in ends if assigned_names(_returned(end))]
        is_one = bool(named) and all(assigned_names(one) == assigned_names(named[0]) for one in named)
        returned = named[0] if is_one else cst.Name("None")
        target = _target_of(one, found.call)
        new = self._names(found, returned, target)
        before: List[Any] = []
        for name, value in found.arguments.items():
            if name in bound or not isinstance(value, _LITERALS):
                local = new.get(name, cst.Name(name))
                before.append(self._source.statement(f"{local.value} = {self._source.code(value)}"))
            else:
                new[name] = value
        yield from before
        for line in self._expanded(body[:-1], (*inside, helper)):
            yield renamed(line, new)

        def written(lines: Sequence[Any]) -> List[Any]:
            *others, end = lines
            value = renamed(_returned(end), new)
            last = replaced(one, {found.call: _grouped(value, found.call, one)})
            is_kept = target is None or self._source.code(value) != self._source.code(target)
            begun = [renamed(line, new) for line in others]
            return list(self._expanded([*begun, *([last] if is_kept else [])], (*inside, helper)))

        if isinstance(body[-1], cst.If):
            tests: Dict[cst.CSTNode, Any] = {
                case.test: renamed(case.test, new) for case in branches(body[-1]) if isinstance(case, cst.If)
            }
            yield with_branches(replaced(body[-1], tests), written)
        else:
            yield from written(body[-1:])

    def _names(
        self, found: _Call, returned: cst.BaseExpression, target: Optional[cst.BaseExpression]
    ) -> Dict[str, Any]:
        """The new names of a helper's variables; a returned variable gets the name that the caller assigns it to."""
        body = found.helper.body
        new: Dict[str, Any] = {}
        local = [*found.arguments, *sorted(defs(body) - set(found.arguments))]
        outer = assigned_names(target) if target is not None else []
        inner = assigned_names(returned)
        used = {name for value in found.arguments.values() for name in uses(value)}
        if (
            len(outer) == len(inner)
            and len(set(inner)) == len(inner)
            and not set(outer) & (used | set(inner) - set(outer))
        ):
            new.update(
                {
                    old: cst.Name(name)
                    for old, name in zip(inner, outer)
                    if old in defs(body) and old not in found.arguments
                }
            )
        for name in local:
            if name not in new:
                fresh = name
                while fresh in self._taken:
                    fresh += "_"
                self._taken.add(fresh)
                new[name] = cst.Name(fresh)
        # Names of nested helpers must also differ from the old names of this one.
        self._taken |= {one.value for one in new.values()} | uses(found.helper) | set(local)
        return new


_CONSTANTS = {"False", "None", "True"}


def _flat(source: Source, statements: Sequence[Any]) -> List[Any]:
    """The statements, without ``with`` blocks that only set names and devices of ops."""
    found: List[Any] = []
    for one in statements:
        if isinstance(one, cst.With) and isinstance(one.body, cst.IndentedBlock):
            called = [item.item.func for item in one.items if isinstance(item.item, cst.Call) and item.asname is None]
            if len(called) == len(one.items) and all(source.names.symbol(func) in _TRANSPARENT for func in called):
                found += _flat(source, one.body.body)
                continue
        found.append(one)
    return found


def _decided(one: Any) -> List[Any]:
    """A statement; an ``if`` on literals, such as ``if True`` or ``if 'a' == 'b'``, is replaced by its branch."""
    holds = _holds(one.test) if isinstance(one, cst.If) else None
    if holds is None:
        return [one]
    if holds:
        return list(one.body.body)
    if isinstance(one.orelse, cst.If):
        return _decided(one.orelse)
    return list(one.orelse.body.body) if one.orelse is not None else []


def _holds(test: cst.BaseExpression) -> Optional[bool]:
    """Whether a condition that consists of literals holds; None for any other condition."""
    if isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
        inner = _holds(test.expression)
        return None if inner is None else not inner
    if isinstance(test, cst.Name) and test.value in ("False", "True"):
        return test.value == "True"
    if isinstance(test, cst.Comparison) and len(test.comparisons) == 1:
        [compared] = test.comparisons
        is_literal = isinstance(test.left, (cst.Float, cst.Integer, cst.SimpleString)) or _is_none(test.left)
        if is_literal and isinstance(compared.operator, (cst.Is, cst.IsNot)) and _is_none(compared.comparator):
            return _is_none(test.left) == isinstance(compared.operator, cst.Is)
        if isinstance(test.left, cst.SimpleString) and isinstance(compared.comparator, cst.SimpleString):
            is_same = test.left.evaluated_value == compared.comparator.evaluated_value
            if isinstance(compared.operator, (cst.Equal, cst.NotEqual)):
                return is_same == isinstance(compared.operator, cst.Equal)
    return None


def _is_none(value: cst.BaseExpression) -> bool:
    return isinstance(value, cst.Name) and value.value == "None"


def _with_one_end(statements: Sequence[Any]) -> List[Any]:
    """The statements; if an ``if`` among them returns in all branches, it ends them."""
    for place, one in enumerate(statements):
        rest = statements[place + 1 :]
        if isinstance(one, cst.If) and rest and returns(one) and not has_else(one):
            return [*statements[:place], with_else(one, rest)]
    return list(statements)


def _is_return(one: Any) -> bool:
    return isinstance(one, cst.SimpleStatementLine) and len(one.body) == 1 and isinstance(one.body[0], cst.Return)


def _returned(end: Any) -> cst.BaseExpression:
    """The value that a ``return`` returns."""
    return end.body[0].value or cst.Name("None")


def _target_of(one: Any, call: cst.Call) -> Optional[cst.BaseExpression]:
    """The target that *call* is assigned to, if the statement does nothing else."""
    statement = one.body[0]
    if isinstance(statement, cst.Assign) and statement.value is call and len(statement.targets) == 1:
        return statement.targets[0].target
    return None


def _own(root: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """*root* and everything below it, without the bodies of nested functions."""
    waiting = [root]
    for node in waiting:
        yield node
        if not isinstance(node, _INNER):
            waiting.extend(node.children)


def _grouped(value: cst.BaseExpression, call: cst.Call, one: Any) -> cst.BaseExpression:
    """*value*, parenthesised if necessary, to replace a call."""
    if value.lpar or one.body[0].value is call or isinstance(value, (cst.Attribute, cst.Call, *_LITERALS)):
        return value
    return value.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
