"""Tables whose rows are looked up by index: a tensor, an array outside of the graph, or a list of arrays.

The arrays of a list may have different shapes.
"""

from __future__ import annotations

from typing import Any, List, Optional, Sequence

import numpy as np
import tensorflow as tf

from queuecompat._plan.backend import QueueControl

__all__ = ["Table", "as_tensor", "described", "is_large", "table_of"]

# A NumPy array larger than this is fed at the start instead of being copied into the graph.
LARGE_ARRAY_BYTES = 1024 * 1024


def table_of(values: Any) -> Table:
    """Returns a table with the rows of *values*."""
    return UnlikeRows(values) if _are_unlike(values) else Table(values)


def described(values: Any) -> Any:
    """Returns *values*; if these are arrays of different shapes, the spec of a tensor with all of them as rows."""
    if not _are_unlike(values):
        return values
    return tf.TensorSpec([len(values), *_row_shape(values)], values[0].dtype)


class Table:
    """A table of one tensor or array.

    A fed array belongs to the control of the queue of indices, which is made from the row count of the first
    table; hence the two steps, ``row_count`` and ``settle``.

    Args:
      values: ``[rows, *element]``.
      is_fed: whether an array is fed whatever its size and type; otherwise only if it ``is_large``.
    """

    def __init__(self, values: Any, is_fed: bool = False) -> None:
        stays_outside = isinstance(values, np.ndarray) if is_fed else is_large(values)
        self._values = values if stays_outside else as_tensor(values)

    def row_count(self) -> tf.Tensor:
        return tf.shape(self._values)[0] if tf.is_tensor(self._values) else tf.constant(len(self._values))

    def settle(self, control: Optional[QueueControl]) -> None:
        """Hands an array over to *control*; without one (a native queue), turns it into a constant."""
        if tf.is_tensor(self._values):
            return
        if control is not None:
            self._values = control.array(self._values)
        else:
            self._values = as_tensor(self._values)

    def row(self, index: tf.Tensor) -> tf.Tensor:
        """Returns the row at *index*, of shape ``[*element]``."""
        return tf.gather(self._values, index)


class UnlikeRows(Table):
    """A table of arrays with the same type and rank but different shapes, which TF1 did not support.

    The arrays are stored one after the other in a single flat array, without padding.

    Args:
      rows: the arrays, each ``[*element]``.
    """

    def __init__(self, rows: Sequence[np.ndarray]) -> None:
        ends = np.cumsum([row.size for row in rows], dtype=np.int64)
        together = _aligned(int(ends[-1]), rows[0].dtype)
        for row, end in zip(rows, ends):
            together[end - row.size : end] = row.ravel()
        super().__init__(together)
        self._count = len(rows)
        self._shape = _row_shape(rows)
        self._begins = tf.constant(np.concatenate([[0], ends[:-1]]))
        self._shapes = tf.constant([row.shape for row in rows], tf.int64)

    def row_count(self) -> tf.Tensor:
        return tf.constant(self._count)

    def row(self, index: tf.Tensor) -> tf.Tensor:
        shape = tf.gather(self._shapes, index)
        begin, size = tf.gather(self._begins, index), tf.reduce_prod(shape)
        row = tf.reshape(tf.slice(self._values, [begin], [size]), shape)
        return tf.ensure_shape(row, self._shape)


def _are_unlike(values: Any) -> bool:
    if not isinstance(values, (list, tuple)) or not all(isinstance(row, np.ndarray) for row in values):
        return False
    kinds = {(row.dtype, row.ndim) for row in values}
    return len(kinds) == 1 and values[0].dtype.kind in "biufc" and len({row.shape for row in values}) > 1


def _row_shape(rows: Sequence[np.ndarray]) -> List[Optional[int]]:
    """Returns the common shape of all rows; None for dimensions in which they differ."""
    return [sizes[0] if len(set(sizes)) == 1 else None for sizes in zip(*(row.shape for row in rows))]


def _aligned(size: int, dtype: np.dtype) -> np.ndarray:
    """Returns an array of *size* numbers that is aligned to 64 bytes, so that TensorFlow can use it without a copy."""
    memory = np.empty(size * dtype.itemsize + 64, np.uint8)
    begin = -memory.ctypes.data % 64
    return memory[begin : begin + size * dtype.itemsize].view(dtype)


def as_tensor(values: Any) -> tf.Tensor:
    """Returns *values* as a tensor. A constant made of an array of the other byte order would have wrong numbers."""
    if isinstance(values, np.ndarray) and not values.dtype.isnative:
        values = values.astype(values.dtype.newbyteorder("="))
    return tf.convert_to_tensor(values)


def is_large(values: Any) -> bool:
    """Whether *values* is a numeric array that is so large that it should be fed rather than copied into the graph."""
    return isinstance(values, np.ndarray) and values.dtype.kind in "biufc" and values.nbytes > LARGE_ARRAY_BYTES
