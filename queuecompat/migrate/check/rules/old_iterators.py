"""Finds methods of TensorFlow 1's datasets that create iterators for a session."""

from __future__ import annotations

from typing import Iterator

import libcst as cst

from queuecompat import api
from queuecompat.migrate.analysis.mentions import entry_points_and_advice
from queuecompat.migrate.findings import Finding
from queuecompat.migrate.source.nodes import method, method_name
from queuecompat.migrate.source.parsing import Source

__all__ = ["old_iterators"]


def old_iterators(source: Source) -> Iterator[Finding]:
    """One finding for each call of such a method on any object, because no other class has methods of these names."""
    for call in source.every(cst.Call):
        row = api.table().get(f"tf.data.{method(call)}")
        if row and row.code == "QC710" and source.names.full(call.func) is None and _is_of_tensorflow_2(source, call):
            entry_points, advice = entry_points_and_advice(row)
            yield source.found(
                "QC710", method_name(call), call=f".{method(call)}()", entry_points=entry_points, advice=advice
            )


def _is_of_tensorflow_2(source: Source, call: cst.Call) -> bool:
    """Whether the dataset is TensorFlow 2's; those of ``compat.v1`` and ``queuecompat.v1`` have the method."""
    first: cst.BaseExpression = call
    while isinstance(first, cst.Call) and isinstance(first.func, cst.Attribute):
        found = source.names.tensorflow(first.func)
        if found is not None:
            return found.spelling == "tensorflow"
        first = first.func.value
    modules = {found.spelling for found in map(source.names.tensorflow, source.every(cst.Name)) if found}
    return "tensorflow" in modules
