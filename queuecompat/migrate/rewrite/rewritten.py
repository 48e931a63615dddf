"""What a rewrite returns, and what it is told about the other files of the program."""

from __future__ import annotations

import dataclasses
from typing import FrozenSet, Optional, Sequence

import libcst as cst

from queuecompat.migrate.findings import Finding
from queuecompat.migrate.rewrite.refusals import UnsupportedPatternError

__all__ = ["ALONE", "Rewritten", "Surroundings"]


@dataclasses.dataclass(frozen=True)
class Rewritten:
    """The new text of a source, and what other files of the program have to know of the rewrite.

    Attributes:
      text: the new text; equal to the old one if there was nothing to do.
      left: findings about what was left unchanged, at positions in the old text.
      refusal: why the file was not rewritten; the text then differs at most by a comment.
      datasets: the functions that now return a dataset.
      consumed: calls of functions of other files whose datasets this file now iterates over or builds its own from.
      within: those of *consumed* that are inside an input function; there they return tensors in any case.
      in_graphs: all nodes in statements by which a wrapped function builds its graph, and in functions that these may
        call.
      methods: the attributes by which such statements call methods of objects that are not tensors.
      has_several_parts: whether several parts of a graph are run, each with random states of its own.
      in_front: statements that were moved before those that build a graph.
      only_imports: whether only imports changed, in a file whose classes other files use.
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
        """Whether at most a comment was added."""
        return self.refusal is not None


@dataclasses.dataclass(frozen=True)
class Surroundings:
    """What one file needs to know about the other files of its program.

    Attributes:
      is_tf1: whether it is TensorFlow 1 code, by itself or because such a file passes graph tensors to it.
      inner: its functions that return batches and are called only by such functions of other files, as parts of them.
      outer: its functions that return batches and are named in other files.
      looked_up: those whose batches a session of the program may get without a call of their name.
    """

    is_tf1: bool = False
    inner: FrozenSet[cst.CSTNode] = frozenset()
    outer: FrozenSet[cst.CSTNode] = frozenset()
    looked_up: FrozenSet[cst.CSTNode] = frozenset()


ALONE = Surroundings()
