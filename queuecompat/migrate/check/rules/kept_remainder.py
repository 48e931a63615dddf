"""Finds ``.batch(n)`` without ``drop_remainder`` in converted code: ``tf.train.batch`` dropped the last, smaller batch.

A file counts as converted if it still mentions queues: a parameter or variable ``min_after_dequeue``, one of TensorFlow
1's queue calls, or a comment that names such a call. In other files ``.batch(n)`` is right, as it is after
``.repeat()``: an endless dataset has no last batch.
"""

from __future__ import annotations

import re
from typing import Iterator, Set

import libcst as cst

from queuecompat.migrate.analysis.datasets import Chain, chains, is_dataset
from queuecompat.migrate.analysis.mentions import mentions
from queuecompat.migrate.findings import Finding
from queuecompat.migrate.source.nodes import argument, every, method, method_name
from queuecompat.migrate.source.parsing import Source

__all__ = ["kept_remainder"]

_QUEUE_CALL = re.compile(r"\btrain\.(maybe_)?(shuffle_)?batch(_join)?\b|_input_producer\b|\bmin_after_dequeue\b")
# These keep an endless dataset endless.
_ENDLESS_AFTER = {
    "batch", "cache", "enumerate", "filter", "map", "padded_batch", "prefetch", "repeat", "shard", "shuffle", "skip",
    "unbatch", "with_options",
}  # fmt: skip


def kept_remainder(source: Source) -> Iterator[Finding]:
    """One finding for each such call."""
    found = [
        chain[-1]
        for chain in source.once(chains)
        if method(chain[-1]) == "batch"
        and len(chain) > 1
        and is_dataset(source, chain)
        and _keeps(chain[-1])
        and not _is_endless(source, chain)
    ]
    if found and _comes_from_queues(source):
        reported: Set[cst.CSTNode] = set()
        for call in found:
            if call not in reported:
                reported.add(call)
                yield source.found("QC725", method_name(call), given=source.code(call.args[0]).strip().rstrip(","))


def _keeps(call: cst.Call) -> bool:
    return 0 < len(call.args) < 2 and not call.args[0].star and argument(call, "drop_remainder", 1) is None


def _is_endless(source: Source, chain: Chain) -> bool:
    """Whether the input of the last call of *chain* repeats forever, on every path through the program."""
    before = chain[:-1]
    while before and method(before[-1]) in _ENDLESS_AFTER:
        if method(before[-1]) == "repeat" and _repeats_forever(source, before[-1]):
            # The repeat() must be in a block that contains the last call too: one in a block of its own, such as an
            # 'if', may not run.
            block = source.around(before[-1], cst.BaseSuite)
            return block is None or chain[-1] in set(every(block, cst.Call))
        before = before[:-1]
    return False


def _repeats_forever(source: Source, call: cst.Call) -> bool:
    count = argument(call, "count", 0)
    return not call.args or (count is not None and source.code(count).strip() in ("None", "-1"))


def _comes_from_queues(source: Source) -> bool:
    if any(use.row.code == "QC701" for use in source.once(mentions)):
        return True
    return any(map(_QUEUE_CALL.search, source.comments())) or any(
        name.value == "min_after_dequeue" for name in source.every(cst.Name)
    )
