"""NumPy arrays whose rows TensorFlow looks up where they are.

``tf.convert_to_tensor`` copies. DLPack does not, and so a memory map stays on the disk until its rows are asked for.
But TensorFlow's ops want memory that begins at a multiple of 64 bytes, and what ``malloc`` gives often begins 16 bytes
behind one. The tensor of such an array begins those 16 bytes early, in the same line of the cache, and a row of it
is gathered in pieces of 16 bytes.
"""

from __future__ import annotations

import ctypes
import math
from typing import Any, Mapping, Optional

import numpy as np
import tensorflow as tf

__all__ = ["LentArray"]

ALIGNMENT_BYTES = 64
# The numbers that a piece is read as, by their bytes.
_NUMBERS: Mapping[int, Any] = {8: np.int64, 4: np.int32, 2: np.int16, 1: np.uint8}


class LentArray:
    """The rows of *array*, ``[rows, *element]``; copied, once, only if it is not plain numbers one after the other.

    An array that is changed later on changes the rows.
    """

    def __init__(self, array: np.ndarray) -> None:
        is_plain = array.dtype.kind in "biufc" and array.dtype.isnative and array.flags.c_contiguous
        self._array = array
        self._copy: Optional[tf.Tensor] = None
        self._early = array.ctypes.data % ALIGNMENT_BYTES
        self._table: Optional[tf.Tensor] = None
        if is_plain and array.nbytes > 0:
            with tf.device("/cpu:0"):
                self._table = tf.experimental.dlpack.from_dlpack(self._pieces().__dlpack__())

    def rows(self, indices: tf.Tensor) -> tf.Tensor:
        """The rows at *indices*, of any shape: ``[*indices, *element]``."""
        if self._table is None:
            return tf.gather(self.whole(), indices)
        rows = self._gathered(tf.cast(indices, tf.int64))
        rows.set_shape(indices.shape.concatenate(self._array.shape[1:]))
        return rows

    def whole(self) -> tf.Tensor:
        """All rows, as one tensor; of the same memory where that begins as TensorFlow wants it."""
        if self._table is not None and self._early == 0:
            return tf.reshape(_read_as(self._table, tf.as_dtype(self._array.dtype)), self._array.shape)
        if self._copy is None:
            with tf.init_scope(), tf.device("/cpu:0"):
                self._copy = tf.convert_to_tensor(self._array)
        return self._copy

    @property
    def _row_bytes(self) -> int:
        return self._array.nbytes // len(self._array)

    def _pieces(self) -> np.ndarray:
        """The memory as ``[pieces, numbers]``: a row is some pieces, and so is what comes before the first one."""
        piece_bytes = math.gcd(self._row_bytes, self._early)
        number_bytes = math.gcd(piece_bytes, 8)
        begin, size = self._array.ctypes.data - self._early, self._array.nbytes + self._early
        memory = (ctypes.c_char * size).from_address(begin)
        memory.owner = self._array  # type: ignore[attr-defined]  # whoever has the view keeps the array
        # Writable, as DLPack cannot say that it is not. Nothing writes.
        return np.frombuffer(memoryview(memory), _NUMBERS[number_bytes]).reshape(-1, piece_bytes // number_bytes)

    def _gathered(self, indices: tf.Tensor) -> tf.Tensor:
        assert self._table is not None
        piece_bytes = self._table.shape[1] * self._table.dtype.size
        count = self._row_bytes // piece_bytes
        begins = tf.expand_dims(indices, -1) * count + self._early // piece_bytes
        pieces = tf.gather(self._table, begins + tf.range(count, dtype=tf.int64) if count > 1 else begins)
        shape = tf.concat([tf.shape(indices), self._array.shape[1:]], 0)
        return tf.reshape(_read_as(pieces, tf.as_dtype(self._array.dtype)), shape)


def _read_as(pieces: tf.Tensor, dtype: Any) -> tf.Tensor:
    """The bytes of *pieces* as numbers of *dtype*, in any shape."""
    if dtype == tf.bool:
        return tf.cast(_read_as(pieces, tf.uint8), tf.bool)
    if dtype == pieces.dtype:
        return pieces
    together = max(1, dtype.size // pieces.dtype.size)
    return tf.bitcast(tf.reshape(pieces, [-1, together] if together > 1 else [-1]), dtype)
