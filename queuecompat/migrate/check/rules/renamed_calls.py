"""Finds queue calls under their ``tensorflow.compat.v1`` names, which is what ``tf_upgrade_v2`` produces.

The name exists, but the call raises an error because eager execution is on (QC711). In a file that turns eager
execution off, or builds a graph of its own, the call works on TensorFlow's own queues (QC712).
"""

from __future__ import annotations

from typing import Iterator

from queuecompat.migrate.analysis.mentions import builds_graphs, entry_points_and_advice, mentions
from queuecompat.migrate.analysis.pipelines import is_in_a_pipeline
from queuecompat.migrate.check.rules.names_of_tf1 import is_in_compat_v1
from queuecompat.migrate.findings import Finding
from queuecompat.migrate.source.parsing import Source

__all__ = ["renamed_calls"]

_NEED_A_GRAPH = ("QC701", "QC702", "QC703", "QC705")


def renamed_calls(source: Source) -> Iterator[Finding]:
    """One finding for each mention."""
    raising = [
        use
        for use in source.once(mentions)
        if use.meaning.spelling in ("compat", "private")
        and use.row.code in _NEED_A_GRAPH
        and is_in_compat_v1(use)
        and not is_in_a_pipeline(source, use.node)
    ]
    if raising:
        code = "QC712" if builds_graphs(source) else "QC711"
        for use in raising:
            entry_points, advice = entry_points_and_advice(use.row)
            yield source.found(code, use.node, call=use.written, entry_points=entry_points, advice=advice)
