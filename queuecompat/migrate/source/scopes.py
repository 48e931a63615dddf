"""The scopes of a file, and for each scope the places that bind its names.

Rule 1: scopes are Python's: module, function, class, comprehension. The first iterable of a comprehension, decorators,
        defaults and annotations belong to the enclosing scope.
Rule 2: functions in a class do not see the names of the class.
Rule 3: all bindings of a name are recorded, in the order of the text.

``libcst``'s own scope provider also records each access, which nothing here needs and which takes ten times as long.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Dict, List, Optional, Sequence, Tuple

import libcst as cst

from queuecompat.migrate.source.nodes import children

__all__ = ["Binding", "Scope", "scopes_of"]


@dataclasses.dataclass(frozen=True)
class Binding:
    """One place that binds a name.

    Attributes:
      node: the name that is assigned to, or the function, class, parameter or import statement.
      full: for an import, the full name of what it binds; else "".
    """

    node: cst.CSTNode
    full: str = ""


class Scope:
    """One scope.

    Args:
      is_class: whether it is the scope of a class.

    Attributes:
      parent: the enclosing scope; the module's scope is its own parent.
    """

    def __init__(self, parent: Optional[Scope], *, is_class: bool = False) -> None:
        self.parent: Scope = self if parent is None else parent
        self._is_class = is_class
        self._bindings: Dict[str, List[Binding]] = {}
        self._elsewhere: Dict[str, Scope] = {}
        self._globals: Scope = self if parent is None else parent._globals

    def bind(self, name: str, binding: Binding) -> None:
        """Records that *name* is bound in this scope, or in the scope that ``global`` or ``nonlocal`` selects."""
        self._elsewhere.get(name, self)._bindings.setdefault(name, []).append(binding)

    def declare(self, name: str, *, is_global: bool) -> None:
        """Handles the declaration ``global name`` or ``nonlocal name``."""
        scope = self._globals if is_global else self._around()
        if scope is not None and scope is not self:
            self._elsewhere[name] = scope

    def __getitem__(self, name: str) -> Sequence[Binding]:
        """The bindings that may provide the value of *name* when it is read in this scope."""
        scope: Optional[Scope] = self._elsewhere.get(name, self)
        while scope is not None:
            if name in scope._bindings:
                return scope._bindings[name]
            scope = scope._around()
        return ()

    def _around(self) -> Optional[Scope]:
        """The innermost enclosing scope whose names are visible here."""
        scope = self
        while scope.parent is not scope:
            scope = scope.parent
            if not scope._is_class:
                return scope
        return None


def scopes_of(tree: cst.Module) -> Dict[cst.CSTNode, Scope]:
    """The scope of each name in *tree*, except attributes, keywords and imported modules."""
    return _Reader(tree).scopes


class _Reader:
    def __init__(self, tree: cst.Module) -> None:
        self.scopes: Dict[cst.CSTNode, Scope] = {}
        self._walk(tree, Scope(None))

    def _walk(self, root: cst.CSTNode, scope: Scope) -> None:
        """Visits *root* and everything below it, in the order of the text."""
        waiting: List[Tuple[cst.CSTNode, Scope]] = [(root, scope)]
        while waiting:
            node, scope = waiting.pop()
            take = _TAKES.get(type(node))
            below = [(child, scope) for child in children(node)] if take is None else take(self, node, scope)
            below.reverse()
            waiting += below

    def _bind_target(self, node: cst.CSTNode, scope: Scope, binds: Scope) -> None:
        """Binds the names of an assignment target in *binds*; other expressions in it are read in *scope*."""
        if isinstance(node, cst.Name):
            self.scopes[node] = scope
            binds.bind(node.value, Binding(node))
        elif isinstance(node, (cst.Element, cst.List, cst.StarredElement, cst.Tuple)):
            for child in children(node):
                self._bind_target(child, scope, binds)
        else:
            self._walk(node, scope)


# The child nodes still to be visited, each with the scope in which it is read.
_Below = List[Tuple[cst.CSTNode, Scope]]


def _name(reader: _Reader, node: Any, scope: Scope) -> _Below:
    reader.scopes[node] = scope
    return []


def _attribute(reader: _Reader, node: Any, scope: Scope) -> _Below:
    return [(node.value, scope)]


def _arg(reader: _Reader, node: Any, scope: Scope) -> _Below:
    return [(node.value, scope)]


def _assigned(reader: _Reader, node: Any, scope: Scope) -> _Below:
    reader._bind_target(node.target, scope, scope)
    return [(child, scope) for child in children(node) if child is not node.target]


def _as_name(reader: _Reader, node: Any, scope: Scope) -> _Below:
    reader._bind_target(node.name, scope, scope)
    return []


def _named_expr(reader: _Reader, node: Any, scope: Scope) -> _Below:
    reader._bind_target(node.target, scope, scope)
    return [(node.value, scope)]


def _function(reader: _Reader, node: Any, scope: Scope) -> _Below:
    scope.bind(node.name.value, Binding(node))
    reader.scopes[node.name] = scope
    inner = Scope(scope)
    outside = [*node.decorators, *([node.returns] if node.returns else [])]
    return [*((one, scope) for one in outside), (node.params, inner), (node.body, inner)]


def _lambda(reader: _Reader, node: Any, scope: Scope) -> _Below:
    inner = Scope(scope)
    return [(node.params, inner), (node.body, inner)]


def _param(reader: _Reader, node: Any, scope: Scope) -> _Below:
    scope.bind(node.name.value, Binding(node))
    reader.scopes[node.name] = scope
    return [(one, scope.parent) for one in (node.annotation, node.default) if one is not None]


def _class(reader: _Reader, node: Any, scope: Scope) -> _Below:
    scope.bind(node.name.value, Binding(node))
    reader.scopes[node.name] = scope
    outside = [*node.decorators, *node.bases, *node.keywords]
    return [*((one, scope) for one in outside), (node.body, Scope(scope, is_class=True))]


def _comprehension(reader: _Reader, node: Any, scope: Scope) -> _Below:
    inner = Scope(scope)
    reader._bind_target(node.for_in.target, inner, inner)
    rest = [*node.for_in.ifs, *([node.for_in.inner_for_in] if node.for_in.inner_for_in else [])]
    parts = [node.key, node.value] if isinstance(node, cst.DictComp) else [node.elt]
    return [(node.for_in.iter, scope), *((one, inner) for one in (*rest, *parts))]


def _declaration(reader: _Reader, node: Any, scope: Scope) -> _Below:
    for item in node.names:
        scope.declare(item.name.value, is_global=isinstance(node, cst.Global))
    return []


def _import(reader: _Reader, node: Any, scope: Scope) -> _Below:
    if isinstance(node.names, cst.ImportStar):
        return []
    module = _module(node) if isinstance(node, cst.ImportFrom) else ""
    for alias in node.names:
        full = _dotted(alias.name)
        if alias.asname is not None and isinstance(alias.asname.name, cst.Name):
            scope.bind(alias.asname.name.value, Binding(node, module + full))
        else:
            bound = full.partition(".")[0]
            scope.bind(bound, Binding(node, module + bound))
    return []


def _module(node: cst.ImportFrom) -> str:
    module = "." * len(node.relative) + (_dotted(node.module) if node.module is not None else "")
    return module if module.endswith(".") else f"{module}."


def _dotted(node: Any) -> str:
    return f"{_dotted(node.value)}.{node.attr.value}" if isinstance(node, cst.Attribute) else str(node.value)


_TAKES: Dict[type, Any] = {
    cst.AnnAssign: _assigned,
    cst.Arg: _arg,
    cst.AsName: _as_name,
    cst.AssignTarget: _assigned,
    cst.Attribute: _attribute,
    cst.AugAssign: _assigned,
    cst.ClassDef: _class,
    cst.CompFor: _assigned,
    cst.DictComp: _comprehension,
    cst.For: _assigned,
    cst.FunctionDef: _function,
    cst.GeneratorExp: _comprehension,
    cst.Global: _declaration,
    cst.Import: _import,
    cst.ImportFrom: _import,
    cst.Lambda: _lambda,
    cst.ListComp: _comprehension,
    cst.Name: _name,
    cst.NamedExpr: _named_expr,
    cst.Nonlocal: _declaration,
    cst.Param: _param,
    cst.SetComp: _comprehension,
}
