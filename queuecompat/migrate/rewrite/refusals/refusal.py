"""One reason why a rewrite leaves a program unchanged, and the error that reports it."""

from __future__ import annotations

import dataclasses
from typing import List, Sequence

import libcst as cst

__all__ = ["Refusal", "UnsupportedPatternError"]


@dataclasses.dataclass(frozen=True)
class Refusal:
    """One row of the table. *what* and *instead* may have fields in braces; *in_graph*: see rule 4 of the package."""

    key: str
    what: str
    instead: str = ""
    follows: bool = False
    in_graph: bool = False


class UnsupportedPatternError(Exception):
    """A part of a program that a rewrite cannot handle.

    Attributes:
      node: where it is.
      row: the row of the table.
      reason: the row's text for this program, in one line.
      others: further obstacles in the same pipeline.
    """

    def __init__(self, node: cst.CSTNode, row: Refusal, reason: str) -> None:
        self.node, self.row, self.reason = node, row, reason
        self.others: List[UnsupportedPatternError] = []
        super().__init__(reason)

    @classmethod
    def of_all(cls, found: Sequence[UnsupportedPatternError]) -> UnsupportedPatternError:
        """The first of several errors, with the others attached, except those that may be consequences of it."""
        first = found[0]
        first.others = [one for one in found[1:] if not one.row.follows]
        return first

    def at(self, node: cst.CSTNode) -> UnsupportedPatternError:
        """The same refusal at another node."""
        return UnsupportedPatternError(node, self.row, self.reason)
