"""Lists of ops and tensors, and the ops that produce and consume tensors.

Source: TF 1.15.5 ``contrib/graph_editor/util.py``.
"""

from __future__ import annotations

from typing import Any, Dict, Iterable, List, Type, TypeVar

import tensorflow.compat.v1 as tf

from queuecompat.plurals import type_of

__all__ = [
    "ControlOutputs",
    "get_consuming_ops",
    "get_generating_ops",
    "get_tensors",
    "make_list_of_op",
    "make_list_of_t",
]

_Node = TypeVar("_Node", tf.Operation, tf.Tensor)


class ControlOutputs:
    """Maps each op of *graph*, as the graph is now, to the ops that have it as a control input.

    Raises:
      TypeError: *graph* is not a graph.
    """

    def __init__(self, graph: tf.Graph) -> None:
        self._graph = _graph(graph)
        self.update()

    def update(self) -> ControlOutputs:
        """Reads the graph again; returns itself."""
        self._outputs: Dict[tf.Operation, List[tf.Operation]] = {}
        for op in self._graph.get_operations():
            for control in op.control_inputs:
                self._outputs.setdefault(control, []).append(op)
        return self

    def get(self, op: tf.Operation) -> List[tf.Operation]:
        """Returns the ops that have *op* as a control input."""
        return list(self._outputs.get(op, ()))

    def get_all(self) -> Dict[tf.Operation, List[tf.Operation]]:
        """Returns the whole mapping."""
        return self._outputs

    @property
    def graph(self) -> tf.Graph:
        """The graph."""
        return self._graph


def make_list_of_op(
    ops: Any, check_graph: bool = True, allow_graph: bool = True, ignore_ts: bool = False
) -> List[tf.Operation]:
    """Returns *ops* as a list.

    Args:
      ops: an op, several ops, or a graph, which stands for all of its ops.
      check_graph: whether all ops have to be in the same graph.
      allow_graph: whether a graph is accepted.
      ignore_ts: whether to leave out tensors; otherwise they are an error.
    Raises:
      TypeError: *ops* contains something else.
      ValueError: the ops are in several graphs.
    """
    if isinstance(ops, tf.Graph):
        return _all_of(ops, allow_graph).get_operations()
    return _listed(ops, tf.Operation, tf.Tensor if ignore_ts else None, check_graph)


def make_list_of_t(
    ts: Any, check_graph: bool = True, allow_graph: bool = True, ignore_ops: bool = False
) -> List[tf.Tensor]:
    """Returns *ts* as a list.

    Args:
      ts: a tensor, several tensors, or a graph, which stands for all outputs of its ops.
      check_graph: whether all tensors have to be in the same graph.
      allow_graph: whether a graph is accepted.
      ignore_ops: whether to leave out ops; otherwise they are an error.
    Raises:
      TypeError: *ts* contains something else.
      ValueError: the tensors are in several graphs.
    """
    if isinstance(ts, tf.Graph):
        return get_tensors(_all_of(ts, allow_graph))
    return _listed(ts, tf.Tensor, tf.Operation if ignore_ops else None, check_graph)


def get_tensors(graph: tf.Graph) -> List[tf.Tensor]:
    """Returns all tensors of *graph*, in the order of its ops. TypeError: it is not a graph."""
    return [tensor for op in _graph(graph).get_operations() for tensor in op.outputs]


def get_generating_ops(ts: Any) -> List[tf.Operation]:
    """Returns the op that produces each of the tensors *ts*. TypeError: they are not tensors."""
    return [tensor.op for tensor in make_list_of_t(ts, allow_graph=False)]


def get_consuming_ops(ts: Any) -> List[tf.Operation]:
    """Returns the ops that consume at least one of the tensors *ts*, each once. TypeError: they are not tensors."""
    return list(dict.fromkeys(op for tensor in make_list_of_t(ts, allow_graph=False) for op in tensor.consumers()))


def _listed(nodes: Any, kind: Type[_Node], ignored: Any, is_one_graph: bool) -> List[_Node]:
    several: Iterable[Any] = nodes if isinstance(nodes, Iterable) and not isinstance(nodes, tf.Tensor) else [nodes]
    kept = [node for node in several if ignored is None or not isinstance(node, ignored)]
    wrong = next((node for node in kept if not isinstance(node, kind)), None)
    if wrong is not None:
        raise TypeError(f"expected objects of type {kind.__name__}, got {type_of(wrong)}: {wrong!r}")
    if is_one_graph and any(node.graph is not kept[0].graph for node in kept):
        raise ValueError("these are ops or tensors of several graphs")
    return kept


def _all_of(graph: tf.Graph, is_allowed: bool) -> tf.Graph:
    if not is_allowed:
        raise TypeError("a graph is not accepted here; pass its ops or tensors")
    return graph


def _graph(graph: Any) -> tf.Graph:
    if not isinstance(graph, tf.Graph):
        raise TypeError(f"expected a Graph, got {type_of(graph)}")
    return graph
