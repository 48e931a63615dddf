"""Finds names of TensorFlow that a file gets from other files of its program: ``from helpers import *``.

Rule 1: only a file's top level counts: its imports, and assignments such as ``slim = tf.contrib.slim``.
Rule 2: ``import *`` binds what ``__all__`` names if that is a plain list, else all names without a leading ``_``.
Rule 3: names are followed through any number of files.
"""

from __future__ import annotations

import ast
from typing import Dict, FrozenSet, Iterator, List, Mapping, NamedTuple, Optional, Set, Tuple

import libcst as cst

from queuecompat import api
from queuecompat.migrate.analysis.module_files import ModuleFiles
from queuecompat.migrate.analysis.removed_names import REMOVED
from queuecompat.migrate.source.names import Reexport, Reexports, meaning
from queuecompat.migrate.source.parsing import Source

# The names that ``from tensorflow import *`` binds and about which there is something to report.
_NAMES_OF_TF = sorted({name.split(".")[1] for name in (*REMOVED, *api.table()) if name.startswith("tf.")})

__all__ = ["TopNames", "reexports", "top_names", "used_reexports"]


class TopNames(NamedTuple):
    """What the imports of a file name, and what its top level binds.

    Attributes:
      modules: the modules that its imports name; for ``from a import b`` both ``a.b`` and ``a``.
      stars: the modules of ``from ... import *``.
      bound: maps each name at the top level to the full name of what an import or an assignment binds it to.
      public: the names in ``__all__``; None if there is none, or if it is known only at run time.
      defined: all names that the top level binds by definitions and assignments.
    """

    modules: Tuple[str, ...] = ()
    stars: Tuple[str, ...] = ()
    bound: Mapping[str, str] = {}
    public: Optional[FrozenSet[str]] = None
    defined: FrozenSet[str] = frozenset()


def top_names(tree: ast.Module) -> TopNames:
    """The names of the file whose syntax tree is *tree*."""
    bound: Dict[str, str] = {}
    public: Optional[FrozenSet[str]] = None
    defined: Set[str] = set()
    for node in _at_the_top(tree):
        bound.update(_imported(node))
        if isinstance(node, (ast.AsyncFunctionDef, ast.ClassDef, ast.FunctionDef)):
            defined.add(node.name)
        for name, value in _assigned(node):
            defined.add(name)
            if name == "__all__":
                public = _strings(value)
            full = _dotted(value)
            if full.partition(".")[0] in bound:
                first, dot, rest = full.partition(".")
                bound[name] = bound[first] + dot + rest
    stars = [_module(one) for one in ast.walk(tree) if isinstance(one, ast.ImportFrom) and one.names[0].name == "*"]
    modules, own = tuple(dict.fromkeys(_modules(tree))), frozenset((*bound, *defined))
    return TopNames(modules, tuple(dict.fromkeys(stars)), bound, public, own)


def reexports(files: Mapping[str, TopNames]) -> Dict[str, Reexports]:
    """For each of *files*, the names of TensorFlow that its imports of the other files bring into it."""
    module_files = ModuleFiles(files)
    found = ((file, module, module_files.find(file, module)) for file in files for module in files[file].modules)
    imported = [(file, module, one.file) for file, module, one in found if one is not None and one.file != file]
    result = {file: Reexports({}, {}) for file in files}
    before = -1
    while before != sum(len(one.by_module) for one in result.values()):
        before = sum(len(one.by_module) for one in result.values())
        for file, module, other in imported:
            for name, brought in _brought(other, files[other], result[other]):
                result[file].by_module.setdefault(_below(module, name), brought)
                if module in files[file].stars and _is_public(files[other], name):
                    result[file].by_star.setdefault(name, brought)
    return result


def used_reexports(source: Source) -> Iterator[Tuple[cst.CSTNode, Reexport]]:
    """The nodes in *source* that refer to such a name itself, each with the name; in the order of the text."""
    if source.reexports.by_module:
        found = ((node, source.names.reexport(node)) for node in source.parents)
        yield from ((node, one) for node, one in found if one is not None)


def _brought(file: str, names: TopNames, own: Reexports) -> Iterator[Tuple[str, Reexport]]:
    """Each name of TensorFlow that *file* binds at its top level."""
    for name, full in names.bound.items():
        found = own.of(full) or Reexport(full, file)
        if meaning(found.full) is not None:
            yield name, found
    yield from ((name, one) for name, one in own.by_star.items() if name not in names.bound)
    for star in names.stars:
        whole = meaning(star)
        if whole is not None and whole.symbol == "tf":
            yield from ((name, Reexport(f"{star}.{name}", file)) for name in _NAMES_OF_TF if name not in names.defined)


def _is_public(names: TopNames, name: str) -> bool:
    return not name.startswith("_") if names.public is None else name in names.public


def _at_the_top(tree: ast.Module) -> Iterator[ast.stmt]:
    """The statements that run when the file is run, in their order, without the bodies of functions and classes."""
    waiting: List[ast.stmt] = list(reversed(tree.body))
    while waiting:
        statement = waiting.pop()
        yield statement
        if not isinstance(statement, (ast.AsyncFunctionDef, ast.ClassDef, ast.FunctionDef)):
            below = [one for one in ast.iter_child_nodes(statement) if isinstance(one, (ast.stmt, ast.ExceptHandler))]
            inner = [more for one in below for more in (one.body if isinstance(one, ast.ExceptHandler) else [one])]
            waiting += reversed(inner)


def _imported(node: ast.stmt) -> Iterator[Tuple[str, str]]:
    """The names that an import binds, each with its full name."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            first = alias.name.partition(".")[0]
            yield (alias.asname, alias.name) if alias.asname else (first, first)
    elif isinstance(node, ast.ImportFrom):
        yield from (
            (alias.asname or alias.name, _below(_module(node), alias.name)) for alias in node.names if alias.name != "*"
        )


def _assigned(node: ast.stmt) -> Iterator[Tuple[str, ast.expr]]:
    """The names that an assignment binds, each with the assigned value."""
    if isinstance(node, ast.Assign):
        yield from ((target.id, node.value) for target in node.targets if isinstance(target, ast.Name))


def _dotted(node: ast.expr) -> str:
    """The text ``a.b.c`` of nodes that form such a chain of names; "" for any other node."""
    if isinstance(node, ast.Attribute):
        base = _dotted(node.value)
        return f"{base}.{node.attr}" if base else ""
    return node.id if isinstance(node, ast.Name) else ""


def _strings(node: ast.expr) -> Optional[FrozenSet[str]]:
    values = node.elts if isinstance(node, (ast.List, ast.Tuple)) else [None]
    texts = [one.value for one in values if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    return frozenset(texts) if len(texts) == len(values) else None


def _modules(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield _module(node)
            yield from (_below(_module(node), alias.name) for alias in node.names if alias.name != "*")
        elif isinstance(node, ast.Call) and _dotted(node.func).endswith("import_module"):
            names = (one.value for one in node.args[:1] if isinstance(one, ast.Constant))
            yield from (name for name in names if isinstance(name, str))


def _module(node: ast.ImportFrom) -> str:
    return "." * node.level + (node.module or "")


def _below(module: str, name: str) -> str:
    return module + ("" if module.endswith(".") else ".") + name
