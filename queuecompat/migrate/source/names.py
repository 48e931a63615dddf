"""Resolves a name in a program's source: finds ``tf.contrib.slim.prefetch_queue`` however it is spelled.

A name is followed through imports and their aliases, and through assignments such as ``slim = tf.contrib.slim``. All
spellings are then normalised to the form of the table ``queuecompat.api``: below ``tf``, without ``compat.v1``, without
the private folders of contrib, and with the public name of a private module.

A name that nothing in a file binds comes from ``from tensorflow import *`` if that is the file's only star import, or
from a star import of another file of the program, which has the name from TensorFlow (``Reexports``).

What it leaves out: names that are known only at run time (``getattr``, attributes of objects, ``exec``).
"""

from __future__ import annotations

import builtins
import dataclasses
import functools
from typing import Dict, FrozenSet, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple

import libcst as cst
from libcst.helpers import get_full_name_for_node_or_raise

from queuecompat import api
from queuecompat.migrate.source.index import Index
from queuecompat.migrate.source.scopes import Binding, Scope, scopes_of

__all__ = ["Meaning", "Names", "Reexport", "Reexports", "meaning"]

# From private modules of TensorFlow to the public module that exports their names.
_PUBLIC = {
    "tensorflow.python.ops.data_flow_ops": "tf",
    "tensorflow.python.ops.io_ops": "tf",
    **{symbol: f"tf.{row.place}" for symbol, row in api.table().items() if row.status == "private"},
}
# The ways to spell TensorFlow, longest first: the prefix, what it stands for, and ``Meaning.spelling``.
_SPELLINGS: Tuple[Tuple[str, str, str], ...] = (
    ("queuecompat.v1.compat.v1", "tf", "queuecompat"),
    ("queuecompat.v1", "tf", "queuecompat"),
    ("tensorflow.compat.v1.compat.v1", "tf", "compat"),
    ("tensorflow.compat.v1", "tf", "compat"),
    ("tf_slim", "tf.contrib.slim", "tf_slim"),
    *((private, public, "private") for private, public in sorted(_PUBLIC.items(), reverse=True)),
    ("tensorflow", "tf", "tensorflow"),
)
_PACKAGES = {spelled.partition(".")[0] for spelled, _, _ in _SPELLINGS}


@dataclasses.dataclass(frozen=True)
class Meaning:
    """A name of TensorFlow.

    Attributes:
      symbol: in the form of the table: ``tf.train.batch``.
      spelling: the package through which it is reached: "tensorflow", "compat" (``tensorflow.compat.v1``), "private"
        (``tensorflow.python``), "tf_slim" or "queuecompat".
    """

    symbol: str
    spelling: str


class Reexport(NamedTuple):
    """A name of TensorFlow that a file gets from another file: its full name, and the file that imports TensorFlow."""

    full: str
    file: str


class Reexports(NamedTuple):
    """All names of TensorFlow that one file gets from other files.

    Attributes:
      by_module: keyed by the full name that the file uses, ``helpers.tf``.
      by_star: keyed by the name that ``from helpers import *`` binds.
    """

    by_module: Dict[str, Reexport]
    by_star: Dict[str, Reexport]

    def of(self, dotted: str) -> Optional[Reexport]:
        """Resolves *dotted*, a full name as the file spells it, by its longest prefix that is re-exported."""
        parts = dotted.split(".")
        for length in range(len(parts), 0, -1):
            found = self.by_module.get(".".join(parts[:length]))
            if found is not None:
                return Reexport(".".join((found.full, *parts[length:])), found.file)
        return None


@functools.lru_cache(maxsize=4096)
def meaning(dotted: str) -> Optional[Meaning]:
    """What the full name *dotted* means; None if it is not a name of TensorFlow."""
    for spelled, public, spelling in _SPELLINGS:
        if dotted == spelled or dotted.startswith(spelled + "."):
            symbol = public + dotted[len(spelled) :]
            return Meaning(_without_private_folders(symbol), spelling)
    return None


def _without_private_folders(symbol: str) -> str:
    """Turns ``tf.contrib.slim.python.slim.data.parallel_reader.x`` into ``tf.contrib.slim.parallel_reader.x``."""
    parts = symbol.split(".")
    if parts[1:2] != ["contrib"] or "python" not in parts:
        return symbol
    package, inner = parts[: parts.index("python")], parts[parts.index("python") + 1 :]
    known = (".".join(package + inner[start:]) for start in range(len(inner)))
    gone = api.gone(".".join(package))
    # A name in a removed module that was public, such as graph_actions, does not belong to the package itself.
    of_gone = (".".join(package + inner[start:]) for start, one in enumerate(inner[:-1]) if one in gone)
    return next((name for name in known if name in api.table()), next(of_gone, ".".join(package + inner[-1:])))


def _is_import_of_tensorflow(node: cst.CSTNode) -> bool:
    if isinstance(node, cst.ImportFrom):
        modules = [node.module] if node.module else []
    else:
        modules = [alias.name for alias in node.names] if isinstance(node, cst.Import) else []
    return any(get_full_name_for_node_or_raise(one).partition(".")[0] in _PACKAGES for one in modules)


class Names:
    """The names of one file.

    Args:
      tree: the file's syntax tree.
      index: the index of *tree*.
      reexports: names of TensorFlow that the file gets from other files.
    """

    def __init__(self, tree: cst.Module, index: Index, reexports: Reexports) -> None:
        self._tree, self._index, self._reexports = tree, index, reexports
        self._known: Dict[Tuple[int, str], Optional[str]] = {}

    @functools.cached_property
    def _scopes(self) -> Mapping[cst.CSTNode, Scope]:
        return scopes_of(self._tree)

    @functools.cached_property
    def _has_tensorflow(self) -> bool:
        """Whether any import of the file may lead to TensorFlow."""
        kinds = (cst.Import, cst.ImportFrom)
        return bool(self._reexports.by_module) or any(
            _is_import_of_tensorflow(node) for kind in kinds for node in self._index.every(self._tree, kind)
        )

    def full(self, node: cst.CSTNode) -> Optional[str]:
        """The full name of what *node* refers to, such as ``numpy.random.rand``; None if no import leads to it."""
        return self._full(node, frozenset())

    def tensorflow(self, node: cst.CSTNode) -> Optional[Meaning]:
        """The name of TensorFlow that *node* refers to, or None."""
        dotted = self.full(node) if self._has_tensorflow else None
        return None if dotted is None else meaning(dotted)

    def symbol(self, node: cst.CSTNode) -> str:
        """The name of TensorFlow that *node* refers to, in the table's form; "" if it is not one."""
        found = self.tensorflow(node)
        return found.symbol if found else ""

    def reexport(self, node: cst.CSTNode) -> Optional[Reexport]:
        """The re-export that *node* itself refers to: that of ``helpers.tf``, but None for ``helpers.tf.train``."""
        if isinstance(node, cst.Attribute):
            base = self.full(node.value)
            return None if base is None else self._reexports.by_module.get(f"{base}.{node.attr.value}")
        if not isinstance(node, cst.Name) or node not in self._scopes:
            return None
        bindings = self._bindings(node)
        if not bindings:
            return self._reexports.by_star.get(node.value)
        found = (self._reexports.by_module.get(one.full) for one in bindings)
        return next((one for one in found if one is not None), None)

    def definitions(self, name: cst.Name) -> List[cst.CSTNode]:
        """The nodes that bind *name*: functions, classes, imports, and targets of assignments."""
        return [one.node for one in self._bindings(name)]

    def _full(self, node: cst.CSTNode, seen: FrozenSet[cst.CSTNode]) -> Optional[str]:
        if isinstance(node, cst.Attribute):
            base = self._full(node.value, seen)
            return None if base is None else self._own(f"{base}.{node.attr.value}")
        if isinstance(node, cst.Name) and node not in seen:
            return self._full_of_name(node, seen)
        return self._module(node, seen) if isinstance(node, cst.Call) else None

    def _module(self, call: cst.Call, seen: FrozenSet[cst.CSTNode]) -> Optional[str]:
        """The module of ``importlib.import_module("reader")``, if it is not TensorFlow, which needs an import."""
        name = call.args[0].value if call.args else None
        if not isinstance(name, cst.SimpleString) or self._full(call.func, seen) != "importlib.import_module":
            return None
        module = name.evaluated_value
        is_plain = isinstance(module, str) and not module.startswith(".")
        return str(module) if is_plain and str(module).partition(".")[0] not in _PACKAGES else None

    def _full_of_name(self, name: cst.Name, seen: FrozenSet[cst.CSTNode]) -> Optional[str]:
        """Resolves *name*; cached for all names with the same bindings."""
        bindings = self._bindings(name)
        if not bindings and name in self._scopes:
            brought = self._reexports.by_star.get(name.value)
            return self._of_star(name.value) if brought is None else brought.full
        key = (id(bindings), name.value)
        if seen or key not in self._known:
            found = next(self._leads_to(bindings, seen | {name}), None)
            if seen:
                return found  # not cached: the result depends on where the search entered a cycle
            self._known[key] = found
        return self._known[key]

    @functools.cached_property
    def _star(self) -> str:
        """The module of ``from tensorflow import *``; "" if there is none, or if there are other star imports."""
        nodes = [one for one in self._index.every(self._tree, cst.ImportFrom) if isinstance(one.names, cst.ImportStar)]
        modules = [get_full_name_for_node_or_raise(one.module) for one in nodes if one.module and not one.relative]
        found = [one for one in modules if one.partition(".")[0] in _PACKAGES]
        return found[0] if len(nodes) == len(found) == 1 else ""

    def _of_star(self, name: str) -> Optional[str]:
        """Resolves a name that nothing in the file binds."""
        is_other = not self._star or hasattr(builtins, name) or name.startswith("__")
        return None if is_other else f"{self._star}.{name}"

    def _own(self, dotted: str) -> str:
        """Resolves *dotted*, which may be another file's name for a part of TensorFlow."""
        found = self._reexports.by_module.get(dotted)
        return dotted if found is None else found.full

    def _leads_to(self, bindings: Sequence[Binding], seen: FrozenSet[cst.CSTNode]) -> Iterator[str]:
        yield from (self._own(one.full) for one in bindings if one.full)
        for one in bindings:
            value = None if one.full else self._assigned(one)
            found = None if value is None else self._full(value, seen)
            if found is not None:
                yield found

    def _bindings(self, name: cst.Name) -> Sequence[Binding]:
        scope = self._scopes.get(name)
        return () if scope is None else scope[name.value]

    def _assigned(self, one: Binding) -> Optional[cst.BaseExpression]:
        """The value of ``name = value``; None for every other kind of binding."""
        target = self._index.parents.get(one.node)
        statement = None if target is None else self._index.parents.get(target)
        if isinstance(target, cst.AssignTarget) and isinstance(statement, cst.Assign):
            return statement.value
        return None
