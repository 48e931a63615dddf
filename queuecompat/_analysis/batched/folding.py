"""Computes values that are known when the graph is built: mostly sizes and offsets.

``tf.get_static_value`` does not fold arithmetic and items of vectors, which the image functions compute sizes with.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, Optional

import numpy as np
import tensorflow as tf

__all__ = ["static_value"]

# The maximal number of ops that it goes back.
_DEPTH = 24


def static_value(tensor: Any, depth: int = _DEPTH, *, floats: bool = False) -> Optional[np.ndarray]:
    """Returns the value of *tensor*; None if it is not known.

    Args:
      floats: whether floating-point arithmetic is folded as well: only those ops whose result IEEE 754 determines
        exactly.
    """
    known = tf.get_static_value(tensor)
    if known is not None or not depth:
        return None if known is None else np.asarray(known)
    op = tensor.op
    if op.type == "StridedSlice":
        return _part(op, depth)
    is_whole = tensor.dtype.is_integer or tensor.dtype.is_bool
    if floats and tensor.dtype in (tf.float32, tf.float64):
        fold = _FOLDED_FLOATS.get(op.type)
    else:
        fold = _FOLDED.get(op.type) if is_whole else None
    if fold is None:
        return None
    inputs = [static_value(given, depth - 1, floats=floats) for given in op.inputs]
    if any(one is None for one in inputs):
        return None
    with np.errstate(all="ignore"):
        return np.asarray(fold(op, *inputs), tensor.dtype.as_numpy_dtype)


def _part(op: Any, depth: int) -> Optional[np.ndarray]:
    """Returns a range, or one item, of a vector."""
    vector, begin, end, strides = (static_value(given, depth - 1) for given in op.inputs)
    if vector is None or begin is None or end is None or strides is None or begin.shape != (1,) or vector.ndim != 1:
        return None
    if op.get_attr("ellipsis_mask") or op.get_attr("new_axis_mask"):
        return None
    if op.get_attr("shrink_axis_mask"):
        return np.asarray(vector[int(begin[0])])
    first = None if op.get_attr("begin_mask") else int(begin[0])
    last = None if op.get_attr("end_mask") else int(end[0])
    return vector[first : last : int(strides[0])]


def _floor_divided(op: Any, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return a // np.where(b == 0, 1, b)


_FOLDED: Dict[str, Callable[..., Any]] = {
    "Add": lambda op, a, b: a + b,
    "AddV2": lambda op, a, b: a + b,
    "All": lambda op, a, axes: np.all(a, axis=tuple(np.ravel(axes)), keepdims=op.get_attr("keep_dims")),
    "Equal": lambda op, a, b: a == b,
    "FloorDiv": _floor_divided,
    "Greater": lambda op, a, b: a > b,
    "GreaterEqual": lambda op, a, b: a >= b,
    "Identity": lambda op, a: a,
    "Less": lambda op, a, b: a < b,
    "LessEqual": lambda op, a, b: a <= b,
    "LogicalAnd": lambda op, a, b: a & b,
    "LogicalNot": lambda op, a: ~a,
    "LogicalOr": lambda op, a, b: a | b,
    "Maximum": lambda op, a, b: np.maximum(a, b),
    "Minimum": lambda op, a, b: np.minimum(a, b),
    "Mul": lambda op, a, b: a * b,
    "Neg": lambda op, a: -a,
    "NotEqual": lambda op, a, b: a != b,
    "Pack": lambda op, *parts: np.stack(parts, op.get_attr("axis")),
    "Reshape": lambda op, a, shape: np.reshape(a, shape),
    "Sub": lambda op, a, b: a - b,
}
# Ops for which IEEE 754 allows exactly one result.
_FOLDED_FLOATS: Dict[str, Callable[..., Any]] = {
    **{kind: _FOLDED[kind] for kind in ("Add", "AddV2", "Identity", "Mul", "Neg", "Sub")},
    "RealDiv": lambda op, a, b: a / b,
    "Sqrt": lambda op, a: np.sqrt(a),
}
