"""Finds where a file mentions a name of the table ``queuecompat.api``."""

from __future__ import annotations

import dataclasses
from typing import Iterator, Optional, Tuple, Union

import libcst as cst

from queuecompat import api
from queuecompat.migrate.source.names import Meaning, meaning
from queuecompat.migrate.source.parsing import Source

__all__ = ["ENTRY_POINTS", "Mention", "builds_graphs", "dotted_name", "entry_points_and_advice", "mentions"]

ENTRY_POINTS = {
    "run": "queuecompat run",
    "v1": "queuecompat migrate --to v1",
    "as_dataset": "queuecompat migrate --to as-dataset",
}

_GRAPH_MODE = {"tf.disable_v2_behavior", "tf.disable_eager_execution", "tf.Graph"}


@dataclasses.dataclass(frozen=True)
class Mention:
    """One mention of a name.

    Attributes:
      node: the whole name, ``tf.train.batch``, or the name in an import.
      meaning: what the name means.
      row: its row in the table.
      written: the name as the file spells it.
    """

    node: cst.CSTNode
    meaning: Meaning
    row: api.Row
    written: str

    @property
    def is_beside_pipelines(self) -> bool:
        """Whether it is a name of tf.contrib that is no part of a pipeline: ``tf.contrib.slim``, a layer."""
        return self.row.code == "QC706" and self.row.status != "compiled"

    @property
    def is_of_package(self) -> bool:
        """Whether a separate package has it on current TensorFlow; queuecompat may have other names of the module."""
        return self.row.is_of_package and self.meaning.symbol != self.row.symbol


def mentions(source: Source) -> Iterator[Mention]:
    """Each mention of a name in the table, in the order of the text, including imports of modules below ``tf``."""
    for node in source.parents:
        if isinstance(node, (cst.Import, cst.ImportFrom)):
            yield from _imported(source, node)
        elif isinstance(node, (cst.Attribute, cst.Name)) and not _is_part(source, node):
            found = source.names.tensorflow(node)
            row = None if found is None else api.find(found.symbol)
            if found is not None and row is not None and not _is_unknown(row, found):
                yield Mention(node, found, row, source.code(node))


def builds_graphs(source: Source) -> bool:
    """Whether the file turns eager execution off, or creates graphs of its own."""
    return any(source.names.symbol(call.func) in _GRAPH_MODE for call in source.every(cst.Call))


def entry_points_and_advice(row: api.Row) -> Tuple[str, str]:
    """Two texts for messages: the commands that accept *row* unchanged, and what to write on TensorFlow 2."""
    return " or ".join(f"'{ENTRY_POINTS[one]}'" for one in row.entry_points.split()), row.advice


def dotted_name(node: Union[cst.BaseExpression, None]) -> str:
    """The text ``a.b.c`` of nodes that form such a chain of names; "" for any other node."""
    if isinstance(node, cst.Attribute):
        base = dotted_name(node.value)
        return f"{base}.{node.attr.value}" if base else ""
    return node.value if isinstance(node, cst.Name) else ""


def _is_unknown(row: api.Row, found: Meaning) -> bool:
    """Whether the table has only a module that contains the name, and its row tells nothing about names inside it."""
    return (row.symbol != found.symbol and row.status in ("eager", "kept")) or found.symbol.startswith("tf.python.")


def _is_part(source: Source, node: cst.CSTNode) -> bool:
    """Whether *node* is only a part of a longer name, a keyword, or the target of an assignment or definition."""
    parent = source.parents.get(node)
    if isinstance(parent, cst.Attribute):
        return True
    if isinstance(node, cst.Attribute):
        return False
    return isinstance(
        parent,
        (cst.ImportAlias, cst.ImportFrom, cst.AsName, cst.AssignTarget, cst.Param, cst.FunctionDef, cst.ClassDef),
    ) or (isinstance(parent, cst.Arg) and parent.keyword is node)


def _imported(source: Source, node: Union[cst.Import, cst.ImportFrom]) -> Iterator[Mention]:
    if isinstance(node.names, cst.ImportStar):
        return
    module = f"{dotted_name(node.module)}." if isinstance(node, cst.ImportFrom) else ""
    if isinstance(node, cst.ImportFrom) and (node.relative or not node.module):
        return
    for alias in node.names:
        dotted = module + dotted_name(alias.name)
        found = meaning(dotted)
        row: Optional[api.Row] = None if found is None else api.find(found.symbol)
        if found is not None and row is not None and not _is_unknown(row, found):
            yield Mention(alias.name, found, row, dotted)
