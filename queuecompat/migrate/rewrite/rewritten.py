"""What a rewrite returns."""

from __future__ import annotations

import dataclasses
from typing import FrozenSet, Optional, Sequence

import libcst as cst

from queuecompat.migrate.findings import Finding
from queuecompat.migrate.rewrite.refusals import UnsupportedPatternError

__all__ = ["ALONE", "Rewritten", "Surroundings"]


@dataclasses.dataclass(frozen=True)
class Rewritten:
    """The new text of a source.

    Attributes:
      text: equal to the old one where there was nothing to do.
      left: what was left as it was, and why; at its place in the old text.
      refusal: what kept it from being rewritten; then the text has at most a comment more.
      datasets: the functions that return a dataset now.
      consumed: the calls of functions of other files that are iterated over now, as datasets, or are a part of one.
      within: those that are a part of one, where such a function returns tensors, whether it is decorated or not.
      in_graphs: what is in statements that a wrapped function builds its graph by, and in what these may call.
      methods: of objects that are no tensors, which such statements call.
      has_several_parts: whether several parts of a graph are run, which have random states of their own.
      in_front: statements that have come in front of such as build a graph.
      only_imports: nothing but imports is new, for files that use its classes.
    """

    text: str
    left: Sequence[Finding] = ()
    refusal: Optional[UnsupportedPatternError] = None
    datasets: FrozenSet[cst.CSTNode] = frozenset()
    consumed: FrozenSet[cst.CSTNode] = frozenset()
    within: FrozenSet[cst.CSTNode] = frozenset()
    in_graphs: FrozenSet[cst.CSTNode] = frozenset()
    methods: FrozenSet[cst.CSTNode] = frozenset()
    has_several_parts: bool = False
    in_front: Sequence[cst.CSTNode] = ()
    only_imports: bool = False

    @property
    def is_comment(self) -> bool:
        """Whether a comment is all that is new."""
        return self.refusal is not None


@dataclasses.dataclass(frozen=True)
class Surroundings:
    """What the other files of a program have to do with one.

    Attributes:
      is_tf1: it is TensorFlow 1 code, for such a file passes graph tensors to it.
      inner: its functions that return batches and are called by such functions of other files only: parts of theirs.
      outer: its functions that return batches and are named in other files.
      looked_up: those that a session of the program may get batches of without a call of their name.
    """

    is_tf1: bool = False
    inner: FrozenSet[cst.CSTNode] = frozenset()
    outer: FrozenSet[cst.CSTNode] = frozenset()
    looked_up: FrozenSet[cst.CSTNode] = frozenset()


ALONE = Surroundings()
