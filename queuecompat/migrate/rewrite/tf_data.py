"""``--to tf-data``: input functions that build a queue pipeline build a ``tf.data.Dataset`` instead.

``pipelines`` defines what is understood: a producer, optionally a reader, the program's own statements on a record, and
a batcher. These statements become, unchanged, a function that is mapped over the dataset. If a pipeline is refused, it
is tried once more in its plain form, with its helpers inlined. Loops are rewritten as in ``as_dataset``. A function
that ``--to as-dataset`` has decorated loses its decorator, and the file loses the import for it.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import itertools
from typing import List, Optional

import libcst as cst

from queuecompat.migrate.analysis.attributes import is_named_elsewhere
from queuecompat.migrate.rewrite.as_dataset import Pipeline, Replacements, rewritten_as
from queuecompat.migrate.rewrite.input_functions import has_decorated
from queuecompat.migrate.rewrite.pipelines.plain_form import PlainForm, named_like, plain_form, without_unused
from queuecompat.migrate.rewrite.pipelines.reading import Chain
from queuecompat.migrate.rewrite.pipelines.writing import new_function
from queuecompat.migrate.rewrite.refusals import UnsupportedPatternError
from queuecompat.migrate.rewrite.rewritten import ALONE, Rewritten, Surroundings
from queuecompat.migrate.source.parsing import Source

__all__ = ["as_tf_data", "in_plain_form", "tf_data"]

# Refusals of what the plain form is mostly without: a block, calls of helpers, a variable of the name "dataset".
_NOT_IN_PLAIN_FORM = {"helper-not-plain", "name-dataset", "pipeline-in-block"}


def tf_data(source: Source, around: Surroundings = ALONE) -> Rewritten:
    """Rewrites *source* with its pipelines written as datasets."""
    helpers: List[str] = []
    way = functools.partial(as_tf_data, helpers)
    found = rewritten_as(source, way, "QC744", [], around=around, takes_decorated=True)
    if found.refusal is not None:
        return found
    text = found.text
    if helpers:
        text = without_unused(source.again(text), helpers)
    was_decorated = has_decorated(source)
    if was_decorated and not is_named_elsewhere(source, "queuecompat"):
        text = _without_import(source.again(text))
    return dataclasses.replace(found, text=text)


def _without_import(source: Source) -> str:
    """The text of *source* without the import that only decorators needed."""
    lines = source.text.splitlines(keepends=True)
    imports = [number for number, line in enumerate(lines) if line.rstrip() == "import queuecompat"]
    is_used = sum(one.value == "queuecompat" for one in source.every(cst.Name)) > 1
    if len(imports) != 1 or is_used:
        return source.text
    above, below = lines[: imports[0]], lines[imports[0] + 1 :]
    if not above or not above[-1].strip():
        below = list(itertools.dropwhile(str.isspace, below))  # the blank lines after the import
    return "".join([*above, *below])


def as_tf_data(helpers: List[str], source: Source, pipeline: Pipeline, tensorflow: str) -> Replacements:
    """Rewrites one input function; returns it and the helpers that change with it, each mapped to its new form.

    Args:
      helpers: receives the names of functions that were inlined.
    """
    try:
        return _written(source, pipeline, tensorflow)
    except UnsupportedPatternError as refusal:
        plain = _plain_form(source, pipeline)
        if plain is None:
            raise
        try:
            return _written_plainly(helpers, source, pipeline, plain, tensorflow)
        except UnsupportedPatternError as inner:
            if refusal.row.key in _NOT_IN_PLAIN_FORM and inner.reason != refusal.reason:
                # The plain form is without it, so it is no obstacle.
                raise inner.at(refusal.node) from None
            # The message shows the function as the user wrote it.
            raise refusal from None


def in_plain_form(helpers: List[str], source: Source, pipeline: Pipeline, tensorflow: str) -> Optional[Replacements]:
    """As ``as_tf_data``, with the function's helpers inlined; None if that is not possible."""
    plain = _plain_form(source, pipeline)
    if plain is not None:
        with contextlib.suppress(UnsupportedPatternError):
            return _written_plainly(helpers, source, pipeline, plain, tensorflow)
    return None


def _plain_form(source: Source, pipeline: Pipeline) -> Optional[PlainForm]:
    return None if pipeline.function is None else plain_form(source, pipeline.function, in_graph=pipeline.in_graph)


def _written_plainly(
    helpers: List[str], source: Source, pipeline: Pipeline, plain: PlainForm, tensorflow: str
) -> Replacements:
    copy, function, names = plain
    again = dataclasses.replace(pipeline, function=function, statements=list(function.body.body))  # type: ignore[arg-type]
    found = _written(copy, again, tensorflow)
    new: Replacements = {pipeline.function: found.pop(function)}
    helpers += names
    return {**{named_like(source, one): made for one, made in found.items() if one is not None}, **new}


def _written(source: Source, pipeline: Pipeline, tensorflow: str) -> Replacements:
    chain = Chain(source, tensorflow, pipeline.statements, pipeline.function, in_graph=pipeline.in_graph)
    new = new_function(source, tensorflow, pipeline.name, pipeline.function, chain.parts, in_graph=pipeline.in_graph)
    return {**chain.helpers, pipeline.function: new}
