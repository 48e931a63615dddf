"""Finds names that TensorFlow 2 lacks or has renamed: every name with a code in the table ``queuecompat.api``.

It leaves to ``renamed_calls`` the names that are reached through ``tensorflow.compat.v1`` and still exist there. It
ignores a removed name if the program tests for it first (``guards``). Under ``queuecompat.v1`` only removed names are
reported. Of ``tf.estimator`` the names below the module are reported, because queuecompat may have some of them.
"""

from __future__ import annotations

from typing import Dict, Iterator

from queuecompat.migrate.analysis.guards import is_guarded
from queuecompat.migrate.analysis.mentions import Mention, entry_points_and_advice, mentions
from queuecompat.migrate.analysis.pipelines import is_in_a_pipeline
from queuecompat.migrate.analysis.tf1_files import PUT_THERE
from queuecompat.migrate.findings import Finding
from queuecompat.migrate.source.parsing import Source

__all__ = ["is_in_compat_v1", "names_of_tf1"]


def names_of_tf1(source: Source) -> Iterator[Finding]:
    """One finding for each mention; all mentions of estimators, which are not part of the input, share one finding."""
    of_estimators: Dict[str, Mention] = {}
    for use in source.once(mentions):
        is_put_there = use.row.code in PUT_THERE and is_in_a_pipeline(source, use.node)
        if use.row.code and _is_found(use) and not is_put_there and not _is_left_out(source, use):
            if use.is_of_package:
                of_estimators.setdefault(use.meaning.symbol, use)
            else:
                yield _finding(source, use)
    if of_estimators:
        first, *others = of_estimators.values()
        yield _finding(source, first, more=f" and {len(others)} more" if others else "")


def _is_left_out(source: Source, use: Mention) -> bool:
    """Whether the program handles the absence of a removed name."""
    return use.row.status == "gone" and is_guarded(source, use.node, use.meaning.symbol)


def _finding(source: Source, use: Mention, more: str = "") -> Finding:
    entry_points, advice = entry_points_and_advice(use.row)
    words = dict(call=use.written, more=more, entry_points=entry_points, advice=advice)
    return source.found(use.row.code, use.node, **words)


def is_in_compat_v1(use: Mention) -> bool:
    """Whether ``tensorflow.compat.v1`` has the name in every version of TensorFlow 2."""
    return use.row.status in ("compiled", "tensorflow") and use.row.code not in ("QC706", "QC709")


def _is_found(use: Mention) -> bool:
    if use.meaning.spelling == "queuecompat":
        return use.row.status == "gone"
    if use.row.is_of_package:
        return use.is_of_package
    if use.meaning.spelling in ("compat", "private"):
        return use.row.code == "QC704" or not is_in_compat_v1(use)
    return True
