"""Finds ``.cache()`` after a random step: every later epoch repeats the random numbers of the first."""

from __future__ import annotations

from typing import Iterator

import libcst as cst

from queuecompat.migrate.analysis.datasets import chains, function_of, random_calls
from queuecompat.migrate.findings import Finding
from queuecompat.migrate.source.nodes import argument, method, method_name
from queuecompat.migrate.source.parsing import Source

__all__ = ["cache_of_random"]


def cache_of_random(source: Source) -> Iterator[Finding]:
    """One finding for each ``.cache()`` that follows such a step."""
    for chain in source.once(chains):
        if method(chain[-1]) != "cache":
            continue
        for step in chain[:-1]:
            function = function_of(source, argument(step, "map_func", 0)) if method(step) == "map" else None
            drawn = next(random_calls(source, function, python_only=False), None) if function else None
            if drawn is not None:
                name = function.name.value if isinstance(function, cst.FunctionDef) else "lambda"
                yield source.found("QC724", method_name(chain[-1]), function=name, call=source.code(drawn.func))
                break
