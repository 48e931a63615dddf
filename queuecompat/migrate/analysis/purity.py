"""Decides what may be repeated for each batch in eager mode: code that creates no variables and has no state.

A statement that is computed from a batch moves into the loop. Every function of the file that it calls is checked too;
of functions that are neither TensorFlow's nor the file's own, only those known to be pure are accepted.
"""

from __future__ import annotations

from typing import Any, FrozenSet, Iterator, Mapping, NamedTuple, Optional, Set

import libcst as cst

from queuecompat.migrate.analysis.call_graph import definition
from queuecompat.migrate.analysis.mentions import dotted_name
from queuecompat.migrate.analysis.namedtuples import makes_namedtuple
from queuecompat.migrate.analysis.statements import (
    assigned_names,
    changed_in_part,
    free_names,
    parts_of,
    value_of,
)
from queuecompat.migrate.analysis.templates import OF_TEMPLATES, template_in
from queuecompat.migrate.source.nodes import every, method
from queuecompat.migrate.source.parsing import Source

__all__ = ["Impurity", "closure_reads", "impurities", "is_pure"]


class Impurity(NamedTuple):
    """A key of the table of refusals, and the fields for that row's text."""

    key: str
    fields: Mapping[str, str]


_ONCE = (
    "tf.Variable", "tf.assign", "tf.contrib", "tf.count_up_to", "tf.estimator", "tf.examples", "tf.feature_column",
    "tf.get_", "tf.global_", "tf.gradients", "tf.hessians", "tf.image.random_", "tf.image_summary", "tf.keras",
    "tf.layers", "tf.losses.add_loss", "tf.losses.get_", "tf.make_template", "tf.merge_", "tf.metrics", "tf.models",
    "tf.nn.bidirectional_dynamic_rnn", "tf.nn.dynamic_rnn", "tf.nn.raw_rnn", "tf.nn.rnn_cell", "tf.nn.static_",
    "tf.placeholder", "tf.python", "tf.random", "tf.scalar_summary", "tf.scatter_", "tf.summary", "tf.train",
    "tf.truncated_normal", "tf.variable",
)  # fmt: skip
# Replacements with the same values that may be repeated.
_INSTEAD_OF_CONTRIB = {
    "tf.contrib.layers.flatten": "tf.reshape(x, [-1, n])",
    "tf.contrib.layers.one_hot_encoding": "tf.one_hot",
    "tf.contrib.layers.xavier_initializer": "tf.glorot_uniform_initializer()",
    "tf.contrib.layers.xavier_initializer_conv2d": "tf.glorot_uniform_initializer()",
}
# A graph runs these ops only if a session run fetches their results.
_EFFECTS = (
    "tf.Assert", "tf.Print", "tf.assert_", "tf.debugging.", "tf.io.write_file", "tf.numpy_function", "tf.print",
    "tf.py_func", "tf.write_file",
)  # fmt: skip
# While a graph is built these run once; when repeated, they may return something different each time.
_ONCE_OF_NUMPY = ("numpy.fromfile", "numpy.genfromtxt", "numpy.load", "numpy.memmap", "numpy.random", "numpy.save")
_ASSIGNING = ("assign", "eval", "scatter_")
# Modules whose functions are pure, and methods of tensors.
_PURE_MODULES = {"math", "numpy"}
_PURE_BUILTINS = {
    "abs", "bool", "dict", "enumerate", "float", "int", "isinstance", "len", "list", "max", "min", "range", "repr",
    "reversed", "round", "set", "sorted", "str", "sum", "tuple", "type", "zip",
}  # fmt: skip
_OF_TENSORS = {"as_list", "get_shape", "items", "set_shape", "values"}


def impurities(
    source: Source,
    line: cst.CSTNode,
    node: cst.CSTNode,
    *,
    tensors: Set[str],
    seen: FrozenSet[cst.CSTNode] = frozenset(),
    in_template: bool = False,
) -> Iterator[Impurity]:
    """The reasons why *node*, which is *line* or code that *line* calls, must not be repeated for each batch.

    Args:
      tensors: the names of tensors.
      seen: the functions that are already being checked.
      in_template: whether *node* is in a function that calls ``tf.get_variable`` and becomes a template.
    """
    found = _of_names(source, node, tensors) if isinstance(node, (cst.ClassDef, cst.FunctionDef)) else None
    if found is not None:
        yield found
        return
    for call in every(node, cst.Call):
        symbol, called = source.names.symbol(call.func), definition(source, call.func)
        if symbol.startswith(_ONCE) and not (in_template and symbol in OF_TEMPLATES):
            yield _not_repeatable(source.code(call.func), symbol)
        elif symbol.startswith(_EFFECTS) and (seen or not _is_one_value(line)):
            yield Impurity("maybe-not-fetched", {"call": source.code(call.func)})
        elif called is not None and called not in seen:
            inner = in_template or (not seen and template_in(source, call))
            yield from impurities(source, line, called, tensors=tensors, seen=seen | {called}, in_template=inner)
        elif not symbol and called is None and not (is_pure(source, call, tensors) or makes_namedtuple(source, call)):
            yield Impurity("unknown-call", {"call": source.code(call.func)})


def _not_repeatable(call: str, symbol: str) -> Impurity:
    instead = _INSTEAD_OF_CONTRIB.get(symbol)
    if instead is not None:
        return Impurity("contrib-not-repeatable", {"call": call, "instead": instead})
    return Impurity("not-repeatable", {"call": call})


def _is_one_value(line: cst.CSTNode) -> bool:
    """Whether *line* computes a single value, so that a run fetches either all of it or nothing."""
    value = value_of(line) if isinstance(line, cst.SimpleStatementLine) else None
    return not isinstance(value, (cst.Dict, cst.List, cst.Tuple))


def _of_names(source: Source, function: Any, tensors: Set[str]) -> Optional[Impurity]:
    """Whether *function* modifies anything that it did not create, or reads tensors from its enclosing scope."""
    made = {
        name for one in every(function, cst.Assign) for target in one.targets for name in assigned_names(target.target)
    }
    made -= {one.name.value for one in every(function, cst.Param)}
    changed = changed_in_part(function) - made
    if changed or any(isinstance(part, (cst.Global, cst.Nonlocal)) for part in parts_of(function)):
        return Impurity("changes-outside", {"function": function.name.value})
    both = sorted(closure_reads(source, function) & tensors)
    return Impurity("closure-tensor", {"name": both[0]}) if both else None


def closure_reads(source: Source, function: cst.CSTNode) -> Set[str]:
    """The variables that *function* reads from its enclosing scope: outer names that are assigned a value."""
    free, inside = free_names(function), set(parts_of(function))
    found = (name for name in every(function, cst.Name) if name.value in free)
    return {
        name.value
        for name in found
        if any(isinstance(one, cst.Name) and one not in inside for one in source.names.definitions(name))
    }


def is_pure(source: Source, call: cst.Call, tensors: Set[str]) -> bool:
    """Whether a function that is neither TensorFlow's nor of this file is known to be pure."""
    dotted = source.names.full(call.func)
    if dotted is not None and dotted.startswith(_ONCE_OF_NUMPY):
        return False
    if dotted is not None:
        return dotted.partition(".")[0] in _PURE_MODULES
    if isinstance(call.func, cst.Name):
        return call.func.value in _PURE_BUILTINS and not source.names.definitions(call.func)
    if isinstance(call.func, cst.Attribute) and not method(call).startswith(_ASSIGNING):
        root = dotted_name(call.func).partition(".")[0]
        return not root or root in tensors or method(call) in _OF_TENSORS
    return False
