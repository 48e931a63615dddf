"""Tells what an earlier run of ``migrate`` left: files that import ``queuecompat.v1``, and the datasets in them."""

from __future__ import annotations

from typing import Iterator, Optional

import libcst as cst

from queuecompat.migrate.analysis.call_graph import class_of
from queuecompat.migrate.analysis.mentions import Mention, mentions
from queuecompat.migrate.analysis.pipelines import is_in_a_pipeline
from queuecompat.migrate.analysis.program import Place, Program
from queuecompat.migrate.rewrite.input_functions import has_decorated, is_decorated
from queuecompat.migrate.source.parsing import Source

__all__ = ["imports_v1", "is_done", "is_of_queues", "makes_datasets", "serves_sessions"]

_OF_QUEUES = {"QC701", "QC702", "QC704", "QC706"}


def is_done(program: Program, source: Source) -> bool:
    """Whether *source* is of a graph, has no queue left, and a file of its program makes datasets."""
    if not imports_v1(source) or source.batches_elsewhere:
        return False
    if any(is_of_queues(use) and not is_in_a_pipeline(source, use.node) for use in source.once(mentions)):
        return False
    return any(makes_datasets(one) for one in program.sources if one is source or program.are_together(source, one))


def is_of_queues(use: Mention) -> bool:
    """Whether the name is a part of a pipeline."""
    return use.row.code in _OF_QUEUES and not use.is_beside_pipelines


def serves_sessions(program: Program, source: Source) -> Optional[cst.FunctionDef]:
    """The first decorated function of *source* whose tensors a graph-mode file uses, or None."""
    for function in source.every(cst.FunctionDef):
        if is_decorated(source, function):
            users = [source, *(user for user, _ in program.users(Place(source, function)))]
            if class_of(source, function) is not None:
                users += _may_call(program, source, function.name.value)
            if any(imports_v1(one) for one in users):
                return function
    return None


def _may_call(program: Program, source: Source, method: str) -> Iterator[Source]:
    """The files that may call a *method* of a class of *source*: by its name, whatever its object is called."""
    by_itself = method.startswith("__")
    for one in program.importers(source):
        if by_itself or any(part.attr.value == method for part in one.every(cst.Attribute)):
            yield one


def imports_v1(source: Source) -> bool:
    """Whether *source* imports ``queuecompat.v1``, which turns TensorFlow 2 behaviour off."""
    nodes = (one for kind in (cst.Attribute, cst.Name) for one in source.every(kind))
    found = (source.names.tensorflow(one) for one in nodes)
    return any(one is not None and one.spelling == "queuecompat" and one.symbol == "tf" for one in found)


def makes_datasets(source: Source) -> bool:
    return has_decorated(source) or any(
        source.names.symbol(one) == "tf.data.make_one_shot_iterator" for one in source.every(cst.Attribute)
    )
