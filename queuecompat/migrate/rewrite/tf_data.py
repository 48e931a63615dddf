"""``--to tf-data``: input functions that build a queue pipeline build a ``tf.data.Dataset`` instead.

The pipelines of ``pipelines`` are understood: a producer, perhaps a reader, the program's own statements on a record, a
batcher. Those statements become a function that is mapped, as they are written. The loops become those of
``as_dataset``; a function that ``--to as-dataset`` has decorated loses its decorator.
"""

from __future__ import annotations

from queuecompat.migrate.rewrite.as_dataset import Pipeline, Replacements, rewritten_as
from queuecompat.migrate.rewrite.pipelines.reading import Chain
from queuecompat.migrate.rewrite.pipelines.writing import new_function
from queuecompat.migrate.rewrite.rewritten import Rewritten
from queuecompat.migrate.source.parsing import Source

__all__ = ["tf_data"]


def tf_data(source: Source) -> Rewritten:
    """*source* with its pipelines written as datasets."""
    return rewritten_as(source, _as_tf_data, "QC744", [], takes_decorated=True)


def _as_tf_data(source: Source, pipeline: Pipeline, tensorflow: str) -> Replacements:
    """The new function, by the one that was there or None; and other functions that change with it."""
    chain = Chain(source, tensorflow, pipeline.statements, pipeline.function)
    new = new_function(source, tensorflow, pipeline.name, pipeline.function, chain.parts)
    return {**chain.helpers, pipeline.function: new}
