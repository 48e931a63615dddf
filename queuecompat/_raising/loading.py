"""Imports a part of a saved graph into a graph of this process, with values in place of some of its tensors."""

from __future__ import annotations

from typing import Any, List, Mapping, Sequence

import tensorflow as tf

from queuecompat._native.deprecations import without_queue_deprecations
from queuecompat._raising.names import not_found
from queuecompat._raising.saved_graphs import SavedGraph, malformed
from queuecompat.errors import QueueCompatValueError, error

__all__ = ["load"]


def load(graph: SavedGraph, part: Any, fetches: Sequence[str], values: Mapping[str, Any]) -> List[tf.Tensor]:
    """Imports *part* of *graph* into the current graph, which is empty.

    Args:
      part: a ``MetaGraphDef``; see ``needed``.
      fetches: the full names of the tensors to return.
      values: arrays that replace tensors, by the tensors' full names.
    Returns:
      The tensors named *fetches*.
    Raises:
      QueueCompatValueError: QC517, the graph is inconsistent; QC518, an op has fewer outputs than a name says; QC519,
        this TensorFlow does not have an op.
    """
    given = {name: tf.constant(value, name="queuecompat_fed") for name, value in values.items()}
    asked_for = {name if ":" in name else f"{name}:0" for node in part.graph_def.node for name in node.input}
    used = {name: fed for name, fed in given.items() if name in asked_for}
    try:
        with without_queue_deprecations():
            tf.compat.v1.train.import_meta_graph(part, input_map=used)
    except (tf.errors.OpError, KeyError, TypeError, ValueError) as problem:
        raise _cannot_load(graph, part.graph_def, problem) from problem
    return [given[name] if name in given else _tensor(graph, name) for name in fetches]


def _cannot_load(graph: SavedGraph, graph_def: Any, problem: Exception) -> Exception:
    called = [node for function in graph_def.library.function for node in function.node_def]
    functions = {function.signature.name for function in graph_def.library.function}
    for node in [*graph_def.node, *called]:
        if not hasattr(tf.raw_ops, node.op) and node.op not in functions and node.op in str(problem):
            return error(QueueCompatValueError, "QC519", op=node.name, op_type=node.op)
    return malformed(graph.path, f"TensorFlow {tf.__version__} does not accept it ({problem})")


def _tensor(graph: SavedGraph, name: str) -> tf.Tensor:
    op_name, _, number = name.partition(":")
    outputs = tf.compat.v1.get_default_graph().get_operation_by_name(op_name).outputs
    if int(number) >= len(outputs):
        raise not_found(graph, name, "fetches")
    return outputs[int(number)]
