"""The arrays of a batch as those of another library, which look at the same memory.

Rule 1: nothing is copied but what that library cannot look at: for TensorFlow text, memory that is not aligned as it
        needs it, and what is read-only or in another byte order, in which DLPack passes nothing on.
Rule 2: a library is imported when a loader is made that asks for it, not before.
"""

from __future__ import annotations

import importlib
from typing import Any, Callable, Optional, Union

import numpy as np

from queuecompat.errors import QueueCompatRuntimeError, QueueCompatTypeError, error
from queuecompat.loader.memory.pinned import PinnedMemory
from queuecompat.loader.memory.structures import leaves_of, packed
from queuecompat.loader.settings import refuse

__all__ = ["Convert", "converted", "converter", "imported"]

Convert = Callable[[np.ndarray], Any]
_ALIGNMENT = 64  # bytes; TensorFlow's kernels may load as many at once


def converter(output: Union[str, Convert], *, pinned: Optional[PinnedMemory] = None) -> Optional[Convert]:
    """The function that *output* names, from an array to that library's; None for "numpy".

    Args:
      pinned: what makes PyTorch's tensors where they have to be in pinned memory.

    Raises:
      QueueCompatValueError: QC601, there is no such library.
      QueueCompatRuntimeError: QC638, it is not installed.
    """
    if callable(output):
        return output
    if output == "numpy":
        return None
    if output == "torch":
        return _converter_to_torch(pinned)
    if output == "tensorflow":
        return _converter_to_tensorflow()
    refuse("output", output, "'numpy', 'torch', 'tensorflow', or a function such as jax.dlpack.from_dlpack")


def converted(batch: Any, convert: Convert) -> Any:
    """*batch* with each of its arrays converted.

    Raises:
      QueueCompatTypeError: QC639, the library has no such dtype.
    """
    treedef, leaves = leaves_of(batch)
    return packed(treedef, [_converted(leaf, convert) for leaf in leaves])


def _converted(leaf: np.ndarray, convert: Convert) -> Any:
    try:
        return convert(leaf)
    except Exception as problem:
        raise error(QueueCompatTypeError, "QC639", given=f"{leaf.dtype}{list(leaf.shape)}", raised=problem) from problem


def _converter_to_torch(pinned: Optional[PinnedMemory]) -> Convert:
    tensor = imported("torch", "torch").from_numpy if pinned is None else pinned.tensor

    def convert(array: np.ndarray) -> Any:
        return array if array.dtype.hasobject else tensor(array)  # text, say, has no tensors in PyTorch

    return convert


def _converter_to_tensorflow() -> Convert:
    tf = imported("tensorflow", "tensorflow")

    def convert(array: np.ndarray) -> Any:
        is_aligned = array.ctypes.data % _ALIGNMENT == 0 and array.flags.carray and array.size
        if array.dtype.kind in "iuf" and array.dtype.isnative and is_aligned:
            return tf.experimental.dlpack.from_dlpack(array.__dlpack__())
        return tf.convert_to_tensor(array)

    return convert


def imported(module: str, package: str) -> Any:
    """The module, or QC638."""
    try:
        return importlib.import_module(module)
    except ImportError as problem:
        raise error(QueueCompatRuntimeError, "QC638", library=module, package=package, raised=problem) from problem
