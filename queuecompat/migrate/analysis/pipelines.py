"""The input functions that are passed to ``queuecompat.as_dataset`` or ``input_pipeline``, and what these call.

Inside them TensorFlow 1's input functions work, even though the rest of the program is eager.
"""

from __future__ import annotations

from typing import Iterator, Optional, Sequence

import libcst as cst

from queuecompat.migrate.analysis.call_graph import class_of, definition, reachable
from queuecompat.migrate.analysis.queue_statements import calls_batcher
from queuecompat.migrate.source.nodes import method
from queuecompat.migrate.source.parsing import Source

__all__ = ["INPUT_PIPELINE", "is_in_a_pipeline", "pipelines"]

INPUT_PIPELINE = "queuecompat.input_pipeline"
_AS_DATASET = "queuecompat.as_dataset"


def pipelines(source: Source) -> Iterator[cst.CSTNode]:
    """These functions, and the functions and classes of this file that they call, directly or indirectly."""
    found = list(reachable(source, *_decorated(source), *_given(source)))
    yield from reachable(source, *found, *_handed_over(source, found))


def is_in_a_pipeline(source: Source, node: cst.CSTNode) -> bool:
    """Whether *node* is inside one of ``pipelines``."""
    inside = source.once(pipelines)
    around: Optional[cst.CSTNode] = node if inside else None
    while around is not None and around not in inside:
        around = source.parents.get(around)
    return around is not None


def _handed_over(source: Source, users: Sequence[cst.CSTNode]) -> Iterator[cst.FunctionDef]:
    """The methods of readers that *users* get as arguments, ``reader.read(queue)``, and those readers' ``__init__``."""
    called = {method(call) for one in users for call in source.every(cst.Call, one)} if users else set()
    methods = [one for one in source.every(cst.FunctionDef) if class_of(source, one) is not None]
    reading = [one for one in methods if one.name.value in called and not calls_batcher(source, one)]
    kinds = {class_of(source, one) for one in reading}
    making = [one for one in methods if one.name.value == "__init__" and class_of(source, one) in kinds]
    yield from (*reading, *(one for one in making if not calls_batcher(source, one)))


def _decorated(source: Source) -> Iterator[cst.CSTNode]:
    for function in source.every(cst.FunctionDef):
        if any(source.names.full(one.decorator) == INPUT_PIPELINE for one in function.decorators):
            yield function


def _given(source: Source) -> Iterator[cst.CSTNode]:
    for call in source.every(cst.Call):
        if source.names.full(call.func) == _AS_DATASET and call.args:
            given = call.args[0].value
            found = given if isinstance(given, cst.Lambda) else definition(source, given)
            if found is not None:
                yield found
