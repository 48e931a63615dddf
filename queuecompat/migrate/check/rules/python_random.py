"""Finds ``np.random`` or ``random`` in a function that is mapped over a dataset: it runs only once, during tracing."""

from __future__ import annotations

from typing import Iterator, Set

import libcst as cst

from queuecompat.migrate.analysis.datasets import Function, chains, function_of, is_dataset, random_calls
from queuecompat.migrate.findings import Finding
from queuecompat.migrate.source.nodes import argument, every, method
from queuecompat.migrate.source.parsing import Source

__all__ = ["python_random"]

_MAPPING = {"filter", "flat_map", "interleave", "map"}


def python_random(source: Source) -> Iterator[Finding]:
    """One finding for each random call in such a function."""
    reported: Set[cst.CSTNode] = set()
    for chain in source.once(chains):
        last = chain[-1]
        function = function_of(source, argument(last, "map_func", 0)) if method(last) in _MAPPING else None
        if function is None or not (is_dataset(source, chain) or _uses_tensorflow(source, function)):
            continue
        for call in random_calls(source, function, python_only=True):
            if call not in reported:
                reported.add(call)
                name = function.name.value if isinstance(function, cst.FunctionDef) else "lambda"
                yield source.found("QC721", call, call=source.code(call.func), function=name)


def _uses_tensorflow(source: Source, function: Function) -> bool:
    return any(source.names.symbol(call.func) for call in every(function, cst.Call))
