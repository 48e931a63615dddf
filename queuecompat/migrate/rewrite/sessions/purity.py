"""Refuses statements that would move into a loop but are not pure."""

from __future__ import annotations

from typing import Set

import libcst as cst

from queuecompat.migrate.analysis.purity import impurities
from queuecompat.migrate.rewrite.refusals import UnsupportedPatternError, refused
from queuecompat.migrate.source.parsing import Source

__all__ = ["require_pure"]


def require_pure(source: Source, line: cst.CSTNode, node: cst.CSTNode, *, tensors: Set[str]) -> None:
    """Requires that *node*, in *line*, may be repeated for each batch.

    Args:
      tensors: the names of tensors.

    Raises:
      UnsupportedPatternError: it may not, or this is unknown; holds all reasons, each once.
    """
    found = {str(one): refused(one.key, line, **one.fields) for one in impurities(source, line, node, tensors=tensors)}
    if found:
        raise UnsupportedPatternError.of_all(list(found.values()))
