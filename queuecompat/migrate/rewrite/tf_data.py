"""``--to tf-data``: input functions that build a queue pipeline build a ``tf.data.Dataset`` instead.

The pipelines of ``pipelines`` are understood: a producer, perhaps a reader, the program's own statements on a record, a
batcher. Those statements become a function that is mapped, as they are written. A pipeline that is refused is read once
more in its plain form, with its helpers written out. The loops become those of
``as_dataset``; a function that ``--to as-dataset`` has decorated loses its decorator.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
from typing import List

from queuecompat.migrate.rewrite.as_dataset import Pipeline, Replacements, rewritten_as
from queuecompat.migrate.rewrite.pipelines.plain_form import named_like, plain_form, without_unused
from queuecompat.migrate.rewrite.pipelines.reading import Chain
from queuecompat.migrate.rewrite.pipelines.writing import new_function
from queuecompat.migrate.rewrite.refusals import UnsupportedPatternError
from queuecompat.migrate.rewrite.rewritten import ALONE, Rewritten, Surroundings
from queuecompat.migrate.source.parsing import Source, parsed

__all__ = ["as_tf_data", "tf_data"]


def tf_data(source: Source, around: Surroundings = ALONE) -> Rewritten:
    """*source* with its pipelines written as datasets."""
    helpers: List[str] = []
    way = functools.partial(as_tf_data, helpers)
    found = rewritten_as(source, way, "QC744", [], around=around, takes_decorated=True)
    if found.refusal is not None or not helpers:
        return found
    new = parsed(source.file, found.text)
    new.named_elsewhere = source.named_elsewhere
    return dataclasses.replace(found, text=without_unused(new, helpers))


def as_tf_data(helpers: List[str], source: Source, pipeline: Pipeline, tensorflow: str) -> Replacements:
    """The new function, by the one that was there or None; and other functions that change with it.

    Args:
      helpers: gets the names of functions that are parts of the new one.
    """
    try:
        return _written(source, pipeline, tensorflow)
    except UnsupportedPatternError as refusal:
        plain = None if pipeline.function is None else plain_form(source, pipeline.function)
        if plain is None or pipeline.function is None:
            raise
        copy, function, names = plain
        again = Pipeline(function, pipeline.name, list(function.body.body))  # type: ignore[arg-type]
        with contextlib.suppress(UnsupportedPatternError):
            found = _written(copy, again, tensorflow)
            new: Replacements = {pipeline.function: found.pop(function)}
            helpers += names
            return {**{named_like(source, one): made for one, made in found.items() if one is not None}, **new}
        # What the program's author sees is the function as it was.
        raise refusal from None


def _written(source: Source, pipeline: Pipeline, tensorflow: str) -> Replacements:
    chain = Chain(source, tensorflow, pipeline.statements, pipeline.function)
    new = new_function(source, tensorflow, pipeline.name, pipeline.function, chain.parts)
    return {**chain.helpers, pipeline.function: new}
