"""The call graph of a file: callees, callers, and everything that is reachable from a place.

Rule 1: all traversals from calls to definitions are here; each caller decides what to look for along the way.
Rule 2: a call is followed if its name leads to a function or class of the file. A call of a method is followed from
        another method of the same object, ``self.read(queue)``, and from the place that creates the object,
        ``Reader(files)``, unless another class of the file has a method of that name. Methods of other objects are not
        followed: which object it is, is known only at run time.
Rule 3: traversal is breadth-first, and in the order of the text within each function.
"""

from __future__ import annotations

import functools
from typing import Callable, Dict, FrozenSet, Iterable, Iterator, List, Optional, Type

import libcst as cst

from queuecompat.migrate.source.parsing import Source

__all__ = [
    "bases_of",
    "callee",
    "callers",
    "calls_of",
    "class_of",
    "definition",
    "functions_around",
    "is_bound",
    "makers_of",
    "may_mean",
    "may_reach",
    "own_method",
    "reachable",
]

_Calls = Callable[[cst.CSTNode], Iterable[cst.Call]]


def definition(source: Source, node: cst.CSTNode) -> Optional[cst.CSTNode]:
    """The function or class of this file that *node* names."""
    if not isinstance(node, cst.Name):
        return None
    found = source.names.definitions(node)
    return next((one for one in found if isinstance(one, (cst.ClassDef, cst.FunctionDef))), None)


def class_of(source: Source, function: Optional[cst.CSTNode]) -> Optional[cst.ClassDef]:
    """The class of this file that *function* is a method of."""
    block = None if function is None else source.parents.get(function)
    around = None if block is None else source.parents.get(block)
    return around if isinstance(around, cst.ClassDef) and isinstance(function, cst.FunctionDef) else None


def functions_around(source: Source, node: cst.CSTNode) -> Iterator[cst.FunctionDef]:
    """The functions in which *node* is nested, innermost first."""
    around = source.around(node, cst.FunctionDef)
    while around is not None:
        yield around
        around = source.around(around, cst.FunctionDef)


def own_method(source: Source, node: cst.CSTNode) -> Optional[cst.FunctionDef]:
    """The method of this file that *node* names: ``self.read``, ``Reader.read``, or of an object that is made here."""
    if not isinstance(node, cst.Attribute):
        return None
    kind: Optional[cst.CSTNode] = None
    if isinstance(node.value, cst.Call):  # Reader(files).read
        kind = definition(source, node.value.func)
    elif isinstance(node.value, cst.Name):
        owner = definition(source, node.value)
        is_class = isinstance(owner, cst.ClassDef)
        kind = owner if is_class else _own_class(source, node.value) or _made_of(source, node.value)
    return _method(source, kind, node.attr.value) if isinstance(kind, cst.ClassDef) else None


def is_bound(source: Source, call: cst.Call) -> bool:
    """Whether the called method gets its object or class implicitly, before the arguments of *call*."""
    method = own_method(source, call.func)
    if method is None or _has_decorator(method, "staticmethod"):
        return False
    owner = definition(source, call.func.value)  # type: ignore[attr-defined]
    return not isinstance(owner, cst.ClassDef) or _has_decorator(method, "classmethod")


def callee(source: Source, call: cst.Call) -> Optional[cst.CSTNode]:
    """The function, method or class of this file that *call* calls."""
    return definition(source, call.func) or own_method(source, call.func)


def _own_class(source: Source, name: cst.Name) -> Optional[cst.ClassDef]:
    """The class around a method that uses *name* for its first parameter: ``self``, or ``cls``."""
    function = source.around(name, cst.FunctionDef)
    while function is not None:
        kind, parameters = class_of(source, function), function.params.params
        if kind is not None:
            is_own = bool(parameters) and parameters[0].name.value == name.value
            return kind if is_own and not _has_decorator(function, "staticmethod") else None
        function = source.around(function, cst.FunctionDef)
    return None


def _made_of(source: Source, name: cst.Name) -> Optional[cst.ClassDef]:
    """The class in ``name = Class(...)``, if the name is assigned only once."""
    found = source.names.definitions(name)
    made = source.assigned_value(found[0]) if len(found) == 1 else None
    kind = definition(source, made.func) if isinstance(made, cst.Call) else None
    return kind if isinstance(kind, cst.ClassDef) else None


def _method(source: Source, kind: cst.ClassDef, name: str) -> Optional[cst.FunctionDef]:
    """The method *name* of *kind*; None if another class of the file also has one, because it may be an override."""
    named = [one for one in source.every(cst.FunctionDef) if one.name.value == name and class_of(source, one)]
    return named[0] if len(named) == 1 and class_of(source, named[0]) is kind else None


def _has_decorator(function: cst.FunctionDef, name: str) -> bool:
    return any(isinstance(one.decorator, cst.Name) and one.decorator.value == name for one in function.decorators)


def reachable(
    source: Source,
    *roots: cst.CSTNode,
    kind: Optional[Type[cst.CSTNode]] = None,
    calls: Optional[_Calls] = None,
    named: bool = False,
) -> Iterator[cst.CSTNode]:
    """*roots*, and the functions and classes that they call, directly or indirectly; each once.

    Args:
      kind: follow only these: functions, or classes.
      calls: returns the calls in a node that are followed; by default all of them.
      named: also follow functions that are only named, because they may be passed to a function that calls them, such
        as ``tf.map_fn``.
    """
    graph = source.once(_graphs)[0]
    found = list(dict.fromkeys(roots))
    seen = set(found)
    for one in found:
        yield one
        met = [graph.callee(call) for call in (source.every(cst.Call, one) if calls is None else calls(one))]
        if named:
            met += [definition(source, name) for name in source.every(cst.Name, one)]
        for called in met:
            if called is not None and called not in seen and (kind is None or isinstance(called, kind)):
                seen.add(called)
                found.append(called)


def may_mean(source: Source, node: cst.CSTNode) -> List[cst.CSTNode]:
    """The functions and classes of this file that a name or an attribute may refer to.

    For an attribute of an unknown object these are all methods of that name.
    """
    if isinstance(node, cst.Name):
        found = definition(source, node)
        return [] if found is None else [found]
    if not isinstance(node, cst.Attribute) or source.names.full(node) is not None:
        return []
    name, owner = node.attr.value, node.value
    if isinstance(owner, cst.Call) and isinstance(owner.func, cst.Name) and owner.func.value == "super":
        kind = source.around(node, cst.ClassDef)
        return (
            [] if kind is None else [one for base in bases_of(source, kind) for one in _inherited(source, base, name)]
        )
    method = own_method(source, node)
    return [method] if method is not None else source.once(_methods)[0].get(name, [])


def bases_of(source: Source, kind: cst.ClassDef) -> List[cst.ClassDef]:
    """The base classes of *kind* in this file."""
    found = (definition(source, one.value) for one in kind.bases)
    return [one for one in found if isinstance(one, cst.ClassDef)]


def makers_of(source: Source, kind: cst.ClassDef) -> List[cst.FunctionDef]:
    """The ``__init__`` methods that run for an object of *kind*: its own, or those of its base classes."""
    return _inherited(source, kind, "__init__")


def may_reach(source: Source, *roots: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """*roots*, and the functions of this file that these may call, or pass to a function that calls them.

    Of a class, everything that runs without being named is reached: its special methods, its decorated methods and its
    other statements. Its remaining methods are reached only if reachable code names them.
    """
    found = [part for one in dict.fromkeys(roots) for part in _pieces(source, one)]
    seen = set(found)
    for one in found:
        yield one
        nodes = [*source.every(cst.Name, one), *source.every(cst.Attribute, one)]
        met = [part for node in nodes for meant in may_mean(source, node) for part in _pieces(source, meant)]
        found += [part for part in dict.fromkeys(met) if part not in seen]
        seen.update(met)


def _pieces(source: Source, node: cst.CSTNode, seen: FrozenSet[cst.CSTNode] = frozenset()) -> List[cst.CSTNode]:
    """*node*; for a class, the parts of it and of its base classes that may run without being named."""
    if not isinstance(node, cst.ClassDef):
        return [node]
    lines = [*node.decorators, *node.bases, *node.body.body]
    found = [one for one in lines if not isinstance(one, cst.FunctionDef) or _is_run_unnamed(one)]
    bases = [one for one in bases_of(source, node) if one not in seen]
    return [*found, *(part for one in bases for part in _pieces(source, one, seen | {node}))]


def _is_run_unnamed(method: cst.FunctionDef) -> bool:
    return bool(method.decorators) or method.name.value.startswith("__")


def _inherited(
    source: Source, kind: cst.ClassDef, name: str, seen: FrozenSet[cst.CSTNode] = frozenset()
) -> List[cst.FunctionDef]:
    """The methods called *name* of *kind* itself; if it has none, those of its base classes."""
    own = [one for one in kind.body.body if isinstance(one, cst.FunctionDef) and one.name.value == name]
    bases = [one for one in bases_of(source, kind) if one not in seen]
    return own or [one for base in bases for one in _inherited(source, base, name, seen | {kind})]


def _methods(source: Source) -> Iterator[Dict[str, List[cst.CSTNode]]]:
    """The methods of this file, by name."""
    found: Dict[str, List[cst.CSTNode]] = {}
    for one in source.every(cst.FunctionDef):
        if class_of(source, one) is not None:
            found.setdefault(one.name.value, []).append(one)
    yield found


def calls_of(source: Source, *roots: cst.CSTNode) -> List[cst.Call]:
    """The calls in *roots*, and in everything reachable from them."""
    return [call for one in reachable(source, *roots) for call in source.every(cst.Call, one)]


def callers(source: Source, function: cst.CSTNode) -> List[cst.Call]:
    """The calls in this file of *function*, a function or class of the file."""
    return source.once(_graphs)[0].callers.get(function, [])


class _Graph:
    """The call graph of one file, computed on demand."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._callees: Dict[cst.Call, Optional[cst.CSTNode]] = {}

    def callee(self, call: cst.Call) -> Optional[cst.CSTNode]:
        """The function, method or class that *call* calls."""
        if call not in self._callees:
            self._callees[call] = callee(self._source, call)
        return self._callees[call]

    @functools.cached_property
    def callers(self) -> Dict[cst.CSTNode, List[cst.Call]]:
        """From functions and classes to the calls of them."""
        found: Dict[cst.CSTNode, List[cst.Call]] = {}
        for call in self._source.every(cst.Call):
            called = self.callee(call)
            if called is not None:
                found.setdefault(called, []).append(call)
        return found


def _graphs(source: Source) -> Iterator[_Graph]:
    yield _Graph(source)
