"""What a name in a program's source means: ``tf.contrib.slim.prefetch_queue``, however it is spelled.

A name is followed through imports and their aliases, and through assignments such as ``slim = tf.contrib.slim``.
Then the ways to spell it are brought to one form, that of the table ``queuecompat.api``: below ``tf``, without
``compat.v1``, without the private folders of contrib, private modules by their public names.

What it leaves out: names that only a run could know (``getattr``, attributes of objects, ``exec``), and those that
``from tensorflow import *`` brings.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import Callable, FrozenSet, Iterator, List, Mapping, Optional, Tuple

import libcst as cst
from libcst.helpers import get_full_name_for_node_or_raise
from libcst.metadata import Assignment, ImportAssignment, Scope

from queuecompat import api

__all__ = ["Meaning", "Names", "meaning"]

# Private modules of TensorFlow whose names are public ones, by the module of these.
_PUBLIC = {
    "tensorflow.python.ops.data_flow_ops": "tf",
    "tensorflow.python.ops.io_ops": "tf",
    **{symbol: f"tf.{row.place}" for symbol, row in api.table().items() if row.status == "private"},
}
# The ways to spell TensorFlow, the longest first, and what they lead to.
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
      spelling: whose module it is reached by: "tensorflow", "compat" (``tensorflow.compat.v1``), "private"
        (``tensorflow.python``), "tf_slim" or "queuecompat".
    """

    symbol: str
    spelling: str


def meaning(dotted: str) -> Optional[Meaning]:
    """What the full name *dotted* means; None where it is none of TensorFlow's."""
    for spelled, public, spelling in _SPELLINGS:
        if dotted == spelled or dotted.startswith(spelled + "."):
            symbol = public + dotted[len(spelled) :]
            return Meaning(_without_private_folders(symbol), spelling)
    return None


def _without_private_folders(symbol: str) -> str:
    """``tf.contrib.slim.python.slim.data.parallel_reader.x`` is ``tf.contrib.slim.parallel_reader.x``."""
    parts = symbol.split(".")
    if parts[1:2] != ["contrib"] or "python" not in parts:
        return symbol
    package, inner = parts[: parts.index("python")], parts[parts.index("python") + 1 :]
    known = (".".join(package + inner[start:]) for start in range(len(inner)))
    return next((name for name in known if name in api.table()), ".".join(package + inner[-1:]))


def _is_import_of_tensorflow(node: cst.CSTNode) -> bool:
    if isinstance(node, cst.ImportFrom):
        modules = [node.module] if node.module else []
    else:
        modules = [alias.name for alias in node.names] if isinstance(node, cst.Import) else []
    return any(get_full_name_for_node_or_raise(one).partition(".")[0] in _PACKAGES for one in modules)


class Names:
    """The names of one file.

    Args:
      scopes: gives a mapping from nodes to where their names are looked up; that takes a while.
      parents: from nodes to those around them.
    """

    def __init__(
        self, scopes: Callable[[], Mapping[cst.CSTNode, Optional[Scope]]], parents: Mapping[cst.CSTNode, cst.CSTNode]
    ) -> None:
        self._find_scopes, self._parents = scopes, parents

    @functools.cached_property
    def _scopes(self) -> Mapping[cst.CSTNode, Optional[Scope]]:
        return self._find_scopes()

    @functools.cached_property
    def _has_tensorflow(self) -> bool:
        """Whether any import of the file may lead to TensorFlow."""
        return any(_is_import_of_tensorflow(node) for node in self._parents)

    def full(self, node: cst.CSTNode) -> Optional[str]:
        """The full name of what *node* refers to, such as ``numpy.random.rand``; None if no import leads to it."""
        return self._full(node, frozenset())

    def tensorflow(self, node: cst.CSTNode) -> Optional[Meaning]:
        """The name of TensorFlow that *node* refers to."""
        dotted = self.full(node) if self._has_tensorflow else None
        return None if dotted is None else meaning(dotted)

    def symbol(self, node: cst.CSTNode) -> str:
        """The same in the table's form, and "" for all that is none of TensorFlow's."""
        found = self.tensorflow(node)
        return found.symbol if found else ""

    def definitions(self, name: cst.Name) -> List[cst.CSTNode]:
        """The nodes that give *name* its value: functions, classes, names that are assigned to."""
        return [one.node for one in self._assignments(name) if isinstance(one, Assignment)]

    def _full(self, node: cst.CSTNode, seen: FrozenSet[cst.CSTNode]) -> Optional[str]:
        if isinstance(node, cst.Attribute):
            base = self._full(node.value, seen)
            return None if base is None else f"{base}.{node.attr.value}"
        if isinstance(node, cst.Name) and node not in seen:
            return next(self._leads_to(node, seen | {node}), None)
        return None

    def _leads_to(self, name: cst.Name, seen: FrozenSet[cst.CSTNode]) -> Iterator[str]:
        for one in self._assignments(name):
            if isinstance(one, ImportAssignment):
                yield from (found.name for found in one.get_qualified_names_for(name.value))
            else:
                value = self._assigned(one)
                found = None if value is None else self._full(value, seen)
                if found is not None:
                    yield found

    def _assignments(self, name: cst.Name) -> List[object]:
        scope = self._scopes.get(name)
        return [] if scope is None else sorted(scope[name.value], key=lambda one: type(one).__name__, reverse=True)

    def _assigned(self, one: object) -> Optional[cst.BaseExpression]:
        """The value of ``name = value``; None of all other ways to give a name something."""
        target = self._parents.get(one.node) if isinstance(one, Assignment) else None
        statement = None if target is None else self._parents.get(target)
        if isinstance(target, cst.AssignTarget) and isinstance(statement, cst.Assign):
            return statement.value
        return None
