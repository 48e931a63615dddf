"""Converts the arrays of a batch to arrays of another library that share their memory: the argument ``output``.

Rule 1: an array is copied only if the library cannot use its memory: for TensorFlow this is text, memory without the
        alignment that it needs, and arrays that are read-only or in a different byte order, which DLPack refuses.
Rule 2: a library is imported when a loader that asks for it is made, not before.
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
_ALIGNMENT = 64  # bytes: TensorFlow's kernels may load 64 aligned bytes at once


def converter(output: Union[str, Convert], *, pinned: Optional[PinnedMemory] = None) -> Optional[Convert]:
    """Returns the function that converts an array to *output*'s library; None for "numpy".

    Args:
      pinned: makes the PyTorch tensors if they have to be in pinned memory; otherwise None.

    Raises:
      QueueCompatValueError: QC601, *output* is not one of the known names, and not a function.
      QueueCompatRuntimeError: QC638, the library is not installed.
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
    """Returns *batch* with each of its arrays converted.

    Raises:
      QueueCompatTypeError: QC639, *convert* failed on an array: usually the library has no such dtype.
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
        return array if array.dtype.hasobject else tensor(array)  # PyTorch has no tensors of objects, such as text

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
    """Imports and returns *module*.

    Raises:
      QueueCompatRuntimeError: QC638, the module cannot be imported: *package* is not installed.
    """
    try:
        return importlib.import_module(module)
    except ImportError as problem:
        raise error(QueueCompatRuntimeError, "QC638", library=module, package=package, raised=problem) from problem
