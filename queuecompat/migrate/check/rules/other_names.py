"""Finds names of TensorFlow 1 outside input pipelines that TensorFlow 2 lacks: one finding per file, at the first name.

It leaves to ``names_of_tf1`` the names that have a code in the table ``queuecompat.api``. It ignores uses of a
program's own variable for its flags, and of the flags in it: the place that assigns that variable is reported.
"""

from __future__ import annotations

from typing import Iterator

import libcst as cst

from queuecompat import api
from queuecompat.migrate.analysis.mentions import ENTRY_POINTS
from queuecompat.migrate.analysis.removed_names import removed_name
from queuecompat.migrate.analysis.tf1_files import removed_uses
from queuecompat.migrate.findings import Finding
from queuecompat.migrate.source.parsing import Source

__all__ = ["other_names"]

_FLAGS = ("tf.app.flags.FLAGS", "tf.flags.FLAGS")


def other_names(source: Source) -> Iterator[Finding]:
    """One finding, which counts the different names."""
    first, names = None, []
    for node in source.once(removed_uses):
        found = source.names.tensorflow(node)
        row = api.find(found.symbol) if found is not None else None
        if found is None or found.spelling != "tensorflow" or (row is not None and row.code):
            continue
        if _is_of_own_flags(source, node):
            continue
        first = first or node
        if removed_name(found.symbol) not in names:
            names.append(removed_name(found.symbol))
    if first is not None:
        more = f" and {len(names) - 1} more" if len(names) > 1 else ""
        entry_points = " or ".join(f"'{ENTRY_POINTS[way]}'" for way in ("run", "v1"))
        yield source.found("QC713", first, call=source.code(first), more=more, entry_points=entry_points)


def _is_of_own_flags(source: Source, node: cst.CSTNode) -> bool:
    """Whether *node* is a variable ``FLAGS``, ``config.FLAGS``, or a flag of one, and not ``tf.app.flags.FLAGS``."""
    while isinstance(node, cst.Attribute) and source.names.reexport(node) is None:
        node = node.value
    if source.names.symbol(node) not in _FLAGS:
        return False
    bound = source.names.definitions(node) if isinstance(node, cst.Name) else []
    is_assigned = any(isinstance(source.parents.get(one), cst.AssignTarget) for one in bound)
    return is_assigned or source.names.reexport(node) is not None
