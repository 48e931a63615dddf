"""NumPy arrays as tensors that share their memory.

``tf.convert_to_tensor`` copies. DLPack does not, and so a memory map stays on the disk until its rows are
looked up. TensorFlow's ops want memory that begins at a multiple of 64 bytes: memory maps do, and the
``.npy`` files that NumPy maps; what ``malloc`` gave often does not, and is copied, once.
"""

from __future__ import annotations

import ctypes

import numpy as np
import tensorflow as tf

__all__ = ["shares_memory", "tensor_of"]

ALIGNMENT_BYTES = 64


def tensor_of(array: np.ndarray) -> tf.Tensor:
    """*array* as a tensor on the CPU, of the same memory where it ``shares_memory``."""
    with tf.device("/cpu:0"):
        if not shares_memory(array):
            return tf.convert_to_tensor(array)
        return tf.experimental.dlpack.from_dlpack(_writable(array).__dlpack__())


def shares_memory(array: np.ndarray) -> bool:
    """Whether TensorFlow can read *array* where it is."""
    is_plain = array.dtype.kind in "iuf" and array.dtype.isnative and array.flags.c_contiguous
    return is_plain and array.nbytes > 0 and array.ctypes.data % ALIGNMENT_BYTES == 0


def _writable(array: np.ndarray) -> np.ndarray:
    """*array*; a read-only one through a view that does not say so, as DLPack cannot say it. Nothing writes."""
    if array.flags.writeable:
        return array
    memory = (ctypes.c_char * array.nbytes).from_address(array.ctypes.data)
    memory.owner = array  # type: ignore[attr-defined]  # the view keeps the memory, and that the array
    return np.frombuffer(memory, array.dtype).reshape(array.shape)
