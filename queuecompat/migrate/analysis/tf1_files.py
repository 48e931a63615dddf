"""Which files are TensorFlow 1 code, as far as each shows by itself.

Rule 1: a file is TensorFlow 1 code if ``check`` finds a name in it that TensorFlow 2 lacks or has elsewhere, or if it
        uses one of ``removed_names``.
Rule 2: names that are reached by ``tensorflow.compat.v1`` exist in TensorFlow 2: they count where they build or run a
        graph. Written out, as ``tf.compat.v1.Session``, within a graph that the file makes for it, they do not: there
        TensorFlow 2 runs them as they are, and is eager around them.
Rule 3: in doubt a file is TensorFlow 2 code, and stays byte for byte.
"""

from __future__ import annotations

from typing import Iterator, Optional

import libcst as cst

from queuecompat import api
from queuecompat.migrate.analysis.mentions import Mention, builds_graphs, mentions
from queuecompat.migrate.analysis.pipelines import is_in_a_pipeline
from queuecompat.migrate.analysis.removed_names import removed_name
from queuecompat.migrate.source.nodes import method
from queuecompat.migrate.source.parsing import Source

__all__ = ["PUT_THERE", "needs_tf1_names", "removed_uses", "shows_tf1", "use_of_tensorflow_2"]

# Of tensorflow.compat.v1: what makes its program one of graphs.
_OF_GRAPHS = {
    "tf.InteractiveSession", "tf.Session", "tf.disable_eager_execution", "tf.disable_v2_behavior", "tf.placeholder",
    "tf.train.MonitoredSession", "tf.train.MonitoredTrainingSession", "tf.train.Supervisor",
}  # fmt: skip
# Codes of ``check`` that say something of tf.data, which TensorFlow 2 code uses.
_OF_DATASETS = "QC72"
# What TensorFlow has while an input function becomes a dataset.
PUT_THERE = {"QC701", "QC702", "QC703", "QC704", "QC706"}
_OF_TF1 = {"compiled", "here", "renamed", "tensorflow"}
# Modules whose names some versions of TensorFlow 2 had, and newer ones lost.
_OF_EARLY_TF2 = ("tf.config.", "tf.data.", "tf.keras.", "tf.lite.")
# Methods that only datasets of TensorFlow 1 have.
_ITERATORS = {symbol for symbol, row in api.table().items() if row.code == "QC710"}


def shows_tf1(source: Source) -> bool:
    """Whether *source* is TensorFlow 1 code by the names in it."""
    return source.once(_answers)[0]


def use_of_tensorflow_2(source: Source) -> Optional[Mention]:
    """The first name of TensorFlow 2 in a file that does not ask for graphs; None if there is none."""
    if builds_graphs(source):
        return None
    of_eager_mode = (use for use in source.once(mentions) if use.row.status == "eager")
    return next((use for use in of_eager_mode if use.meaning.spelling == "tensorflow"), None)


def removed_uses(source: Source) -> Iterator[cst.CSTNode]:
    """Where *source* uses a name of ``removed_names``."""
    for node in source.parents:
        if isinstance(node, (cst.Attribute, cst.Name)) and not isinstance(source.parents.get(node), cst.Attribute):
            found = source.names.tensorflow(node)
            if found is None or not removed_name(found.symbol):
                continue
            if found.spelling != "compat" or (found.symbol in _OF_GRAPHS and not _is_in_own_graph(source, node)):
                yield node


def _is_in_own_graph(source: Source, node: cst.CSTNode) -> bool:
    """Whether *node* is a name written out, in a block such as ``with tf.Graph().as_default()``."""
    block = source.around(node, cst.With) if ".compat.v1." in source.code(node) else None
    while block is not None:
        calls = (call for item in block.items for call in source.every(cst.Call, item))
        if any(method(call) == "as_default" for call in calls):
            return True
        block = source.around(block, cst.With)
    return False


def needs_tf1_names(source: Source) -> bool:
    """Whether *source* takes names of TensorFlow 1 from ``tensorflow`` itself, or from ``queuecompat.v1``.

    So does a file that others take them from.
    """
    if source.is_reexported:
        return True
    plain = ("queuecompat", "tensorflow")
    if any(use.meaning.spelling in plain and use.row.status in _OF_TF1 for use in source.once(mentions)):
        return True
    found = (source.names.tensorflow(node) for node in source.every(cst.Attribute))
    if any(one.spelling == "queuecompat" for one in found if one is not None):
        return True
    return any(_spelling(source, node) == "tensorflow" for node in source.once(removed_uses))


def _spelling(source: Source, node: cst.CSTNode) -> str:
    found = source.names.tensorflow(node)
    return found.spelling if found is not None else ""


def _answers(source: Source) -> Iterator[bool]:
    if any(_counts(source, use) for use in source.once(mentions)) or any(
        f"tf.data.{method(call)}" in _ITERATORS for call in source.every(cst.Call)
    ):
        yield True
    else:
        yield bool(source.once(removed_uses))


def _counts(source: Source, use: Mention) -> bool:
    """Whether a mention shows TensorFlow 1 code.

    Names that some versions of TensorFlow 2 have do not, nor those that compat.v1 only keeps under their old name.
    """
    code = use.row.code
    if not code or code.startswith(_OF_DATASETS) or (code == "QC708" and use.meaning.spelling == "compat"):
        return False
    if use.row.status == "gone" and use.row.symbol.startswith(_OF_EARLY_TF2):
        return False
    return not use.row.is_of_package and not (code in PUT_THERE and is_in_a_pipeline(source, use.node))
