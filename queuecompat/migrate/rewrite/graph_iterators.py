"""Batches that a graph takes from an iterator, in place of the tensors that an input function returned.

    images, labels = tf.data.make_one_shot_iterator(inputs(files)).get_next()

Rule 1: such an iterator starts by itself and holds no tensor from outside: what a dataset is made of must be values
        of Python.
Rule 2: a dataset makes a tuple of a list; a program that does not unpack its batch at once would see the difference.
"""

from __future__ import annotations

import libcst as cst

from queuecompat.migrate.analysis.call_graph import callee, calls_of
from queuecompat.migrate.analysis.namedtuples import makes_namedtuple
from queuecompat.migrate.rewrite.imports.eager_imports import tensorflow_name
from queuecompat.migrate.rewrite.pipelines.batchers import BATCHERS
from queuecompat.migrate.rewrite.refusals import refused
from queuecompat.migrate.rewrite.sessions.eager import is_op
from queuecompat.migrate.source.nodes import every
from queuecompat.migrate.source.parsing import Source

__all__ = ["from_iterator", "is_unpacked", "may_be_a_list", "require_no_graph", "require_values"]

# What lives in the graph of a session, and could not be shared with an iterator that starts by itself.
_OF_SESSIONS = ("tf.assign", "tf.contrib.lookup", "tf.lookup", "tf.make_template", "tf.set_random_seed", "tf.tables_")


def from_iterator(source: Source, call: cst.Call) -> cst.BaseExpression:
    """``tf.data.make_one_shot_iterator(call).get_next()``"""
    maker = cst.parse_expression(f"{tensorflow_name(source)}.data.make_one_shot_iterator")
    iterator = cst.Call(maker, [cst.Arg(call)])
    return cst.Call(cst.Attribute(iterator, cst.Name("get_next")), lpar=(), rpar=())


def _is_tensor(source: Source, name: cst.Name) -> bool:
    """Whether what *name* is assigned may come out of TensorFlow."""
    lines = (source.around(one, (cst.AnnAssign, cst.Assign, cst.AugAssign)) for one in source.names.definitions(name))
    return any(is_op(source, call) for line in lines if line is not None for call in source.every(cst.Call, line))


def require_values(source: Source, call: cst.Call, function: cst.FunctionDef) -> None:
    """Refuses a *call* of an input *function* whose arguments are not all values of Python.

    Raises:
      UnsupportedPatternError: at *function*.
    """
    for arg in call.args:
        names = [one for one in every(arg.value, cst.Name) if _is_tensor(source, one)]
        calls = [one for one in every(arg.value, cst.Call) if is_op(source, one)]
        if names or calls:
            raise refused("graph-argument", function, value=source.code(arg.value), call=source.code(call.func))


def require_no_graph(source: Source, function: cst.FunctionDef) -> None:
    """Refuses an input *function* that reads tensors of the session's graph from around it, or calls what lives there.

    Raises:
      UnsupportedPatternError: at the name or the call.
    """
    inside = set(every(function, cst.CSTNode))  # type: ignore[type-abstract]
    for name in every(function, cst.Name):
        if any(one not in inside for one in source.names.definitions(name)) and _is_tensor(source, name):
            raise refused("graph-argument", name, value=name.value, call=function.name.value)
    for call in calls_of(source, function):
        symbol = source.names.symbol(call.func)
        if symbol.startswith(_OF_SESSIONS):
            raise refused("graph-op", call, call=source.code(call.func))
        if symbol.startswith("tf.summary") or symbol.endswith("_summary"):
            raise refused("summary-of-batch", call, call=source.code(call.func))


def is_unpacked(source: Source, call: cst.Call) -> bool:
    """Whether the batch goes to several names at once: a tuple does there what a list did."""
    line = source.parents.get(call)
    return isinstance(line, cst.Assign) and all(isinstance(one.target, (cst.List, cst.Tuple)) for one in line.targets)


def may_be_a_list(source: Source, function: cst.FunctionDef, depth: int = 8) -> bool:
    """Whether *function* may return a list; of that, a dataset makes a tuple."""
    values = [one.value for one in every(function, cst.Return) if one.value is not None]
    return not depth or not all(_is_no_list(source, function, one, depth) for one in values)


def _is_no_list(source: Source, function: cst.FunctionDef, value: cst.BaseExpression, depth: int) -> bool:
    if isinstance(value, (cst.Dict, cst.Tuple)):
        return True
    if isinstance(value, cst.Call):
        return _returns_no_list(source, value, depth)
    if not isinstance(value, cst.Name):
        return False
    lines = [(line, one.target) for line in every(function, cst.Assign) for one in line.targets]
    given = [line.value for line, target in lines if isinstance(target, cst.Name) and target.value == value.value]
    return all(_is_no_list(source, function, one, depth) for one in given)


def _returns_no_list(source: Source, call: cst.Call, depth: int) -> bool:
    if makes_namedtuple(source, call):
        return not any(isinstance(one.value, cst.List) for one in call.args)
    helper = callee(source, call)
    if isinstance(helper, cst.FunctionDef):
        return not may_be_a_list(source, helper, depth - 1)
    if source.names.symbol(call.func) not in BATCHERS:
        return bool(source.names.symbol(call.func))
    given = call.args[0].value if call.args else None
    return isinstance(given, cst.Dict) or (isinstance(given, (cst.List, cst.Tuple)) and len(given.elements) == 1)
