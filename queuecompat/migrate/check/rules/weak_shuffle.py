"""Finds ``.shuffle(min_after_dequeue)``: common advice, but it shuffles less than ``shuffle_batch`` did."""

from __future__ import annotations

import re
from typing import Iterator

import libcst as cst

from queuecompat.migrate.findings import Finding
from queuecompat.migrate.source.nodes import argument, method, method_name
from queuecompat.migrate.source.parsing import Source

__all__ = ["weak_shuffle"]

# The names that tutorials used: min_after_dequeue, min_queue_examples, min_fraction_of_examples_in_queue.
_MINIMUM = re.compile(r"(^|\W|_)min_(after_dequeue|(num_)?(queue_)?examples|queue_\w+|fraction_of_examples_in_queue)\b")


def weak_shuffle(source: Source) -> Iterator[Finding]:
    """One finding for each buffer size that is the minimum alone; a sum with the minimum is a capacity."""
    for call in source.every(cst.Call):
        size = argument(call, "buffer_size", 0) if method(call) == "shuffle" else None
        if isinstance(size, (cst.Attribute, cst.Name, cst.Subscript)) and _MINIMUM.search(source.code(size)):
            yield source.found("QC722", method_name(call), given=source.code(size))
