"""What a pipeline does with its batches: their names, the statements on them, and what is returned."""

from __future__ import annotations

from typing import Set

import libcst as cst

from queuecompat.migrate.analysis.statements import (
    Statement,
    assigned_names,
    defs,
    target_of,
    uses,
)
from queuecompat.migrate.rewrite.pipelines.code_motion import CodeMotion
from queuecompat.migrate.rewrite.pipelines.parts import Parts
from queuecompat.migrate.rewrite.refusals import refused
from queuecompat.migrate.source.parsing import Source

__all__ = ["Batches"]


class Batches:
    """The end of a pipeline, from its batcher on; fills in *parts*."""

    def __init__(self, source: Source, parts: Parts, motion: CodeMotion) -> None:
        self._source, self._parts, self._motion = source, parts, motion
        self._names: Set[str] = set()
        self._of_batch: Set[str] = set()

    def are_ended(self) -> bool:
        """Whether the batch has been returned."""
        parts = self._parts
        return parts.returned is not None or (parts.batcher is not None and parts.batch is None)

    def take_line(self, one: Statement) -> None:
        """Records the line of the batcher.

        Raises:
          UnsupportedPatternError: the batch is not assigned to plain names.
        """
        if isinstance(one.body[0], cst.Return):  # type: ignore[index]
            return
        target = target_of(one)
        if target is None or not assigned_names(target):
            raise refused("batch-not-plain", one)
        self._parts.batch = target
        self._names = set(assigned_names(target))
        self._of_batch = set(self._names)

    def take(self, one: Statement) -> None:
        """Records a statement after the batcher."""
        self._motion.take_after(one, self._names)
        self._names |= defs(one)
        self._of_batch |= defs(one) if uses(one) & self._of_batch else set()
        self._parts.after_batch.append(one)

    def take_returned(self, one: Statement, value: cst.BaseExpression, *, in_graph: bool) -> None:
        """Records the last line, which returns *value*.

        Raises:
          UnsupportedPatternError: a part of *value* does not depend on a batch; a dataset, though not a function that
            stays in a graph, would return it with each batch.
        """
        self._parts.returned = value
        if in_graph:
            return
        elements = value.elements if isinstance(value, (cst.Dict, cst.List, cst.Tuple)) else [cst.Element(value)]
        for part in (element.value for element in elements):
            of_tensorflow = isinstance(part, cst.Call) and self._source.names.symbol(part.func)
            if not uses(part) & self._of_batch and not of_tensorflow:
                raise refused("returned-besides", one, value=self._source.code(part))
