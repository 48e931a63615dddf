"""The parts of a pipeline, which ``reading`` fills in and ``writing`` turns into tf.data code."""

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
      front: statements that do not involve tensors of the pipeline; they are executed before it is built.
      producer: the lines that create the dataset of files or rows.
      reading: how records are read from files; None if there are no files.
      files_at_once: how many files are interleaved, as an expression; "" for one.
      shuffle_lines: lines that shuffle the records before anything is computed from them.
      record: the names of a record's tensors; "*name" for all of them together.
      own: the program's own statements on a record.
      example: what is batched; None if the rows of arrays are batched unchanged.
      sources: the nodes of *own* and *example* in the old tree.
      batcher: how examples are batched.
      cases: all batchers among which the program chooses, each with its condition, "" for ``else``.
      batch: the target that the batch is assigned to; None if it is returned directly.
      after_batch: statements on a batch.
      returned: what the function returns; None if it returns the batch.
      comments: comments above statements that are removed, keyed by the part to which these belong: "producer",
        "records" or "batches".
    """

    front: List[Statement] = dataclasses.field(default_factory=list)
    producer: List[str] = dataclasses.field(default_factory=list)
    reading: Optional[Reading] = None
    files_at_once: str = ""
    shuffle_lines: Sequence[str] = ()
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
