"""Finds what an input function adds to the graph besides its batch: summaries, variables, members of collections.

A function that returns a dataset has a graph of its own. What it creates there is not saved by the program's Saver, not
written by its ``merge_all()``, and not trained by its optimizer.
"""

from __future__ import annotations

from typing import Iterable, Iterator, Optional, Tuple

import libcst as cst

from queuecompat.migrate.analysis.call_graph import calls_of
from queuecompat.migrate.source.nodes import method
from queuecompat.migrate.source.parsing import Source

__all__ = ["MAKING_VARIABLES", "collected"]

# Prefixes of TensorFlow functions that create such things, and the names by which a program reads them from a graph.
MAKING_VARIABLES = (
    "tf.Variable", "tf.contrib.layers.batch_norm", "tf.contrib.layers.conv", "tf.contrib.layers.embed",
    "tf.contrib.layers.fully_connected", "tf.contrib.rnn.", "tf.contrib.slim.batch_norm", "tf.contrib.slim.conv",
    "tf.contrib.slim.embed", "tf.contrib.slim.fully_connected", "tf.get_local_variable", "tf.get_variable",
    "tf.layers.", "tf.nn.bidirectional_dynamic_rnn", "tf.nn.dynamic_rnn", "tf.nn.static_rnn",
)  # fmt: skip
_KINDS = (
    (("tf.add_to_collection",), {"get_collection", "get_collection_ref"}),
    (("tf.summary.",), {"merge_all", "SUMMARIES"}),
    (("tf.audio_summary", "tf.histogram_summary", "tf.image_summary", "tf.scalar_summary"), {"merge_all_summaries"}),
    (
        MAKING_VARIABLES,
        {
            "Saver", "all_variables", "global_variables", "local_variables", "model_variables", "trainable_variables",
            "compute_gradients", "create_train_op", "minimize", "optimize_loss",
        },
    ),
    (
        (*MAKING_VARIABLES, "tf.contrib.losses.", "tf.losses."),
        {"get_losses", "get_regularization_loss", "get_regularization_losses", "get_total_loss"},
    ),
)  # fmt: skip
_OF_GRAPHS = {"add_to_collection", "add_to_collections"}


def collected(source: Source, function: cst.CSTNode, readers: Iterable[Source]) -> Optional[Tuple[cst.Call, str]]:
    """The first call in code reachable from *function* that adds something which one of *readers* reads from the graph.

    Returns:
      That call, and the name by which it is read; None if there is no such call.
    """
    names = {name for one in readers for name in _names(one)}
    for call in calls_of(source, function):
        symbol = source.names.symbol(call.func)
        if not symbol and method(call) in _OF_GRAPHS:
            symbol = "tf.add_to_collection"
        for makers, asking in _KINDS:
            found = sorted(asking & names) if symbol.startswith(makers) else []
            if found:
                return call, found[0]
    return None


def _names(source: Source) -> Iterator[str]:
    """All names after a dot in *source*, and all names that it imports."""
    yield from (one.attr.value for one in source.every(cst.Attribute))
    yield from (one.name.value for one in source.every(cst.ImportAlias) if isinstance(one.name, cst.Name))
