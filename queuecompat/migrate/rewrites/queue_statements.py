"""Which statements of a program build its queue pipeline."""

from __future__ import annotations

from typing import List

import libcst as cst

from queuecompat import api
from queuecompat.migrate.pipelines import definition
from queuecompat.migrate.sources import Source
from queuecompat.migrate.walking import every

__all__ = ["gives_batches", "is_queue_statement"]

_OF_QUEUES = {"QC701", "QC702", "QC704"}
_BATCHERS = ("batch", "batch_join", "bucket", "bucket_by_sequence_length")


def is_queue_statement(source: Source, node: cst.CSTNode) -> bool:
    """Whether *node* builds a part of a queue pipeline, itself or by functions of this file that it calls."""
    from_here = [node]
    for one in from_here:
        for part in every(one, cst.Attribute):
            if _is_of_queues(source, part):
                return True
        called = (definition(source, call.func) for call in every(one, cst.Call))
        from_here += [more for more in called if more is not None and more not in from_here]
    return False


def gives_batches(source: Source, node: cst.CSTNode) -> bool:
    """Whether *node* calls a batcher, or a function of this file that does."""
    seen: List[cst.CSTNode] = [node]
    for one in seen:
        if isinstance(one, cst.ClassDef):
            return False  # what its objects give, their methods know
        for call in every(one, cst.Call):
            if source.names.symbol(call.func).endswith(_BATCHERS):
                return True
            called = definition(source, call.func)
            if called is not None and called not in seen:
                seen.append(called)
    return False


def _is_of_queues(source: Source, node: cst.CSTNode) -> bool:
    row = api.find(source.names.symbol(node))
    # contrib had much besides that has nothing to do with queues.
    return row is not None and (row.code in _OF_QUEUES or (row.code == "QC706" and row.status == "compiled"))
