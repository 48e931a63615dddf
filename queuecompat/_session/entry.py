"""Checks that every function of the TF1-named surface makes first: is there a graph, and can it still grow?"""

from __future__ import annotations

from typing import Any, Type

import tensorflow as tf

from queuecompat._plan.registry import Pipelines
from queuecompat._session import attending  # noqa: F401  by which sessions run what is captured
from queuecompat.errors import QueueCompatError, QueueCompatRuntimeError, error

__all__ = ["pipelines_of", "require_graph", "require_some"]


def pipelines_of(graph: tf.Graph) -> Pipelines:
    """The ``Pipelines`` of *graph*. Their back end is a session's, unless the graph is being traced for a dataset."""
    return Pipelines.of(graph)


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


def require_some(values: Any, complaint: str) -> None:
    """Repeats TF1's check that a producer's list is not empty, which comes before the check for a graph.

    Raises:
      ValueError: with the message *complaint*, the list is empty (or an array, whose truth value is not defined).
    """
    if values is not None and not isinstance(values, (dict, tf.Tensor, tf.Variable)) and not values:
        raise ValueError(complaint)
