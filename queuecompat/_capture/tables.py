"""Tables whose rows are looked up by index: tensors, and arrays that never enter the graph."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
import tensorflow as tf

from queuecompat._runtime.runners import PipelineRunner

__all__ = ["Table", "is_large"]

# A NumPy array larger than this is fed at the start instead of living in the graph.
LARGE_ARRAY_BYTES = 1024 * 1024


class Table:
    """One tensor or array.

    A fed array belongs to the runner of the index queue, and that is made from the first table's row
    count; hence the two steps, ``row_count`` and ``settle``.

    Args:
      values: ``[rows, *element]``.
      is_fed: whether an array is fed whatever its size and type; otherwise only one that ``is_large``.
    """

    def __init__(self, values: Any, is_fed: bool = False) -> None:
        stays_outside = isinstance(values, np.ndarray) if is_fed else is_large(values)
        self._values = values if stays_outside else tf.convert_to_tensor(values)
        self._handle: Optional[tf.Tensor] = None

    def row_count(self) -> tf.Tensor:
        return tf.shape(self._values)[0] if tf.is_tensor(self._values) else tf.constant(len(self._values))

    def settle(self, runner: Optional[PipelineRunner]) -> None:
        """Gives an array to *runner*; without one (a native queue) it has to become a constant."""
        if tf.is_tensor(self._values):
            return
        if runner is not None:
            self._handle = runner.add_array(self._values)
        else:
            self._values = tf.convert_to_tensor(self._values)

    def row(self, index: tf.Tensor) -> tf.Tensor:
        """The row at *index*, ``[*element]``."""
        if self._handle is None:
            return tf.gather(self._values, index)
        dtype = tf.as_dtype(self._values.dtype)
        row = tf.raw_ops.ResourceGather(resource=self._handle, indices=index, dtype=dtype, name="GatherV2")
        return tf.ensure_shape(row, self._values.shape[1:]) if row.shape.rank is None else row


def is_large(values: Any) -> bool:
    """Whether *values* is an array of numbers that is better fed than frozen into the graph."""
    return isinstance(values, np.ndarray) and values.dtype.kind in "biufc" and values.nbytes > LARGE_ARRAY_BYTES
