"""``--to tf-data``: input functions that build a queue pipeline build a ``tf.data.Dataset`` instead.

The pipelines of ``pipelines`` are understood: a producer, perhaps a reader, the program's own statements on a record, a
batcher. Those statements become a function that is mapped, as they are written. A pipeline that is refused is read once
more in its plain form, with its helpers written out. The loops become those of
``as_dataset``; a function that ``--to as-dataset`` has decorated loses its decorator, and the file the import for it.
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
from queuecompat.migrate.rewrite.pipelines.plain_form import named_like, plain_form, without_unused
from queuecompat.migrate.rewrite.pipelines.reading import Chain
from queuecompat.migrate.rewrite.pipelines.writing import new_function
from queuecompat.migrate.rewrite.refusals import UnsupportedPatternError
from queuecompat.migrate.rewrite.rewritten import ALONE, Rewritten, Surroundings
from queuecompat.migrate.source.parsing import Source

__all__ = ["as_tf_data", "in_plain_form", "tf_data"]


def tf_data(source: Source, around: Surroundings = ALONE) -> Rewritten:
    """*source* with its pipelines written as datasets."""
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
        below = list(itertools.dropwhile(str.isspace, below))  # the blank lines that set it apart
    return "".join([*above, *below])


def as_tf_data(helpers: List[str], source: Source, pipeline: Pipeline, tensorflow: str) -> Replacements:
    """The new function, by the one that was there or None; and other functions that change with it.

    Args:
      helpers: gets the names of functions that are parts of the new one.
    """
    try:
        return _written(source, pipeline, tensorflow)
    except UnsupportedPatternError as refusal:
        found = in_plain_form(helpers, source, pipeline, tensorflow)
        if found is None:
            # What the program's author sees is the function as it was.
            raise refusal from None
        return found


def in_plain_form(helpers: List[str], source: Source, pipeline: Pipeline, tensorflow: str) -> Optional[Replacements]:
    """The same, with the helpers of the function written out in it; None where that cannot be."""
    plain = None if pipeline.function is None else plain_form(source, pipeline.function)
    if plain is None or pipeline.function is None:
        return None
    copy, function, names = plain
    again = Pipeline(function, pipeline.name, list(function.body.body))  # type: ignore[arg-type]
    with contextlib.suppress(UnsupportedPatternError):
        found = _written(copy, again, tensorflow)
        new: Replacements = {pipeline.function: found.pop(function)}
        helpers += names
        return {**{named_like(source, one): made for one, made in found.items() if one is not None}, **new}
    return None


def _written(source: Source, pipeline: Pipeline, tensorflow: str) -> Replacements:
    chain = Chain(source, tensorflow, pipeline.statements, pipeline.function)
    new = new_function(source, tensorflow, pipeline.name, pipeline.function, chain.parts)
    return {**chain.helpers, pipeline.function: new}
