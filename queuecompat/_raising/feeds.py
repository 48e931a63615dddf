"""Values that replace tensors of a saved graph: other files or arrays, and what the program fed at each step."""

from __future__ import annotations

import dataclasses
from typing import Any, Dict, FrozenSet, Mapping, Optional, Sequence, Set

import tensorflow as tf

from queuecompat._raising.names import full_name
from queuecompat._raising.saved_graphs import SavedGraph, op_of
from queuecompat.errors import QueueCompatValueError, error

__all__ = ["Feeds", "feeds_of"]

# Ops that pass rows on one by one, so that the number of rows does not matter to them.
_ROW_BY_ROW = ("Identity", "QueueEnqueueManyV2", "RandomShuffle")


@dataclasses.dataclass(frozen=True)
class Feeds:
    """The values that replace tensors of a graph.

    Attributes:
      values: arrays by the full names of the tensors.
      resized: the names of the ops whose outputs have different shapes with these values.
    """

    values: Dict[str, Any]
    resized: FrozenSet[str]


def feeds_of(graph: SavedGraph, feeds: Mapping[str, Any]) -> Feeds:
    """Checks *feeds* as the user wrote them, and returns them by full names.

    Raises:
      QueueCompatValueError: QC518, there is no such tensor; QC521, a value does not fit.
    """
    values: Dict[str, Any] = {}
    resized: Set[str] = set()
    for given, value in feeds.items():
        name = full_name(graph, given, "feeds")
        values[name] = _array(graph.nodes[op_of(name)], name, value)
        resized |= _resized(graph, name, values[name].shape)
    return Feeds(values, frozenset(resized))


def _array(node: Any, name: str, value: Any) -> Any:
    kinds = [node.attr[key].type for key in ("dtype", "T", "out_type") if key in node.attr and node.attr[key].type]
    try:
        with tf.Graph().as_default():
            # If no single attribute has the type, the import of the graph checks it.
            tensor = tf.constant(value, tf.as_dtype(kinds[0]).base_dtype if kinds else None)
            return tf.make_ndarray(tensor.op.get_attr("value"))
    except (TypeError, ValueError) as problem:
        raise _unfit(f"the value for '{name}' does not fit: {problem}") from None


def _resized(graph: SavedGraph, name: str, given: Sequence[int]) -> Set[str]:
    """Returns the ops whose shapes differ if the tensor *name* has the shape *given*."""
    known = _shape(graph.nodes[op_of(name)], int(name.partition(":")[2]))
    if known.is_compatible_with(given):
        return set()
    if known.rank != len(given) or not known[1:].is_compatible_with(given[1:]):
        raise _unfit(f"the value for '{name}' has the shape {tuple(given)}, but the graph has {known}")
    resized = _row_by_row(graph, name)
    if resized is None:
        counted = f"the graph counted {known.as_list()[0]} of them when it was built"
        raise _unfit(f"the value for '{name}' has {given[0]} rows, but {counted}")
    return resized


def _unfit(problem: str) -> Exception:
    return error(QueueCompatValueError, "QC521", problem=problem)


def _shape(node: Any, number: int) -> tf.TensorShape:
    """Returns the shape of output *number* of *node*, as far as the file tells it."""
    written = node.attr["_output_shapes"].list.shape if "_output_shapes" in node.attr else []
    if number < len(written):
        return tf.TensorShape(written[number])
    if node.op == "Const":
        return tf.TensorShape(node.attr["value"].tensor.tensor_shape)
    return tf.TensorShape(node.attr["shape"].shape if "shape" in node.attr else None)


def _row_by_row(graph: SavedGraph, name: str) -> Optional[Set[str]]:
    """Returns the ops that the rows of the tensor *name* pass into queues; None: an op uses all rows at once."""
    waiting, seen = [op_of(name)], {op_of(name)}
    while waiting:
        op = waiting.pop()
        consumers = [node for node in graph.nodes.values() if any(given in (op, f"{op}:0") for given in node.input)]
        if any(node.op not in _ROW_BY_ROW for node in consumers):
            return None
        waiting += [node.name for node in consumers if node.name not in seen]
        seen.update(node.name for node in consumers)
    return seen
