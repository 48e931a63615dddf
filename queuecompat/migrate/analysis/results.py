"""Tracks what the results of expressions certainly depend on: after ``logits, total = net(images)``, on ``images``.

Rule 1: functions of the file are followed, separately for each part of a returned tuple, dict or named tuple.
Rule 2: where two paths are possible, a dependency is certain only if both have it. What is known only at run time is
        left out.
Rule 3: shapes and types are not dependencies: a graph knows them without the value.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
from typing import Callable, Dict, FrozenSet, Iterable, Mapping, Optional, Sequence

import libcst as cst

from queuecompat.migrate.analysis.call_graph import definition
from queuecompat.migrate.analysis.namedtuples import fields_of, makes_namedtuple
from queuecompat.migrate.analysis.statements import assigned_names, may_write, uses
from queuecompat.migrate.source.nodes import every
from queuecompat.migrate.source.parsing import Source

__all__ = ["LISTS", "Result", "Results"]

# TensorFlow functions that return several tensors.
LISTS = ("tf.meshgrid", "tf.nn.moments", "tf.nn.top_k", "tf.split", "tf.unique", "tf.unpack", "tf.unstack")
# TensorFlow context managers that do not change the values computed inside them.
_SCOPES = {"tf.device", "tf.name_scope", "tf.variable_scope"}
_LEAVING = (cst.Break, cst.Continue, cst.Return)
_Names = Dict[str, "Result"]


@dataclasses.dataclass(frozen=True)
class Result:
    """What a value depends on.

    Attributes:
      names: the names that it certainly depends on, whichever part of it is taken.
      parts: the parts of a tuple by index, or of a dict by key; None if they are unknown, or there are none.
      is_tensor: whether it is certainly a single tensor.
    """

    names: FrozenSet[str] = frozenset()
    parts: Optional[Mapping[object, Result]] = None
    is_tensor: bool = False

    def all_names(self) -> FrozenSet[str]:
        """The names that the value depends on, including those of all its parts."""
        return self.names.union(*(one.all_names() for one in (self.parts or {}).values()))

    def part(self, key: object) -> Result:
        """The part under *key*, or the whole if there are no known parts."""
        return self if self.parts is None else self.parts.get(key, NOTHING)


NOTHING = Result()


class _UnknownError(Exception):
    """What a function returns is known only at run time."""


class Results:
    """The results of expressions, given the results of the names in them.

    Args:
      static: whether the occurrence of a name does not need its value (only its shape or type).
      batches: the names of batches; every part of a batch depends on that batch.
      single: those of them that are one tensor each.
    """

    def __init__(
        self, source: Source, static: Callable[[cst.Name], bool], batches: Iterable[str], single: Sequence[str] = ()
    ) -> None:
        self._source, self._static = source, static
        self._given: _Names = {name: Result(frozenset([name]), is_tensor=name in single) for name in batches}
        self._batches = list(self._given.values())
        self._inside: FrozenSet[cst.CSTNode] = frozenset()

    def read(self, line: cst.CSTNode) -> None:
        """Records what a *line* of the model assigns."""
        statement = line.body[0] if isinstance(line, cst.SimpleStatementLine) else None
        if isinstance(statement, cst.Assign):
            value = self._of_value(statement)
            for target in statement.targets:
                self._assign(target.target, value)

    def of(self, node: cst.BaseExpression) -> Result:
        """What the value of *node* depends on."""
        if isinstance(node, cst.Name):
            return self._given.get(node.value, NOTHING)
        if isinstance(node, (cst.List, cst.Tuple)):
            return self._of_display(node)
        if isinstance(node, cst.Dict):
            keys = [_constant(one.key) if isinstance(one, cst.DictElement) else None for one in node.elements]
            if None not in keys:
                return Result(parts={key: self.of(one.value) for key, one in zip(keys, node.elements)})
        key = _key(node)
        if key is not None and isinstance(node, cst.Subscript):
            whole = self.of(node.value)
            if whole.parts is not None:
                return whole.part(key)
        if isinstance(node, cst.Attribute) and not self._source.names.full(node):
            whole = self.of(node.value)
            if whole.parts is not None:
                return whole.part(node.attr.value)
        if isinstance(node, cst.IfExp):
            return _join(self.of(node.body), self.of(node.orelse))
        if isinstance(node, cst.Call):
            return self._of_call(node)
        return Result(self._names_in([node]), is_tensor=self._is_tensor(node))

    def _is_tensor(self, node: cst.BaseExpression) -> bool:
        """Whether the value of an expression is certainly a single tensor."""
        if isinstance(node, cst.BinaryOperation):
            return self.of(node.left).is_tensor or self.of(node.right).is_tensor
        if isinstance(node, (cst.Subscript, cst.UnaryOperation)):
            return self.of(node.value if isinstance(node, cst.Subscript) else node.expression).is_tensor
        return isinstance(node, cst.Comparison) and self.of(node.left).is_tensor

    def _of_display(self, node: cst.CSTNode) -> Result:
        elements: Sequence[cst.BaseElement] = node.elements  # type: ignore[attr-defined]
        if any(isinstance(one, cst.StarredElement) for one in elements):
            return Result(self._names_in([node]))
        return Result(parts={place: self.of(one.value) for place, one in enumerate(elements)})

    def _of_call(self, call: cst.Call) -> Result:
        """The result of a call; a function that cannot be followed is assumed to depend on all its arguments."""
        try:
            return self._followed(call)
        except _UnknownError:
            symbol = self._source.names.symbol(call.func)
            return Result(self._names_in([call]), is_tensor=bool(symbol) and symbol not in LISTS)

    def _names_in(self, nodes: Iterable[cst.CSTNode]) -> FrozenSet[str]:
        """The names whose values *nodes* use."""
        names = (name for one in nodes for name in every(one, cst.Name) if name.value in uses(one))
        found = (
            self._given[one.value].all_names() for one in names if one.value in self._given and not self._static(one)
        )
        return frozenset().union(*found)

    # Assignments.

    def _of_value(self, statement: cst.Assign) -> Result:
        """The value of an assignment; NOTHING if a value whose parts are unknown is unpacked."""
        value = statement.value
        found = self.of(value)
        several = not isinstance(statement.targets[0].target, cst.Name)
        is_known = found.parts is not None or any(found is one for one in self._batches)
        if isinstance(value, cst.Call) and self._source.names.symbol(value.func) and several:
            return Result(found.names, is_tensor=True)
        return NOTHING if several and not is_known else found

    def _assign(self, target: cst.BaseExpression, value: Result) -> None:
        if isinstance(target, cst.Name):
            self._given[target.value] = value
        elif isinstance(target, (cst.List, cst.Tuple)):
            for place, one in enumerate(target.elements):
                for name in assigned_names(one.value):
                    self._given[name] = NOTHING
                self._assign(one.value, value.part(place))

    # Functions of the file.

    def _followed(self, call: cst.Call) -> Result:
        """The return value of the function, or the named tuple, that *call* calls.

        Raises:
          _UnknownError: it is known only at run time.
        """
        if any(one.star for one in call.args):
            raise _UnknownError
        if makes_namedtuple(self._source, call):
            return self._named_tuple(call)
        if isinstance(call.func, cst.Name) and call.func.value == "dict" and all(one.keyword for one in call.args):
            return Result(parts={one.keyword.value: self.of(one.value) for one in call.args if one.keyword})
        function = definition(self._source, call.func)
        if not isinstance(function, cst.FunctionDef) or function in self._inside or function.decorators:
            raise _UnknownError
        inner = Results(self._source, self._static, ())
        inner._given, inner._batches = self._parameters(function, call), self._batches
        inner._inside = self._inside | {function}
        return inner._returned(function)

    def _named_tuple(self, call: cst.Call) -> Result:
        fields = fields_of(self._source, call)
        places = [one for one in call.args if one.keyword is None]
        given = {name: self.of(one.value) for name, one in zip(fields, places)}
        given.update((one.keyword.value, self.of(one.value)) for one in call.args if one.keyword)
        if not fields or set(fields) != set(given):
            raise _UnknownError
        parts: Dict[object, Result] = {place: given[name] for place, name in enumerate(fields)}
        parts.update(given)
        return Result(parts=parts)

    def _parameters(self, function: cst.FunctionDef, call: cst.Call) -> _Names:
        parameters = function.params
        if not isinstance(parameters.star_arg, cst.MaybeSentinel) or parameters.star_kwarg is not None:
            raise _UnknownError
        names = [one.name.value for one in (*parameters.posonly_params, *parameters.params)]
        found = {one.name.value: NOTHING for one in every(parameters, cst.Param)}
        found.update(zip(names, (self.of(one.value) for one in call.args if one.keyword is None)))
        found.update((one.keyword.value, self.of(one.value)) for one in call.args if one.keyword is not None)
        return found

    def _returned(self, function: cst.FunctionDef) -> Result:
        """The value that the last line returns; all lines before it must be of forms that can be followed."""
        *lines, last = function.body.body
        self._block(lines)
        while isinstance(last, cst.With) and self._is_scope(last) and isinstance(last.body, cst.IndentedBlock):
            *lines, last = last.body.body
            self._block(lines)
        returned = last.body[0] if isinstance(last, cst.SimpleStatementLine) and len(last.body) == 1 else None
        if not isinstance(returned, cst.Return) or returned.value is None:
            raise _UnknownError
        return self.of(returned.value)

    def _block(self, lines: Sequence[cst.CSTNode]) -> None:
        for one in lines:
            self._statement(one)

    def _statement(self, one: cst.CSTNode) -> None:
        if isinstance(one, cst.SimpleStatementLine):
            for part in one.body:
                self._part(part)
        elif isinstance(one, cst.With) and self._is_scope(one):
            self._block(one.body.body)
        elif isinstance(one, cst.If):
            self._branches([one.body, one.orelse], one)
        elif isinstance(one, cst.For) and one.orelse is None:
            self._loop(one)
        else:
            raise _UnknownError

    def _part(self, part: cst.CSTNode) -> None:
        """Processes one of the statements in a line."""
        if isinstance(part, cst.Assign) and all(self._is_plain(one.target) for one in part.targets):
            value = self._of_value(part)
            for one in part.targets:
                self._set(one.target, value)
        elif isinstance(part, cst.AugAssign) and isinstance(part.target, cst.Name):
            old, new = self.of(part.target), self.of(part.value)
            names, is_tensor = old.all_names() | new.all_names(), old.is_tensor or new.is_tensor
            self._given[part.target.value] = Result(names, is_tensor=is_tensor)
        elif not isinstance(part, (cst.Assert, cst.Expr, cst.Pass)) or may_write(self._source, part):
            raise _UnknownError

    def _is_plain(self, target: cst.BaseExpression) -> bool:
        """Whether the target consists of names, or is an item of a dict that has a name."""
        is_part = isinstance(target, cst.Subscript) and isinstance(target.value, cst.Name)
        return bool(assigned_names(target)) or (is_part and _key(target) is not None)

    def _set(self, target: cst.BaseExpression, value: Result) -> None:
        if not isinstance(target, cst.Subscript):
            self._assign(target, value)
            return
        old = self.of(target.value)
        if old.parts is None or any(_holds(one, old) for one in self._given.values()):
            raise _UnknownError
        new = Result(old.names, {**old.parts, _key(target): value})
        for name in [name for name, one in self._given.items() if one is old]:
            self._given[name] = new

    def _is_scope(self, one: cst.With) -> bool:
        calls = [item.item for item in one.items]
        return all(isinstance(call, cst.Call) and self._source.names.symbol(call.func) in _SCOPES for call in calls)

    def _branches(self, blocks: Sequence[Optional[cst.CSTNode]], around: cst.CSTNode) -> None:
        """Follows each of *blocks*, of which exactly one runs."""
        if any(True for kind in _LEAVING for _ in every(around, kind)):
            raise _UnknownError
        before, ends = dict(self._given), []
        for block in blocks:
            self._given = dict(before)
            if isinstance(block, cst.If):
                self._statement(block)
            elif block is not None:
                self._block(block.body.body if isinstance(block, cst.Else) else block.body)  # type: ignore[attr-defined]
            ends.append(self._given)
        self._given = functools.reduce(_join_names, ends)

    def _loop(self, one: cst.For) -> None:
        """Follows the body until the certain dependencies no longer change (a fixed point)."""
        before: _Names = {}
        while before != self._given:
            before = dict(self._given)
            self._given.update((name, Result(self._names_in([one.iter]))) for name in assigned_names(one.target))
            self._branches([one.body], one)
            self._given = _join_names(before, self._given)


def _constant(node: Optional[cst.CSTNode]) -> Optional[object]:
    """The value of a string or integer literal."""
    if not isinstance(node, (cst.Integer, cst.SimpleString)):
        return None
    found: object = ast.literal_eval(node.value)
    return found


def _key(node: cst.CSTNode) -> Optional[object]:
    """The ``1`` of ``out[1]``, or the string of ``out["loss"]``."""
    if not isinstance(node, cst.Subscript) or len(node.slice) != 1:
        return None
    index = node.slice[0].slice
    return _constant(index.value) if isinstance(index, cst.Index) else None


def _join(one: Result, other: Result) -> Result:
    """What is certain about a value that is one of two."""
    if one == other:
        return one
    if one.parts is None and other.parts is None:
        return Result(one.names & other.names, is_tensor=one.is_tensor and other.is_tensor)
    if one.parts is None or other.parts is None or set(one.parts) != set(other.parts):
        return NOTHING
    return Result(one.names & other.names, {key: _join(part, other.parts[key]) for key, part in one.parts.items()})


def _join_names(one: _Names, other: _Names) -> _Names:
    return {name: _join(one.get(name, NOTHING), other.get(name, NOTHING)) for name in {*one, *other}}


def _holds(whole: Result, part: Result) -> bool:
    """Whether *part* is nested somewhere inside *whole*."""
    parts = (whole.parts or {}).values()
    return any(one is part or _holds(one, part) for one in parts)
