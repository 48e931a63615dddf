"""Prepares examples for a batch, whose rows have equal shapes: arrays of different shapes are boxed as Python objects.

Rule 1: this runs in the worker, after ``load``, for each example; an error here is a failure of that item.
Rule 2: a box is a Python object like any other until the batch is complete; then ``finishing.py`` opens it.
Rule 3: a box holds a copy, as a batch does: ``load`` may write into its arrays again.
"""

from __future__ import annotations

import bisect
import collections
import copy
import dataclasses
from typing import Any, Callable, Mapping, NamedTuple, Optional, Tuple

import numpy as np

from queuecompat.loader.memory.structures import array_of
from queuecompat.plurals import type_of

__all__ = ["Boxed", "Bucketed", "Preparation", "Shape", "filled"]

# The size along each axis; None is the largest size in the batch.
Shape = Tuple[Optional[int], ...]


class Boxed:
    """A box: holds a *value* that cannot be a row of an array of numbers.

    Attributes:
      shape, fill: the shape to which an array is padded, and the value to pad with; a shape of None means no padding.
    """

    __slots__ = ("fill", "shape", "value")

    def __init__(self, value: Any, shape: Optional[Shape] = None, fill: Any = 0) -> None:
        self.value = value
        self.shape = shape
        self.fill = fill

    def __getstate__(self) -> Any:
        return self.value, self.shape, self.fill

    def __setstate__(self, state: Any) -> None:
        self.value, self.shape, self.fill = state


class Bucketed(NamedTuple):
    """An example with the number of its bucket, which is the last of its arrays in a block."""

    example: Any
    bucket: int


@dataclasses.dataclass(frozen=True)
class Preparation:
    """Prepares each example for its batch; sent to worker processes.

    Attributes:
      boxes: whether each example is boxed as a whole, for ``collate``.
      pad_to, pad_value: see ``BackgroundLoader``; a *pad_to* of None pads nothing.
      bucket_by: returns the number that selects an example's bucket; or None.
      boundaries: the ascending boundaries between the buckets.
    """

    boxes: bool = False
    pad_to: Any = None
    pad_value: Any = 0
    bucket_by: Optional[Callable[[Any], float]] = None
    boundaries: Tuple[float, ...] = ()

    def __call__(self, example: Any) -> Any:
        prepared = Boxed(_copied(example)) if self.boxes else _padded(example, self.pad_to, self.pad_value, "example")
        if self.bucket_by is None:
            return prepared
        number = self.bucket_by(example)
        if number is None or isinstance(number, (str, bytes)):
            raise TypeError(f"bucket_by returned {number!r}, not a number")
        if number != number:
            raise ValueError(f"bucket_by returned {number}, which is in no bucket")
        return Bucketed(prepared, bisect.bisect_right(self.boundaries, number))


def _copied(example: Any) -> Any:
    """Returns *example* with copies of its arrays; other objects are not copied."""
    if isinstance(example, np.ndarray):
        return example.copy()
    if isinstance(example, (dict, collections.UserDict)):  # of the same type: collate gets what load returned
        copied = copy.copy(example)
        copied.update((key, _copied(value)) for key, value in example.items())
        return copied
    if type(example) in (list, tuple):
        return type(example)(map(_copied, example))
    return example._make(map(_copied, example)) if hasattr(example, "_make") else example


def _padded(example: Any, pad_to: Any, fill: Any, name: str) -> Any:
    """Returns *example* with those arrays padded, or boxed, for which *pad_to* has a shape. An array is boxed if the
    shape contains None; *name* is that of *example* in messages."""
    if pad_to is None:
        return example
    if isinstance(example, Mapping):
        _check_nesting(isinstance(pad_to, dict) and set(pad_to) <= set(example), example, pad_to, name)
        return {
            key: _padded(value, pad_to.get(key), _part(fill, key), f"{name}[{key!r}]") for key, value in example.items()
        }
    if isinstance(pad_to, dict) or any(isinstance(part, (dict, list, tuple)) for part in pad_to):
        _check_nesting(isinstance(example, (list, tuple)), example, pad_to, name)
        _check_nesting(isinstance(pad_to, (list, tuple)) and len(pad_to) == len(example), example, pad_to, name)
        parts = [
            _padded(value, shape, _part(fill, number), f"{name}[{number}]")
            for number, (value, shape) in enumerate(zip(example, pad_to))
        ]
        return type(example)(*parts) if hasattr(example, "_fields") else type(example)(parts)
    array, shape = _array(example, pad_to, name), tuple(pad_to)
    if array.shape == (0,) and isinstance(example, (list, tuple)):
        array = array.reshape(0, *(size or 0 for size in shape[1:]))  # a list of no rows, whatever their shape is
    if array.dtype.hasobject:
        _check_text(fill, np.asarray(example).dtype)
    if array.ndim != len(shape) or any(size is not None and size < n for size, n in zip(shape, array.shape)):
        raise ValueError(f"{name} has shape {list(array.shape)}, which cannot be padded to {list(shape)}")
    if None in shape:
        return Boxed(array.copy(), shape, fill)
    out = filled(shape, fill, array.dtype)
    out[tuple(map(slice, array.shape))] = array
    return out


def _array(example: Any, pad_to: Any, name: str) -> np.ndarray:
    try:
        return array_of(example)
    except ValueError as problem:
        needed = "for a nesting of arrays, a nesting with a shape, or None, for each"
        text = f"{name} is {type_of(example)}, not one array, and pad_to has {pad_to!r}; pass {needed}"
        raise ValueError(text) from problem


def filled(shape: Tuple[int, ...], fill: Any, dtype: np.dtype) -> np.ndarray:
    """Returns an array in which every element is *fill*.

    Raises:
      ValueError: *dtype* cannot represent *fill*. For integers and booleans NumPy may silently use a different value.
    """
    try:
        with np.errstate(invalid="ignore"):
            out = np.full(shape, fill, dtype)
    except OverflowError:
        raise _not_a_value(fill, dtype) from None
    if dtype.kind in "biu" and out.size and out.flat[0] != fill:
        raise _not_a_value(fill, dtype)
    return out


def _check_text(fill: Any, dtype: np.dtype) -> None:
    """Raises an error if *dtype* is of text and *fill* is not: an array of objects would hold it."""
    kind = bytes if dtype.kind == "S" else str
    if dtype.kind in "SUT" and not isinstance(fill, kind):
        raise _not_a_value(fill, dtype)


def _not_a_value(fill: Any, dtype: np.dtype) -> ValueError:
    return ValueError(f"pad_value {fill!r} is not a value of {dtype}; for several arrays, pass a nesting of values")


def _part(fill: Any, key: Any) -> Any:
    """Returns the value to pad part *key* of an example with; a *fill* that is not a nesting is used for all parts."""
    if isinstance(fill, dict):
        return fill.get(key, 0)
    return fill[key] if isinstance(fill, (list, tuple)) else fill


def _check_nesting(matches: bool, example: Any, pad_to: Any, name: str) -> None:
    if not matches:
        keys = f" with keys {sorted(map(str, example))}" if isinstance(example, Mapping) else ""
        raise ValueError(f"{name} is {type_of(example)}{keys}, and pad_to has {pad_to!r} for it")
