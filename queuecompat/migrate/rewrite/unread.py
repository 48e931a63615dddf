"""Explains why nothing in a file was rewritten, although ``check`` reports parts of pipelines in it."""

from __future__ import annotations

from typing import Optional

import libcst as cst

from queuecompat.migrate.analysis.call_graph import callers
from queuecompat.migrate.analysis.fed_queues import is_fed_queue
from queuecompat.migrate.analysis.mentions import Mention, mentions
from queuecompat.migrate.analysis.pipelines import is_in_a_pipeline
from queuecompat.migrate.analysis.reexports import used_reexports
from queuecompat.migrate.rewrite.imports.eager_imports import reexported_tensorflow, tensorflow_name
from queuecompat.migrate.rewrite.input_functions import batch_functions, runs_session
from queuecompat.migrate.rewrite.refusals import UnsupportedPatternError, refused
from queuecompat.migrate.source.files import path_from
from queuecompat.migrate.source.nodes import every
from queuecompat.migrate.source.parsing import Source

__all__ = ["unnamed_tensorflow", "why_not_rewritten", "why_unread"]

_OF_PIPELINES = {"QC701", "QC702", "QC703", "QC704", "QC705", "QC706"}


def why_unread(source: Source) -> Optional[UnsupportedPatternError]:
    """The obstacle at the first part of a pipeline in *source*; None if it has no such part."""
    uses = (use for use in source.once(mentions) if not use.is_beside_pipelines)
    found = [use for use in uses if _is_reported(source, use)]
    if not found:
        return None
    if tensorflow_name(source) is None:
        return unnamed_tensorflow(source, found[0].node)
    # A call is a better place for the message than an import of its module.
    use = next((one for one in found if source.around(one.node, (cst.Import, cst.ImportFrom)) is None), found[0])
    return why_not_rewritten(source, use)


def why_not_rewritten(source: Source, use: Mention) -> UnsupportedPatternError:
    """The obstacle at *use*, a part of a pipeline."""
    function, kind = source.around(use.node, cst.FunctionDef), source.around(use.node, cst.ClassDef)
    call = source.parents.get(use.node)
    if isinstance(call, cst.Call) and is_fed_queue(source, call):
        return refused("fed-queue", use.node, call=use.written)
    if kind is not None:
        return refused("in-method", use.node, call=use.written, name=kind.name.value)
    if function is None:
        return refused("part-outside", use.node, call=use.written)
    if any(source.names.symbol(one.func) == "tf.contrib.slim.dataset.Dataset" for one in every(function, cst.Call)):
        return refused("slim-dataset", use.node, name=function.name.value)
    is_inner = source.around(function, cst.FunctionDef) is not None
    callers_of_it = [source.around(call, cst.FunctionDef) for call in callers(source, function)]
    caller = next((one for one in callers_of_it if one is not None), None)
    is_of_batch = function in batch_functions(source) and not runs_session(source, function.body.body)
    if caller is not None and is_of_batch:
        name, by = function.name.value, caller.name.value
        return refused("called-without-session", use.node, function=name, caller=by)
    if callers_of_it and not is_inner and is_of_batch:
        return refused("called-at-top-level", use.node, function=function.name.value)
    if not is_inner and is_of_batch:
        return refused("called-by-others", use.node, function=function.name.value)
    key = "in-inner-function" if is_inner else "part-in-function"
    return refused(key, use.node, call=use.written, name=function.name.value)


def unnamed_tensorflow(source: Source, node: cst.CSTNode) -> UnsupportedPatternError:
    """Why *source* has no name of its own for TensorFlow, which *node* uses."""
    brought = [one for _, one in source.once(used_reexports)]
    if not brought:
        if any(source.names.symbol(one) for one in source.every(cst.Name)):
            return refused("names-one-by-one", node)
        return refused("no-tensorflow", node)
    found = reexported_tensorflow(source) or brought[0]
    return refused("re-exported", node, file=path_from(source.file, found.file))


def _is_reported(source: Source, use: Mention) -> bool:
    """Whether ``check`` reports it, outside of input functions that already are datasets and of rewritten imports."""
    if use.row.code not in _OF_PIPELINES or use.meaning.spelling == "queuecompat":
        return False
    # A rewritten file imports names of compat.v1 one by one; each use of them is reported where it stands.
    is_import = source.around(use.node, (cst.Import, cst.ImportFrom)) is not None
    return not (is_import and use.meaning.spelling == "compat") and not is_in_a_pipeline(source, use.node)
