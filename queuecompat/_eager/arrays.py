"""Lets TensorFlow look up rows of NumPy arrays without copying the arrays.

``tf.convert_to_tensor`` copies an array. DLPack does not, so that a memory-mapped array stays on disk until its rows
are read. But TensorFlow's ops need memory that begins at a multiple of 64 bytes, and ``malloc`` often returns memory
that begins 16 bytes after one. For such an array, the tensor begins those 16 bytes early, in the same cache line, and a
row of the array is put together from two rows of the tensor.
"""

from __future__ import annotations

import ctypes
import math
from typing import Any, Mapping, Optional

import numpy as np
import tensorflow as tf

__all__ = ["BorrowedArray"]

ALIGNMENT_BYTES = 64
# The integer type that memory is read as, by its size in bytes.
_NUMBERS: Mapping[int, Any] = {8: np.int64, 4: np.int32, 2: np.int16, 1: np.uint8}


class BorrowedArray:
    """The rows of *array*, ``[rows, *element]``, without a copy if it is C-contiguous and has a plain numeric type.

    Any other array is copied once. A later change of an array that is not copied changes the rows.
    """

    def __init__(self, array: np.ndarray) -> None:
        is_plain = array.dtype.kind in "biufc" and array.dtype.isnative and array.flags.c_contiguous
        self._array = array
        self._copy: Optional[tf.Tensor] = None
        self._early = array.ctypes.data % ALIGNMENT_BYTES
        self._pieces: Optional[tf.Tensor] = None
        self._lines: Optional[tf.Tensor] = None
        if is_plain and array.nbytes > 0:
            self._pieces = self._borrowed_tensor(self._piece_bytes)
            if self._row_bytes > self._early:
                self._lines = self._borrowed_tensor(self._row_bytes)

    def rows(self, indices: tf.Tensor) -> tf.Tensor:
        """Returns the rows at *indices*, of any shape, as ``[*indices, *element]``."""
        if self._pieces is None:
            return tf.gather(self.whole(), indices)
        element = self._array.shape[1:]
        if indices.shape.rank == 1:
            memory = self._gathered(tf.cast(indices, tf.int64))
            rows = tf.reshape(_read_as(memory, tf.as_dtype(self._array.dtype)), [-1, *element])
        else:
            rows = tf.reshape(self.rows(tf.reshape(indices, [-1])), tf.concat([tf.shape(indices), element], 0))
        rows.set_shape(indices.shape.concatenate(element))
        return rows

    def whole(self) -> tf.Tensor:
        """Returns all rows as one tensor; it shares the array's memory if that is aligned as TensorFlow needs it."""
        if self._lines is not None and self._early == 0:
            return tf.reshape(_read_as(self._lines, tf.as_dtype(self._array.dtype)), self._array.shape)
        if self._copy is None:
            with tf.init_scope(), tf.device("/cpu:0"):
                self._copy = tf.convert_to_tensor(self._array)
        return self._copy

    @property
    def _row_bytes(self) -> int:
        return self._array.nbytes // len(self._array)

    @property
    def _piece_bytes(self) -> int:
        """The size of a piece in bytes: the largest that divides both a row and the bytes before the array."""
        return math.gcd(self._row_bytes, self._early)

    def _borrowed_tensor(self, width_bytes: int) -> tf.Tensor:
        """Returns the memory, early bytes included, as ``[lines, numbers]`` with *width_bytes* per line; not a copy.

        A rest at the end that is shorter than a line is left out.
        """
        lines = (self._array.nbytes + self._early) // width_bytes
        memory = (ctypes.c_char * (lines * width_bytes)).from_address(self._array.ctypes.data - self._early)
        memory.owner = self._array  # type: ignore[attr-defined]  # the view keeps the array alive
        # Writable only because DLPack cannot express read-only memory. Nothing writes to it.
        numbers = np.frombuffer(memoryview(memory), _NUMBERS[math.gcd(self._piece_bytes, 8)])
        with tf.device("/cpu:0"):
            return tf.experimental.dlpack.from_dlpack(numbers.reshape(lines, -1).__dlpack__())

    def _gathered(self, indices: tf.Tensor) -> tf.Tensor:
        """Returns the memory of the rows at *indices*, ``[indices]``, as numbers ``[indices, ...]``.

        Line n begins ``_early`` bytes before row n. So a row is line n without these bytes, followed by the first
        ``_early`` bytes of line n + 1. Gathering the whole row in small pieces would be correct, too, but twice as
        slow.
        """
        a_row, early = self._row_bytes // self._piece_bytes, self._early // self._piece_bytes
        if self._lines is None:
            return self._gathered_pieces(indices * a_row + early, a_row)
        lines = tf.gather(self._lines, indices)
        if not early:
            return lines
        beginning = lines[:, self._early // self._lines.dtype.size :]
        return tf.concat([beginning, self._gathered_pieces(indices * a_row + a_row, early)], 1)

    def _gathered_pieces(self, begins: tf.Tensor, count: int) -> tf.Tensor:
        """Returns *count* consecutive pieces from each of *begins*, as ``[begins, numbers]``."""
        assert self._pieces is not None
        if count == 1:
            return tf.gather(self._pieces, begins)
        places = tf.expand_dims(begins, -1) + tf.range(count, dtype=tf.int64)
        return tf.reshape(tf.gather(self._pieces, places), [-1, count * self._pieces.shape[1]])


def _read_as(pieces: tf.Tensor, dtype: Any) -> tf.Tensor:
    """Returns the bytes of *pieces* as numbers of *dtype*; the shape is unspecified."""
    if dtype == tf.bool:
        return tf.cast(_read_as(pieces, tf.uint8), tf.bool)
    if dtype == pieces.dtype:
        return pieces
    together = max(1, dtype.size // pieces.dtype.size)
    return tf.bitcast(tf.reshape(pieces, [-1, together] if together > 1 else [-1]), dtype)
