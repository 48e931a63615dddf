"""Statements that move into a loop are pure, or are refused."""

from __future__ import annotations

from typing import Set

import libcst as cst

from queuecompat.migrate.analysis.purity import impurity
from queuecompat.migrate.rewrite.refusals import refused
from queuecompat.migrate.source.parsing import Source

__all__ = ["require_pure"]


def require_pure(source: Source, line: cst.CSTNode, node: cst.CSTNode, *, tensors: Set[str]) -> None:
    """Whether *node*, in *line*, may be repeated for each batch.

    Args:
      tensors: names of them.
    Raises:
      UnsupportedPatternError: it may not, or it is unknown whether it may.
    """
    found = impurity(source, line, node, tensors=tensors)
    if found is not None:
        raise refused(found.key, line, **found.fields)
