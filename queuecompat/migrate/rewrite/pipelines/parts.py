"""A pipeline in its parts, as ``reading`` finds them and ``writing`` puts them together again."""

from __future__ import annotations

import dataclasses
from typing import Dict, List, Optional, Sequence, Tuple

import libcst as cst

from queuecompat.migrate.analysis.statements import Statement
from queuecompat.migrate.rewrite.pipelines.batchers import Batcher
from queuecompat.migrate.rewrite.pipelines.examples import Example
from queuecompat.migrate.rewrite.pipelines.readers import Reading

__all__ = ["Parts"]


@dataclasses.dataclass
class Parts:
    """One pipeline.

    Attributes:
      front: statements that have nothing to do with tensors; they stay in front.
      producer: lines of the dataset of files or rows.
      reading: how records are read from files; None: there are none.
      files_at_once: how many files are read in turn, as an expression; "": one.
      pool: lines that shuffle the records, before anything is computed on them.
      record: names of a record's tensors; "*name" of all of them.
      own: the program's statements on a record.
      example: what is batched; None: the records of an array as they are.
      sources: the nodes of *own* and *example* in the old tree.
      batcher: how.
      cases: all batchers that the program chooses from, each with its condition, "" for ``else``.
      batch: what the batch is assigned to; None: it is returned at once.
      after_batch: statements on a batch.
      returned: what the function returns; None: the batch.
      comments: in front of the statements that are gone, by the part that these are of: "producer", "records" or
        "batches".
    """

    front: List[Statement] = dataclasses.field(default_factory=list)
    producer: List[str] = dataclasses.field(default_factory=list)
    reading: Optional[Reading] = None
    files_at_once: str = ""
    pool: Sequence[str] = ()
    record: List[str] = dataclasses.field(default_factory=list)
    own: List[Statement] = dataclasses.field(default_factory=list)
    example: Optional[Example] = None
    sources: List[cst.CSTNode] = dataclasses.field(default_factory=list)
    batcher: Optional[Batcher] = None
    cases: Sequence[Tuple[str, Batcher]] = ()
    batch: Optional[cst.BaseExpression] = None
    after_batch: List[Statement] = dataclasses.field(default_factory=list)
    returned: Optional[cst.BaseExpression] = None
    comments: Dict[str, List[cst.EmptyLine]] = dataclasses.field(default_factory=dict)
