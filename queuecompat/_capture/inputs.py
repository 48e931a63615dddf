"""The tensors that a program passes to a batcher or a queue: their structure, graph and specs, and the input branch."""

from __future__ import annotations

import contextlib
from typing import Any, ContextManager, List, Optional, Sequence

import numpy as np
import tensorflow as tf

from queuecompat._analysis.consumers import run_step, upstream_of
from queuecompat._analysis.slicing import cut
from queuecompat._capture.shapes import checked
from queuecompat._capture.sparse import stored, stored_spec
from queuecompat._plan import ir
from queuecompat._plan.registry import Pipelines
from queuecompat._plan.stages import InputBranch
from queuecompat.errors import CannotCompileError

__all__ = [
    "as_one_number",
    "batch_spec",
    "constant_flag",
    "constant_size",
    "flat",
    "graph_of",
    "in_graph",
    "in_graph_of",
    "input_branch",
    "like",
    "tensors_among",
]


def input_branch(
    values: Sequence[Any],
    examples: Sequence[tf.TensorSpec],
    pipelines: Pipelines,
    *,
    is_many: bool = False,
    keep_input: Any = True,
) -> InputBranch:
    """Returns the input of a stage for one list of tensors: the slice that computes them, unbatched and filtered.

    Args:
      values: the tensors of the list.
      examples: the specs of one element.
      is_many: whether the tensors hold many elements (``enqueue_many``).
      keep_input: TF1's argument: whether to keep an element, or a vector that tells this for each row.
    """
    tensors = [_component(value, spec, is_many) for value, spec in zip(values, examples)]
    keep = _computed(keep_input)
    if keep is not None:
        tensors.append(keep)
    body = cut(tensors, pipelines)
    upstream = upstream_of(body, pipelines)
    steps: List[ir.Step] = [] if upstream else [ir.Endless((tf.TensorSpec([], tf.int64),))]
    steps += run_step(body, upstream, pipelines.place)
    is_kept_by_row = keep is not None and keep.shape.rank == 1
    if keep is not None and not is_kept_by_row:
        steps.append(ir.Filter(tuple(tf.TensorSpec(t.shape, t.dtype) for t in tensors[:-1])))
    if is_many:
        flag = (tf.TensorSpec([], tf.bool),) if is_kept_by_row else ()
        steps.append(ir.Unbatch((*examples, *flag)))
    if is_kept_by_row:
        steps.append(ir.Filter(tuple(examples)))
    return InputBranch(tuple(upstream), tuple(steps))


def _component(value: Any, example: tf.TensorSpec, is_many: bool) -> tf.Tensor:
    if isinstance(value, tf.SparseTensor):
        return stored(value, is_many)
    shape = tf.TensorShape([None]).concatenate(example.shape) if is_many else example.shape
    return checked(tf.convert_to_tensor(value, example.dtype), shape)


def _computed(keep_input: Any) -> Optional[tf.Tensor]:
    """Returns *keep_input* as a tensor if it has to be evaluated at run time; None: it is a constant."""
    if constant_flag(keep_input) is not None:
        return None
    return tf.cast(keep_input, tf.bool)


def constant_flag(keep_input: Any) -> Optional[bool]:
    """Returns the static value of a scalar *keep_input*; None: it is unknown."""
    value = tf.get_static_value(keep_input) if tf.is_tensor(keep_input) else keep_input
    return bool(value) if value is not None and np.ndim(value) == 0 else None


def as_one_number(given: Any) -> Any:
    """Returns the only number in *given*, as TF1 took ``tf.constant([2])`` for 2; otherwise *given* itself."""
    value = tf.get_static_value(given) if tf.is_tensor(given) else given
    if isinstance(value, (list, tuple)) and len(value) == 1 and isinstance(value[0], (int, np.integer)):
        return value[0]
    return value.item() if isinstance(value, np.ndarray) and value.ndim and value.size == 1 else given


def constant_size(argument: str, given: Any) -> int:
    """Returns the static value of *given*, a number of elements.

    Args:
      argument: the name of the argument, for the error.
    Raises:
      CannotCompileError: QC203, *given* is a tensor that is not constant; QC207, it is less than 1.
    """
    size = tf.get_static_value(given) if tf.is_tensor(given) else given
    if size is None:
        raise CannotCompileError("QC203", argument=argument, tensor=given.name)
    if int(size) < 1:
        raise CannotCompileError("QC207", argument=argument, tensor=int(size))
    return int(size)


def batch_spec(reference: Any, rows: Optional[int]) -> tf.TensorSpec:
    if isinstance(reference, tf.SparseTensor):
        return stored_spec(rows)
    return tf.TensorSpec(reference.shape, reference.dtype)


def tensors_among(values: Sequence[Any]) -> List[tf.Tensor]:
    """Returns the tensors among *values*, and the components of the SparseTensors among them."""
    parts = [part for v in values for part in ((v.values, v.indices) if isinstance(v, tf.SparseTensor) else (v,))]
    return [part for part in parts if tf.is_tensor(part)]


def flat(tensors: Any) -> List[Any]:
    if isinstance(tensors, dict):
        return [tensors[key] for key in sorted(tensors, key=str)]
    return [tensors] if isinstance(tensors, (tf.Tensor, tf.SparseTensor)) else list(tensors)


def like(reference: Any, tensors: Sequence[Any]) -> Any:
    """Returns *tensors* in the structure of *reference*, the result of TensorFlow's own call."""
    if isinstance(reference, dict):
        return dict(zip(reference, tensors))
    return list(tensors) if isinstance(reference, (list, tuple)) else tensors[0]


def graph_of(values: Sequence[Any]) -> tf.Graph:
    """Returns the graph of the tensors among *values*, not necessarily the default graph.

    Raises:
      ValueError: the tensors are of different graphs.
    """
    values = [value.values if isinstance(value, tf.SparseTensor) else value for value in values]
    tensors = [value for value in values if isinstance(value, tf.Tensor)]
    for tensor in tensors:
        if tensor.graph is not tensors[0].graph:
            raise ValueError(f"{tensor} must be from the same graph as {tensors[0]}")
    return tensors[0].graph if tensors else tf.compat.v1.get_default_graph()


def in_graph_of(values: Sequence[Any]) -> ContextManager[Any]:
    """Returns a context that builds in the graph of the first tensor among *values*, as TF1 did, if there is one."""
    tensors = [value for value in values if isinstance(value, tf.Tensor) and not hasattr(value, "numpy")]
    return in_graph(tensors[0].graph) if tensors else contextlib.nullcontext()


def in_graph(graph: tf.Graph) -> ContextManager[Any]:
    """Returns a context that builds in *graph*, unless a function is being built, which captures tensors of *graph*."""
    default = tf.compat.v1.get_default_graph()
    if tf.executing_eagerly() or default is graph or hasattr(default, "outer_graph"):
        return contextlib.nullcontext()
    return graph.as_default()
