"""Finds what the calls in a statement change in place: ``random.shuffle(files)`` reorders ``files``.

Rule 1: calls of this file's functions are analysed by looking into them.
Rule 2: functions of other files may change all their arguments, except those of TensorFlow and of
        ``_PRESERVING_MODULES``.
Rule 3: the state of a random number generator, ``random`` or ``numpy.random``, counts as a variable that every draw
        changes.

What it leaves out: assignments and the methods of lists and dicts, which ``needed_names`` handles.

``escaping_writes`` lists changes that outlive a call: ``data.NUM_EXAMPLES``, which ``data.inputs(...)`` sets.
Attributes are identified by name alone there, whatever object they belong to.
"""

from __future__ import annotations

import builtins
from typing import Any, Iterator, List, Optional, Sequence, Set, Tuple

import libcst as cst

from queuecompat.migrate.analysis.call_graph import callee, calls_of, definition, reachable
from queuecompat.migrate.analysis.mentions import dotted_name
from queuecompat.migrate.analysis.statements import CHANGING, WITH_TARGET, defs, may_write, parts_of, uses
from queuecompat.migrate.source.nodes import children, every, method
from queuecompat.migrate.source.parsing import Source

__all__ = [
    "calls_unknown",
    "changed_by_calls",
    "direct_escaping_writes",
    "drawn_from",
    "escaping_writes",
    "names_in",
    "same_values",
]

# Functions that change their first argument.
_CHANGING = {
    "bisect.insort", "bisect.insort_left", "bisect.insort_right", "heapq.heapify", "heapq.heappop", "heapq.heappush",
    "heapq.heappushpop", "heapq.heapreplace", "numpy.copyto", "numpy.fill_diagonal", "numpy.place", "numpy.put",
    "numpy.put_along_axis", "numpy.putmask", "numpy.random.shuffle", "operator.delitem", "operator.iadd",
    "operator.setitem", "random.shuffle",
}  # fmt: skip
_CHANGING_BUILTINS = {"delattr", "next", "setattr"}
# Modules whose other functions change none of their arguments.
_PRESERVING_MODULES = {
    "PIL", "absl", "collections", "copy", "csv", "datetime", "functools", "glob", "gzip", "h5py", "itertools", "json",
    "logging", "math", "numpy", "os", "pandas", "pathlib", "pprint", "random", "re", "scipy", "six", "sklearn",
    "struct", "sys", "time", "warnings",
}  # fmt: skip
# Methods that change none of their arguments, whatever object they belong to.
_PRESERVING_METHODS = {
    "append", "count", "critical", "debug", "error", "exception", "extend", "format", "get", "index", "info", "join",
    "log", "update", "warn", "warning", "write",
}  # fmt: skip
# Python's own types, whose methods are known; and its functions that run code passed to them.
_BUILTIN_KINDS = (bytes, complex, dict, float, frozenset, int, list, set, str)
_RUNNING = {"__import__", "eval", "exec", "map", "filter"}
_STATES = ("numpy.random", "random")
# Expressions whose value may be, or may contain, the value of one of their parts.
_HOLDING = (
    cst.Arg, cst.Attribute, cst.BooleanOperation, cst.Dict, cst.DictElement, cst.Element, cst.IfExp, cst.List,
    cst.NamedExpr, cst.Set, cst.StarredElement, cst.Subscript, cst.Tuple,
)  # fmt: skip


def changed_by_calls(source: Source, node: cst.CSTNode, *, possibly: bool) -> Set[str]:
    """The names whose values the calls in *node* change.

    Args:
      possibly: also include names that an unknown function may change.
    """
    return _changed(source, node, possibly, frozenset())


def drawn_from(source: Source, node: cst.CSTNode) -> Set[str]:
    """The random number generators, of ``random`` and ``numpy.random``, that *node* uses directly or indirectly."""
    drawn = (source.names.full(call.func) or "" for call in calls_of(source, node))
    return {state for full in drawn for state in _STATES if full.startswith(state + ".")}


def calls_unknown(source: Source, node: cst.CSTNode) -> bool:
    """Whether *node*, or code of this file that it calls, calls a function or method about which nothing is known."""
    calls = (call for one in reachable(source, node) for call in every(one, cst.Call))
    return any(callee(source, call) is None and not _is_known(source, call) for call in calls)


def _is_known(source: Source, call: cst.Call) -> bool:
    """Whether *call*, which is not of this file, is of TensorFlow, Python or one of the ``_PRESERVING_MODULES``."""
    full = source.names.full(call.func)
    if full is not None:
        return bool(source.names.symbol(call.func)) or full.partition(".")[0] in _PRESERVING_MODULES
    if isinstance(call.func, cst.Name):
        is_bound = bool(source.names.definitions(call.func))
        return not is_bound and hasattr(builtins, call.func.value) and call.func.value not in _RUNNING
    if method(call) in _PRESERVING_METHODS or any(hasattr(kind, method(call)) for kind in _BUILTIN_KINDS):
        return True
    root: cst.CSTNode = call.func
    while isinstance(root, (cst.Attribute, cst.Call, cst.Subscript)):
        root = root.func if isinstance(root, cst.Call) else root.value
    return isinstance(root, cst.Name) and (source.names.full(root) or "").partition(".")[0] in _PRESERVING_MODULES


def escaping_writes(source: Source, *roots: cst.CSTNode) -> Set[str]:
    """The variables and attributes that are set by *roots*, or by functions they call, and that outlive the call."""
    functions = (one for one in reachable(source, *roots) if isinstance(one, cst.FunctionDef))
    return set().union(*(direct_escaping_writes(source, one) for one in functions))


def names_in(source: Source, *roots: cst.CSTNode) -> Set[str]:
    """The names of variables and attributes in *roots*, and in the functions of the file that they call."""
    found: Set[str] = set()
    for one in reachable(source, *roots):
        found |= uses(one) | {part.attr.value for part in every(one, cst.Attribute)}
    return found


def direct_escaping_writes(source: Source, function: cst.FunctionDef, *, is_new: bool = False) -> Set[str]:
    """The names of variables and attributes that *function* sets and that outlive the call.

    Args:
      is_new: whether its object is created by this call; the attributes of that object are then left out.
    """
    declared = {item.name.value for one in every(function, cst.Global) for item in one.names}
    parameters = {one.name.value for one in every(function.params, cst.Param)}
    targets: List[cst.CSTNode] = [one.target for one in parts_of(function) if isinstance(one, WITH_TARGET)]
    targets += [call.func for call in every(function, cst.Call) if method(call) in CHANGING]
    own = function.params.params[0].name.value if is_new and function.params.params else ""
    places = (part for one in targets for part in every(one, cst.Attribute))
    attributes = {one.attr.value for one in places if not own or dotted_name(one).partition(".")[0] != own}
    changed = may_write(source, function.body) - (defs(function.body) | parameters)
    return (attributes - CHANGING) | changed | declared


def same_values(node: cst.CSTNode) -> Set[str]:
    """The names whose values the value of an expression may be, or may contain."""
    if isinstance(node, cst.Name):
        return {node.value}
    if isinstance(node, (cst.Arg, cst.Attribute, cst.Subscript)):
        return same_values(node.value)
    return set().union(*map(same_values, children(node))) if isinstance(node, _HOLDING) else set()


def _changed(source: Source, node: cst.CSTNode, possibly: bool, seen: Any) -> Set[str]:
    found: Set[str] = set()
    for call in every(node, cst.Call):
        function, bound = _function(source, call)
        if function is not None:
            found |= _by_function(source, call, function, bound, possibly, seen)
        else:
            found |= set().union(*map(same_values, _changed_arguments(source, call, possibly)))
    return found - {name.value for name in every(node, cst.Name) if source.names.full(name)}


def _changed_arguments(source: Source, call: cst.Call, possibly: bool) -> Iterator[cst.CSTNode]:
    """The arguments or objects that a call of an unknown function, or of one of another file, changes."""
    full = source.names.full(call.func) or ""
    yield from (one for one in call.args if one.keyword is not None and one.keyword.value == "out")
    is_builtin = isinstance(call.func, cst.Name) and not full and hasattr(builtins, call.func.value)
    if full in _CHANGING or (is_builtin and source.code(call.func) in _CHANGING_BUILTINS):
        yield from call.args[:1]
    elif is_builtin or source.names.symbol(call.func) or full.partition(".")[0] in _PRESERVING_MODULES:
        return
    elif not full and method(call) == "shuffle":
        yield from call.args[:1]
    elif possibly and (full or method(call) not in _PRESERVING_METHODS):
        yield from call.args
        if isinstance(call.func, cst.Attribute) and isinstance(source.parents.get(call), cst.Expr):
            yield call.func.value


def _function(source: Source, call: cst.Call) -> Tuple[Optional[cst.FunctionDef], Sequence[cst.CSTNode]]:
    """The function of this file that is called, and the arguments that it gets implicitly (``self``)."""
    found = definition(source, call.func)
    if isinstance(found, cst.FunctionDef):
        return found, ()
    if isinstance(found, cst.ClassDef):
        return _method(found, "__init__"), (cst.Name("_"),)
    around = source.around(call, cst.ClassDef)
    own = isinstance(call.func, cst.Attribute) and source.code(call.func.value) in ("cls", "self")
    if around is None or not own:
        return None, ()
    return _method(around, method(call)), (call.func.value,)  # type: ignore[attr-defined]


def _method(found: cst.ClassDef, name: str) -> Optional[cst.FunctionDef]:
    methods = (one for one in found.body.body if isinstance(one, cst.FunctionDef))
    return next((one for one in methods if one.name.value == name), None)


def _by_function(
    source: Source, call: cst.Call, function: cst.FunctionDef, bound: Sequence[cst.CSTNode], possibly: bool, seen: Any
) -> Set[str]:
    """The names that a call of this file's *function* changes: in its arguments, and outside the function."""
    if function in seen:
        return set()
    changed, own = _changed_in(source, function, possibly, seen | {function})
    parameters = [one.name.value for one in function.params.params]
    found = changed - own
    places = [*bound, *(one for one in call.args if one.keyword is None)]
    given = [*zip(parameters, places), *((one.keyword.value, one) for one in call.args if one.keyword is not None)]
    values = [value for name, value in given if name in changed]
    if changed & own:
        values += [one for one in call.args if one.star]  # which parameter they are passed to is unknown
    return found.union(*map(same_values, values))


def _changed_in(source: Source, function: cst.FunctionDef, possibly: bool, seen: Any) -> Tuple[Set[str], Set[str]]:
    """The outer names and parameters that a function changes, and the names that are local to it."""
    own: Set[str] = set()
    changed: Set[str] = set()
    declared = {item.name.value for one in every(function, cst.Global) for item in one.names}
    for one in function.body.body:
        bound = defs(one) - declared
        changed |= ((may_write(source, one) - bound) | _changed(source, one, possibly, seen)) - own
        if isinstance(one, cst.SimpleStatementLine):
            own |= bound
    every_own = defs(function.body) | {one.name.value for one in every(function.params, cst.Param)}
    return changed, every_own - declared
