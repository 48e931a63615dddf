"""Finds ``from_tensor_slices([images, labels])``: a list becomes one stacked tensor, where a pair was meant.

A list of file names is legitimate; a list is therefore reported only if one of its elements is named like a target.
"""

from __future__ import annotations

import re
from typing import Iterator

import libcst as cst

from queuecompat.migrate.analysis.mentions import dotted_name
from queuecompat.migrate.findings import Finding
from queuecompat.migrate.source.nodes import argument
from queuecompat.migrate.source.parsing import Source

__all__ = ["stacked_list"]

_TARGET = re.compile(r"(^|_)(y|ys|labels?|targets?|masks?|classes|annotations?|lengths?)(_|\d|$)")
_FILE = re.compile(r"file|path|pattern|dir(_|$)|fname|records?(_|$)")


def stacked_list(source: Source) -> Iterator[Finding]:
    """One finding for each such call."""
    for call in source.every(cst.Call):
        if source.names.symbol(call.func) in ("tf.data.Dataset.from_tensor_slices", "tf.data.Dataset.from_tensors"):
            given = argument(call, "tensors", 0)
            if isinstance(given, cst.List) and _is_pair(given):
                inside = source.code(given)[1:-1].strip().rstrip(",")
                yield source.found("QC723", call, call=source.code(call.func), given=f"[{inside}]", tuple=f"({inside})")


def _is_pair(given: cst.List) -> bool:
    names = [dotted_name(element.value).rpartition(".")[2].lower() for element in given.elements]
    return len(names) > 1 and any(map(_TARGET.search, names)) and not any(map(_FILE.search, names))
