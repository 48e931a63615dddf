"""Decides whether a file is TensorFlow 1 code, from the file alone.

Rule 1: a file is TensorFlow 1 code if ``check`` finds a name in it that TensorFlow 2 lacks or has renamed, or if it
        uses one of ``removed_names``.
Rule 2: names reached through ``tensorflow.compat.v1`` exist in TensorFlow 2; they count only if they build or run a
        graph. They do not count if they are written out, as ``tf.compat.v1.Session``, inside a graph that the file
        creates: TensorFlow 2 runs that code unchanged, and the code around it is eager.
Rule 3: in doubt a file is TensorFlow 2 code, and stays unchanged byte for byte.
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

# Names of tensorflow.compat.v1 that put a program into graph mode.
_OF_GRAPHS = {
    "tf.InteractiveSession", "tf.Session", "tf.disable_eager_execution", "tf.disable_v2_behavior", "tf.placeholder",
    "tf.train.MonitoredSession", "tf.train.MonitoredTrainingSession", "tf.train.Supervisor",
}  # fmt: skip
# The prefix of codes about tf.data, which TensorFlow 2 code uses too.
_OF_DATASETS = "QC72"
# Codes of names that exist in TensorFlow while an input function is converted to a dataset.
PUT_THERE = {"QC701", "QC702", "QC703", "QC704", "QC706"}
_OF_TF1 = {"compiled", "here", "renamed", "tensorflow"}
# Modules that lost names in newer versions of TensorFlow 2.
_OF_EARLY_TF2 = ("tf.config.", "tf.data.", "tf.keras.", "tf.lite.")
# Methods that only TensorFlow 1's datasets have.
_ITERATORS = {symbol for symbol, row in api.table().items() if row.code == "QC710"}


def shows_tf1(source: Source) -> bool:
    """Whether *source* is TensorFlow 1 code by the names in it."""
    return source.once(_answers)[0]


def use_of_tensorflow_2(source: Source) -> Optional[Mention]:
    """The first name of TensorFlow 2 in a file that does not use graph mode; None if there is none."""
    if builds_graphs(source):
        return None
    of_eager_mode = (use for use in source.once(mentions) if use.row.status == "eager")
    return next((use for use in of_eager_mode if use.meaning.spelling == "tensorflow"), None)


def removed_uses(source: Source) -> Iterator[cst.CSTNode]:
    """The nodes in *source* that use a name of ``removed_names``."""
    for node in source.parents:
        if isinstance(node, (cst.Attribute, cst.Name)) and not isinstance(source.parents.get(node), cst.Attribute):
            found = source.names.tensorflow(node)
            if found is None or not removed_name(found.symbol):
                continue
            if found.spelling != "compat" or (found.symbol in _OF_GRAPHS and not _is_in_own_graph(source, node)):
                yield node


def _is_in_own_graph(source: Source, node: cst.CSTNode) -> bool:
    """Whether *node* is written out in full, inside a block such as ``with tf.Graph().as_default()``."""
    block = source.around(node, cst.With) if ".compat.v1." in source.code(node) else None
    while block is not None:
        calls = (call for item in block.items for call in source.every(cst.Call, item))
        if any(method(call) == "as_default" for call in calls):
            return True
        block = source.around(block, cst.With)
    return False


def needs_tf1_names(source: Source) -> bool:
    """Whether *source* takes names of TensorFlow 1 from ``tensorflow`` itself or from ``queuecompat.v1``.

    A file that re-exports such names to another file does so too.
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
    """Whether a mention is evidence of TensorFlow 1 code.

    Names that some versions of TensorFlow 2 have are not, nor names that compat.v1 merely keeps under their old
    spelling.
    """
    code = use.row.code
    if not code or code.startswith(_OF_DATASETS) or (code == "QC708" and use.meaning.spelling == "compat"):
        return False
    if use.row.status == "gone" and use.row.symbol.startswith(_OF_EARLY_TF2):
        return False
    return not use.row.is_of_package and not (code in PUT_THERE and is_in_a_pipeline(source, use.node))
