"""Finds which parts of an input function's result come from its batcher.

    return images, labels, 10        images and labels do; 10 is one number for the whole program

A dataset returns its whole result with each batch. In TensorFlow 1, what depends on no batcher was computed without
drawing a batch, and a Python number existed before the first run. Statements are therefore followed one after another,
into the functions of the file; in doubt a value does not come from a batcher. A value is represented by:

    None      it comes from a batcher
    a node    it does not; the node is where it is written
    a list    of these: a tuple, whose elements may be assigned to several names
"""

from __future__ import annotations

import functools
from typing import Any, Dict, FrozenSet, Iterable, List, Optional, Sequence

import libcst as cst

from queuecompat.migrate.analysis.call_graph import callee, is_bound
from queuecompat.migrate.analysis.mentions import dotted_name
from queuecompat.migrate.analysis.namedtuples import makes_namedtuple
from queuecompat.migrate.analysis.queue_statements import calls_batcher, is_batch_elsewhere
from queuecompat.migrate.rewrite.refusals import refused
from queuecompat.migrate.rewrite.sessions.variables import is_static
from queuecompat.migrate.source.nodes import children, method
from queuecompat.migrate.source.parsing import Source

__all__ = ["require_a_batch", "require_returned_batches"]

_COLLECTING = {"dict", "list", "set", "tuple", "zip"}
# They return an operation, which has no value that a dataset could return.
_OPERATIONS = {"tf.group", "tf.no_op"}
_METHODS_OF_OPERATIONS = {"apply_gradients", "minimize"}
# They return a value, which is computed without a batch, and the operation that updates it.
_METRICS = ("tf.contrib.metrics.streaming_", "tf.metrics.")


def require_a_batch(source: Source, statements: Sequence[cst.CSTNode], names: Iterable[str]) -> None:
    """Refuses *statements* that assign a value to one of *names* which does not come from a batcher.

    Raises:
      UnsupportedPatternError: at the first such value.
    """
    body = _Body(source, {}, frozenset())
    body.follow(statements)
    _require_nothing_besides(source, body, [body.values.get(name) for name in names])


def require_returned_batches(source: Source, function: cst.FunctionDef) -> None:
    """Refuses a *function* that returns a value which does not come from a batcher, such as a parameter.

    Raises:
      UnsupportedPatternError: at the first such value.
    """
    body = _Body(source, dict(_parameters(function)), frozenset([function]))
    body.follow([function.body])
    _require_nothing_besides(source, body, body.returned)


def _require_nothing_besides(source: Source, body: _Body, values: List[Any]) -> None:
    besides = _outside(values)
    if isinstance(besides, cst.Name) and besides.value in body.partly:
        raise refused("partly-batched", body.partly[besides.value])
    if besides is not None:
        raise refused("outside-batch", besides, value=source.code(besides))


def _parameters(function: cst.FunctionDef) -> Dict[str, cst.Param]:
    given = function.params
    return {one.name.value: one for one in [*given.posonly_params, *given.params, *given.kwonly_params]}


class _Body:
    """The body of a function, or statements that are to become one.

    Attributes:
      values: the current value of each name.
      returned: the value of each ``return``.
      partly: names that hold a batch only after some branches of an ``if``, each with that ``if``.
    """

    def __init__(self, source: Source, values: Dict[str, Any], inside: FrozenSet[cst.CSTNode]) -> None:
        self._source, self._inside = source, inside
        self.values = values
        self.returned: List[Any] = []
        self.partly: Dict[str, cst.If] = {}

    # Statements.

    def follow(self, statements: Iterable[cst.CSTNode]) -> None:
        for one in statements:
            if isinstance(one, (cst.SimpleStatementLine, cst.BaseSuite)):
                self.follow(one.body)
            elif isinstance(one, cst.Assign):
                for target in one.targets:
                    self._assign(target.target, self._value(one.value))
            elif isinstance(one, cst.AnnAssign) and one.value is not None:
                self._assign(one.target, self._value(one.value))
            elif isinstance(one, cst.AugAssign):
                self._assign(one.target, self._mixed(one, [one.target, one.value]))
            elif isinstance(one, cst.Return) and one.value is not None:
                self.returned.append(self._value(one.value))
            elif isinstance(one, cst.Expr):
                self._append(one.value)
            else:
                self._follow_block(one)

    def _follow_block(self, one: cst.CSTNode) -> None:
        if isinstance(one, cst.If):
            before = dict(self.values)
            self.follow([one.body])
            then, self.values = self.values, before
            if one.orelse is not None:
                self.follow([one.orelse])
            both = {name: _join(then[name], self.values[name]) for name in then.keys() & self.values.keys()}
            if calls_batcher(self._source, one):
                partly = [name for name in both if (then[name] is None) is not (self.values[name] is None)]
                self.partly.update(dict.fromkeys(partly, one))
            self.values = {**then, **self.values, **both}
        elif isinstance(one, cst.For):
            self._assign(one.target, self._value(one.iter))
            self.follow([one.body])
        elif isinstance(one, (cst.Else, cst.Finally, cst.Try, cst.While, cst.With)):
            self.follow([child for child in children(one) if not isinstance(child, cst.BaseExpression)])
        elif isinstance(one, cst.ExceptHandler):
            self.follow([one.body])

    def _assign(self, target: cst.BaseExpression, value: Any) -> None:
        if isinstance(target, (cst.List, cst.Tuple)):
            same = isinstance(value, list) and len(value) == len(target.elements)
            for number, element in enumerate(target.elements):
                self._assign(element.value, value[number] if same else _outside(value))
        elif isinstance(target, cst.Subscript):
            name = dotted_name(target.value)
            self.values[name] = _outside([self.values.get(name), value])
        else:
            self.values[dotted_name(target)] = value

    def _append(self, call: cst.BaseExpression) -> None:
        """Handles ``scaled.append(images / 2)``."""
        if isinstance(call, cst.Call) and isinstance(call.func, cst.Attribute) and method(call) == "append":
            name = dotted_name(call.func.value)
            old = self.values.get(name)
            if isinstance(old, list) and len(call.args) == 1:
                self.values[name] = [*old, self._value(call.args[0].value)]

    # Expressions.

    def _value(self, node: cst.BaseExpression) -> Any:
        if isinstance(node, (cst.Attribute, cst.Name)):
            return self._named(node)
        if isinstance(node, (cst.List, cst.Tuple)):
            return [self._value(element.value) for element in node.elements]
        if isinstance(node, cst.Dict):
            return _outside([self._value(element.value) for element in node.elements])
        if isinstance(node, cst.IfExp):
            return _join(self._value(node.body), self._value(node.orelse))
        if isinstance(node, cst.Subscript):
            return self._part(node)
        return self._called(node) if isinstance(node, cst.Call) else self._mixed(node, children(node))

    def _named(self, node: cst.BaseExpression) -> Any:
        """The value of a name; the constant None is accepted like a batch, because nothing can fetch it."""
        dotted = dotted_name(node)
        if dotted == "None":
            return None
        if isinstance(node, cst.Attribute) and dotted not in self.values:
            is_known = is_static(self._source, node.value)
            return node if is_known or _outside(self._value(node.value)) is not None else None
        value = self.values.get(dotted, node)
        return value if value is None or isinstance(value, list) else node

    def _part(self, node: cst.Subscript) -> Any:
        value, [index, *others] = self._value(node.value), node.slice
        place = index.slice.value if isinstance(index.slice, cst.Index) else None
        if isinstance(value, list) and not others and isinstance(place, cst.Integer):
            return value[int(place.value)] if int(place.value) < len(value) else node
        return None if _outside(value) is None else node

    def _called(self, call: cst.Call) -> Any:
        function = callee(self._source, call)
        arguments = [one.value for one in call.args]
        if isinstance(function, cst.FunctionDef):
            return self._returned(call, function) if function not in self._inside else call
        if self._collects(call):
            return _outside([self._value(one.value) for one in self._collected(call)])
        if isinstance(function, cst.ClassDef):
            return call  # an object, which a dataset cannot return
        symbol = self._source.names.symbol(call.func)
        if symbol in _OPERATIONS or method(call) in _METHODS_OF_OPERATIONS:
            return call
        if symbol.startswith(_METRICS):
            return [call, self._mixed(call, arguments)]
        if self._is_unknown(call) and any(calls_batcher(self._source, one) for one in arguments):
            return call  # it may be an object that holds the batch
        return None if calls_batcher(self._source, call) else self._mixed(call, [call.func, *arguments])

    def _is_unknown(self, call: cst.Call) -> bool:
        """Whether *call* calls something in another file that is not an input function."""
        is_named = self._source.names.full(call.func) is not None
        return is_named and not self._source.names.symbol(call.func) and not is_batch_elsewhere(self._source, call)

    def _collects(self, call: cst.Call) -> bool:
        """Whether it collects its arguments in one object: a dict, a named tuple."""
        is_own = isinstance(call.func, cst.Name) and bool(self._source.names.definitions(call.func))
        is_plain = isinstance(call.func, cst.Name) and call.func.value in _COLLECTING
        return (is_plain and not is_own) or makes_namedtuple(self._source, call)

    def _collected(self, call: cst.Call) -> Sequence[cst.Arg]:
        """The arguments that *call* collects; of ``dict(zip(keys, values))`` only the values: keys are no tensors."""
        pairs = call.args[0].value if len(call.args) == 1 and self._source.code(call.func) == "dict" else None
        is_zipped = isinstance(pairs, cst.Call) and self._collects(pairs) and self._source.code(pairs.func) == "zip"
        return pairs.args[1:] if is_zipped else call.args  # type: ignore[union-attr]

    def _returned(self, call: cst.Call, function: cst.FunctionDef) -> Any:
        parameters = _parameters(function)
        values = {name: None if one.default is None else self._value(one.default) for name, one in parameters.items()}
        in_places = list(parameters)[1:] if is_bound(self._source, call) else list(parameters)
        for name, argument in zip(in_places, call.args):
            if argument.keyword is None:
                values[name] = self._value(argument.value)
        values.update({one.keyword.value: self._value(one.value) for one in call.args if one.keyword is not None})
        body = _Body(self._source, values, self._inside | {function})
        body.partly = self.partly
        body.follow([function.body])
        return functools.reduce(_join, body.returned) if body.returned else call

    def _mixed(self, node: cst.CSTNode, parts: Iterable[cst.CSTNode]) -> Any:
        """The value computed from *parts*: it comes from a batcher if one of them does."""
        nodes = [one for part in parts for one in _outermost(part)]
        return None if any(_has_batch(self._value(one)) for one in nodes) else node


def _outermost(node: cst.CSTNode) -> List[cst.BaseExpression]:
    """*node*, if it is an expression, else the outermost expressions in it."""
    if isinstance(node, cst.BaseExpression):
        return [node]
    return [one for child in children(node) for one in _outermost(child)]


def _outside(value: Any) -> Optional[cst.CSTNode]:
    """The first part of *value* that does not come from a batcher."""
    if not isinstance(value, list):
        return value
    return next((found for found in map(_outside, value) if found is not None), None)


def _join(one: Any, other: Any) -> Any:
    """The value that is one of two: it comes from a batcher if both do."""
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        return [_join(*pair) for pair in zip(one, other)]
    return _outside([one, other])


def _has_batch(value: Any) -> bool:
    return any(map(_has_batch, value)) if isinstance(value, list) else value is None
