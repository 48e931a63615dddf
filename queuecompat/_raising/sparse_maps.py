"""Rewrites a GraphDef so that queues of TensorFlow 1's batchers hold SparseTensors rather than handles in a map.

    AddSparseToTensorsMap -> ExpandDims -> a queue's component -> Squeeze -> TakeManySparseFromTensorsMap

The queue held handles, int64 ``[1]``, of tensors in a map. This map is a state, so the ops on both sides have effects,
and it leaks tensors that are never taken. After the rewrite, the component holds the tensors themselves, as variants
``[3]``: indices, values, dense shape.

Rule: a component that is enqueued or dequeued in a different way stays unchanged.
"""

from __future__ import annotations

import collections
from typing import Any, Collection, DefaultDict, Dict, List, Optional, Sequence

import tensorflow as tf

from queuecompat._raising.saved_graphs import op_of

__all__ = ["without_sparse_maps"]

_STORES = {"AddManySparseToTensorsMap": "SerializeManySparse", "AddSparseToTensorsMap": "SerializeSparse"}
_TAKE = "TakeManySparseFromTensorsMap"
_VARIANT = tf.variant.as_datatype_enum
_PARTS = 3


def without_sparse_maps(graph_def: Any, fetches: Collection[str]) -> None:
    """Changes *graph_def* in place.

    Args:
      fetches: the full names of tensors that must not change.
    """
    graph = _Graph(graph_def, fetches)
    for queue in [node for node in graph_def.node if node.op.endswith("QueueV2")]:
        for number in range(len(queue.attr["component_types"].list.type)):
            found = _Component.of(graph, queue, number)
            if found is not None:
                found.change()


class _Graph:
    """The nodes of a GraphDef and the consumers of their outputs."""

    def __init__(self, graph_def: Any, fetches: Collection[str]) -> None:
        self.nodes: Dict[str, Any] = {node.name: node for node in graph_def.node}
        self.fetches = fetches
        self._takers: DefaultDict[str, List[Any]] = collections.defaultdict(list)
        for node in graph_def.node:
            for given in node.input:
                if not given.startswith("^"):
                    self._takers[_full(given)].append(node)

    def takers(self, name: str, number: int = 0) -> List[Any]:
        """Returns the ops that take output *number* of the op *name*."""
        return self._takers[f"{name}:{number}"]

    def is_fetched(self, name: str, number: int = 0) -> bool:
        return f"{name}:{number}" in self.fetches


class _Component:
    """One component of a queue that holds only handles of SparseTensors."""

    def __init__(self, number: int, queue_ops: Sequence[Any], expands: Sequence[Any], squeezes: Sequence[Any]) -> None:
        self._number = number
        self._queue_ops = queue_ops
        self._expands = expands
        self._squeezes = squeezes
        self.stores: List[Any] = []
        self.takes: List[Any] = []

    @classmethod
    def of(cls, graph: _Graph, queue: Any, number: int) -> Optional[_Component]:
        """Returns component *number* of *queue*; None: it holds something else, or something else uses it."""
        users = graph.takers(queue.name)
        enqueues = [node for node in users if node.op in ("QueueEnqueueManyV2", "QueueEnqueueV2")]
        dequeues = [node for node in users if node.op.startswith("QueueDequeue")]
        expands = [graph.nodes.get(op_of(node.input[1 + number])) for node in enqueues]
        if not expands or any(node is None or node.op != "ExpandDims" for node in expands):
            return None
        if any(graph.is_fetched(node.name, number) for node in dequeues):
            return None
        squeezes = [taker for node in dequeues for taker in graph.takers(node.name, number)]
        found = cls(number, [queue, *enqueues, *dequeues], expands, squeezes)
        found.stores = [graph.nodes.get(op_of(node.input[0])) for node in expands if node is not None]
        found.takes = [taker for node in squeezes for taker in graph.takers(node.name)]
        return found if found._is_whole(graph) else None

    def _is_whole(self, graph: _Graph) -> bool:
        stored = [*self._expands, *self.stores]
        return (
            all(node is not None and node.op in _STORES for node in self.stores)
            and all(node.op == "Squeeze" for node in self._squeezes)
            and all(node.op == _TAKE for node in self.takes)
            and all(len(graph.takers(node.name)) == 1 for node in stored)
            and not any(graph.is_fetched(node.name) for node in [*stored, *self._squeezes])
        )

    def change(self) -> None:
        for node in self._queue_ops:
            key = "Tcomponents" if "Tcomponents" in node.attr else "component_types"
            node.attr[key].list.type[self._number] = _VARIANT
            node.attr.pop("_output_shapes", None)
        shape = tf.TensorShape([_PARTS]).as_proto()
        if self._queue_ops[0].attr["shapes"].list.shape:
            self._queue_ops[0].attr["shapes"].list.shape[self._number].CopyFrom(shape)
        for node in [*self._expands, *self._squeezes]:
            _become(node, "Identity", {"T": _VARIANT}, inputs=1)
        for node in self.stores:
            _become(node, _STORES[node.op], {"T": node.attr["T"].type, "out_type": _VARIANT})
        for node in self.takes:
            # The shapes of its outputs stay the same.
            types = {"dtype": node.attr["dtype"].type, "Tserialized": _VARIANT}
            _become(node, "DeserializeSparse", types, keeps=("_output_shapes",))


def _become(
    node: Any, op: str, types: Dict[str, int], inputs: Optional[int] = None, keeps: Collection[str] = ()
) -> None:
    """Changes *node* into an *op* with these *types* as attributes.

    Args:
      inputs: how many inputs, besides control inputs, the node keeps; None: all.
      keeps: the names of attributes that the node keeps.
    """
    kept = [name for name in node.input if not name.startswith("^")][:inputs]
    kept += [name for name in node.input if name.startswith("^")]
    del node.input[:]
    node.input.extend(kept)
    node.op = op
    for name in [name for name in node.attr if name not in keeps]:
        del node.attr[name]
    for name, enum in types.items():
        node.attr[name].type = enum


def _full(name: str) -> str:
    return name if ":" in name else f"{name}:0"
