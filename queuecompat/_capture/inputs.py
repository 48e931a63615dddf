"""How the user's tensors come to a queue: what is made of a list or a dict before any batcher sees it."""

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
    """How the elements of one list come to the queue: its slice, its rows, those of them that are kept."""
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
    """*keep_input* where it has to be asked at run time; None where it is a constant."""
    if constant_flag(keep_input) is not None:
        return None
    return tf.cast(keep_input, tf.bool)


def constant_flag(keep_input: Any) -> Optional[bool]:
    """The value of a scalar *keep_input* that the graph knows."""
    value = tf.get_static_value(keep_input) if tf.is_tensor(keep_input) else keep_input
    return bool(value) if value is not None and np.ndim(value) == 0 else None


def as_one_number(given: Any) -> Any:
    """The number that *given* consists of, as TensorFlow 1 took ``tf.constant([2])`` for 2; else *given* itself."""
    value = tf.get_static_value(given) if tf.is_tensor(given) else given
    if isinstance(value, (list, tuple)) and len(value) == 1 and isinstance(value[0], (int, np.integer)):
        return value[0]
    return value.item() if isinstance(value, np.ndarray) and value.ndim and value.size == 1 else given


def constant_size(argument: str, given: Any) -> int:
    """The number of examples that *given* says.

    Raises:
      CannotCompileError: QC203, it is a tensor that is not constant; QC207, it is less than 1.
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
    """The tensors among *values*, and those that the SparseTensors among them are made of."""
    parts = [part for v in values for part in ((v.values, v.indices) if isinstance(v, tf.SparseTensor) else (v,))]
    return [part for part in parts if tf.is_tensor(part)]


def flat(tensors: Any) -> List[Any]:
    if isinstance(tensors, dict):
        return [tensors[key] for key in sorted(tensors, key=str)]
    return [tensors] if isinstance(tensors, (tf.Tensor, tf.SparseTensor)) else list(tensors)


def like(reference: Any, tensors: Sequence[Any]) -> Any:
    """*tensors* in the structure that TensorFlow's own call returns."""
    if isinstance(reference, dict):
        return dict(zip(reference, tensors))
    return list(tensors) if isinstance(reference, (list, tuple)) else tensors[0]


def graph_of(values: Sequence[Any]) -> tf.Graph:
    """The graph of the tensors, which need not be the default one.

    Raises:
      ValueError: they are of different graphs.
    """
    values = [value.values if isinstance(value, tf.SparseTensor) else value for value in values]
    tensors = [value for value in values if isinstance(value, tf.Tensor)]
    for tensor in tensors:
        if tensor.graph is not tensors[0].graph:
            raise ValueError(f"{tensor} must be from the same graph as {tensors[0]}")
    return tensors[0].graph if tensors else tf.compat.v1.get_default_graph()


def in_graph_of(values: Sequence[Any]) -> ContextManager[Any]:
    """Builds in the graph of the first tensor among *values*, as TF1 did; in the default graph if there is none."""
    tensors = [value for value in values if isinstance(value, tf.Tensor) and not hasattr(value, "numpy")]
    return in_graph(tensors[0].graph) if tensors else contextlib.nullcontext()


def in_graph(graph: tf.Graph) -> ContextManager[Any]:
    """Builds in *graph*, unless what is being built is a function, to which its tensors come from outside."""
    default = tf.compat.v1.get_default_graph()
    if tf.executing_eagerly() or default is graph or hasattr(default, "outer_graph"):
        return contextlib.nullcontext()
    return graph.as_default()
