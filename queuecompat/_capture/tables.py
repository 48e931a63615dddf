"""Tables whose rows are looked up by index: tensors, arrays that never enter the graph, lists of unlike arrays."""

from __future__ import annotations

from typing import Any, List, Optional, Sequence

import numpy as np
import tensorflow as tf

from queuecompat._plan.backend import QueueControl

__all__ = ["Table", "described", "is_large", "table_of"]

# A NumPy array larger than this is fed at the start instead of living in the graph.
LARGE_ARRAY_BYTES = 1024 * 1024


def table_of(values: Any) -> Table:
    """The table whose rows are those of *values*."""
    return UnlikeRows(values) if _are_unlike(values) else Table(values)


def described(values: Any) -> Any:
    """*values*, or the spec of a tensor of all rows where these are arrays of different shapes."""
    if not _are_unlike(values):
        return values
    return tf.TensorSpec([len(values), *_row_shape(values)], values[0].dtype)


class Table:
    """One tensor or array.

    A fed array belongs to the control of the index queue, and that is made from the first table's row
    count; hence the two steps, ``row_count`` and ``settle``.

    Args:
      values: ``[rows, *element]``.
      is_fed: whether an array is fed whatever its size and type; otherwise only one that ``is_large``.
    """

    def __init__(self, values: Any, is_fed: bool = False) -> None:
        stays_outside = isinstance(values, np.ndarray) if is_fed else is_large(values)
        self._values = values if stays_outside else tf.convert_to_tensor(values)

    def row_count(self) -> tf.Tensor:
        return tf.shape(self._values)[0] if tf.is_tensor(self._values) else tf.constant(len(self._values))

    def settle(self, control: Optional[QueueControl]) -> None:
        """Passes an array to *control*; without one (a native queue) it has to become a constant."""
        if tf.is_tensor(self._values):
            return
        if control is not None:
            self._values = control.array(self._values)
        else:
            self._values = tf.convert_to_tensor(self._values)

    def row(self, index: tf.Tensor) -> tf.Tensor:
        """The row at *index*, ``[*element]``."""
        return tf.gather(self._values, index)


class UnlikeRows(Table):
    """The rows of a list of arrays of one type and rank, and different shapes; TF1 had no such thing.

    They lie one after the other in one array, without padding.

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
    """The sizes that all rows have in common; None where they differ."""
    return [sizes[0] if len(set(sizes)) == 1 else None for sizes in zip(*(row.shape for row in rows))]


def _aligned(size: int, dtype: np.dtype) -> np.ndarray:
    """An array of *size* numbers where TensorFlow can read it without a copy: from a multiple of 64 bytes on."""
    memory = np.empty(size * dtype.itemsize + 64, np.uint8)
    begin = -memory.ctypes.data % 64
    return memory[begin : begin + size * dtype.itemsize].view(dtype)


def is_large(values: Any) -> bool:
    """Whether *values* is an array of numbers that is better fed than frozen into the graph."""
    return isinstance(values, np.ndarray) and values.dtype.kind in "biufc" and values.nbytes > LARGE_ARRAY_BYTES
