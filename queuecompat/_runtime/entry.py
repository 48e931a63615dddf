"""What every call of the surface does first: is there a graph, and may it still grow?"""

from __future__ import annotations

from typing import Type

import tensorflow as tf

from queuecompat.errors import QueueCompatError, QueueCompatRuntimeError, error

__all__ = ["require_graph"]


def require_graph(call: str, kind: Type[QueueCompatError] = QueueCompatRuntimeError) -> None:
    """Raises unless *call* can build into the current graph.

    Raises:
      kind: QC101, eager execution is on; QC102, a tf.function is being traced.
      QueueCompatRuntimeError: QC302, the graph is finalized (RuntimeError in TF1 too).
    """
    if tf.executing_eagerly():
        raise error(kind, "QC101", call=call)
    if tf.inside_function():
        raise error(kind, "QC102", call=call)
    if tf.compat.v1.get_default_graph().finalized:
        raise error(QueueCompatRuntimeError, "QC302", call=call)
