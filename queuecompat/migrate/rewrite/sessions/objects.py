"""Pipelines that methods build: which attributes of their objects a dataset may use.

A dataset is built in a graph of its own. A part of a graph that an object stores, such as a reader or a batch, must be
created in that graph and not be used elsewhere; and the object itself is created in an eager program.
"""

from __future__ import annotations

import libcst as cst

from queuecompat.migrate.analysis.attributes import foreign_attribute, leaked_attribute
from queuecompat.migrate.analysis.call_graph import calls_of, class_of, reachable
from queuecompat.migrate.analysis.queue_statements import is_queue_statement
from queuecompat.migrate.rewrite.refusals import refused
from queuecompat.migrate.rewrite.sessions.eager import is_of_graphs
from queuecompat.migrate.source.parsing import Source

__all__ = ["require_unshared_attributes"]


def require_unshared_attributes(source: Source, *roots: cst.CSTNode, are_eager: bool = True) -> None:
    """Refuses a pipeline built by *roots* that shares tensors with other code through attributes.

    Args:
      are_eager: whether the objects with these methods will be created in an eager program.

    Raises:
      UnsupportedPatternError: at the attribute, or at the ``__init__`` that needs a graph.
    """
    inside = set(reachable(source, *roots))
    around = (source.around(one, cst.FunctionDef) for one in roots)
    functions = [one for one in (*inside, *around) if class_of(source, one) is not None]
    if not functions and not any(isinstance(one, cst.ClassDef) for one in inside):
        return
    foreign, leaked = foreign_attribute(source, inside), leaked_attribute(source, inside)
    if foreign is not None:
        raise refused("attribute-made-elsewhere", foreign, name=source.code(foreign))
    if leaked is not None:
        raise refused("attribute-used-elsewhere", leaked, name=source.code(leaked))
    for kind in dict.fromkeys(class_of(source, one) for one in functions) if are_eager else ():
        if kind is not None and kind not in inside:
            _require_eager_objects(source, kind)


def _require_eager_objects(source: Source, kind: cst.ClassDef) -> None:
    for one in source.every(cst.FunctionDef, kind):
        if one.name.value == "__init__" and (
            is_queue_statement(source, one) or any(is_of_graphs(source, call) for call in calls_of(source, one))
        ):
            raise refused("made-in-graph", one, name=kind.name.value)
