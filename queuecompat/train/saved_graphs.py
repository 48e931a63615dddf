"""Graphs with pipelines out of files."""

from __future__ import annotations

from typing import Any, Optional

import tensorflow as tf

from queuecompat._native.reference import native
from queuecompat._runtime.entry import pipelines_of
from queuecompat._runtime.imported import recognise_imported

__all__ = ["import_meta_graph"]


def import_meta_graph(
    meta_graph_or_file: Any, clear_devices: bool = False, import_scope: Optional[str] = None, **kwargs: Any
) -> Optional[tf.compat.v1.train.Saver]:
    """Puts a saved graph into the current one. Its compiled pipelines are started as those that are built here.

    Args:
      meta_graph_or_file: a ``MetaGraphDef``, or the name of the file of one.
      clear_devices: whether ops forget their devices.
      import_scope: name scope of the ops.
      kwargs: as for ``tf.compat.v1.train.import_meta_graph``.
    Returns:
      A saver of its variables; None if it has none.
    Raises:
      RuntimeError: eager execution is on.
      tf.errors.OpError: no such file.
    Differs from TF1: a NumPy array over 1 MB of a compiled pipeline is not in the file (QC308, at the start).
    Source: TF 1.15.5 ``python/training/saver.py``.
    """
    saver = native("import_meta_graph", meta_graph_or_file, clear_devices, import_scope, **kwargs)
    graph = tf.compat.v1.get_default_graph()
    if recognise_imported(graph):
        pipelines_of(graph)  # which learn of their ends and errors
    return saver
