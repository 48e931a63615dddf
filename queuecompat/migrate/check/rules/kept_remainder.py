"""``.batch(n)`` without ``drop_remainder`` in a file that comes from queues: ``tf.train.batch`` dropped the rest.

A file comes from queues where it still has their words: a parameter or variable ``min_after_dequeue``, one of
TensorFlow 1's queue calls, or a comment that names one that stood there. Elsewhere ``.batch(n)`` is right.
"""

from __future__ import annotations

import re
from typing import Iterator, Set

import libcst as cst

from queuecompat.migrate.analysis.datasets import chains, is_dataset
from queuecompat.migrate.analysis.mentions import mentions
from queuecompat.migrate.findings import Finding
from queuecompat.migrate.source.nodes import argument, method, method_name
from queuecompat.migrate.source.parsing import Source

__all__ = ["kept_remainder"]

_QUEUE_CALL = re.compile(r"\btrain\.(maybe_)?(shuffle_)?batch(_join)?\b|_input_producer\b|\bmin_after_dequeue\b")


def kept_remainder(source: Source) -> Iterator[Finding]:
    """One finding for each such call."""
    found = [
        chain[-1]
        for chain in source.once(chains)
        if method(chain[-1]) == "batch" and len(chain) > 1 and is_dataset(source, chain) and _keeps(chain[-1])
    ]
    if found and _comes_from_queues(source):
        told: Set[cst.CSTNode] = set()
        for call in found:
            if call not in told:
                told.add(call)
                yield source.found("QC725", method_name(call), given=source.code(call.args[0]).strip().rstrip(","))


def _keeps(call: cst.Call) -> bool:
    return 0 < len(call.args) < 2 and not call.args[0].star and argument(call, "drop_remainder", 1) is None


def _comes_from_queues(source: Source) -> bool:
    if any(use.row.code == "QC701" for use in source.once(mentions)):
        return True
    return any(map(_QUEUE_CALL.search, source.comments())) or any(
        name.value == "min_after_dequeue" for name in source.every(cst.Name)
    )
