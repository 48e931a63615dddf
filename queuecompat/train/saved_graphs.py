"""``import_meta_graph``: loads graphs with pipelines from files."""

from __future__ import annotations

from typing import Any, Optional

import tensorflow as tf

from queuecompat._native.reference import native
from queuecompat._session.entry import pipelines_of
from queuecompat._session.starting.imported import recognise_imported

__all__ = ["import_meta_graph"]


def import_meta_graph(
    meta_graph_or_file: Any, clear_devices: bool = False, import_scope: Optional[str] = None, **kwargs: Any
) -> Optional[tf.compat.v1.train.Saver]:
    """Imports a saved graph into the current graph. Its compiled pipelines are started like those that are built here.

    Args:
      meta_graph_or_file: a ``MetaGraphDef``, or the name of a file that contains one.
      clear_devices: whether to remove the devices of the ops.
      import_scope: name scope of the ops.
      kwargs: as ``tf.compat.v1.train.import_meta_graph``.
    Returns:
      A saver of its variables; None if there are no variables.
    Raises:
      RuntimeError: eager execution is on.
      tf.errors.OpError: the file does not exist.
    Differs from TF1: A NumPy array over 1 MB of a compiled pipeline is not in the file: starting the pipeline raises
      QC308.
    Source: TF 1.15.5 ``python/training/saver.py``.
    """
    saver = native("import_meta_graph", meta_graph_or_file, clear_devices, import_scope, **kwargs)
    graph = tf.compat.v1.get_default_graph()
    if recognise_imported(graph):
        pipelines_of(graph)  # so that ends and errors of its pipelines are reported
    return saver
