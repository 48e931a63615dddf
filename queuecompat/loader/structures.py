"""What ``load`` returns: any nesting of dicts, lists, tuples and named tuples with arrays at its ends.

Rule 1: a *form* is what all examples have in common: the nesting, and shape and dtype of each array. It is taken
        from the first example; another one that differs is an error that names both.
Rule 2: keys of dicts are sorted, so that two dicts of the same content have the same form.

Text, bytes and any other objects are allowed beside the arrays: they come in arrays of objects. No TensorFlow here.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Iterator, List, Optional, Sequence, Tuple

import numpy as np

__all__ = ["Form", "Leaf", "form_of", "leaves_of", "objects_of", "packed"]


@dataclasses.dataclass(frozen=True)
class Leaf:
    """Shape and dtype of one array of an example."""

    shape: Tuple[int, ...]
    dtype: np.dtype

    @property
    def is_object(self) -> bool:
        """Whether its elements are Python objects, which no memory can be shared for."""
        return self.dtype.hasobject

    def __str__(self) -> str:
        return f"{self.dtype}[{','.join(map(str, self.shape))}]"


@dataclasses.dataclass(frozen=True)
class _Nest:
    kind: type
    keys: Tuple[Any, ...]
    children: Tuple[Any, ...]


@dataclasses.dataclass(frozen=True)
class Form:
    """What every example looks like; *nesting* is None for an array that stands alone."""

    nesting: Optional[_Nest]
    leaves: Tuple[Leaf, ...]

    def is_of(self, nesting: Optional[_Nest], leaves: Sequence[np.ndarray]) -> bool:
        """Whether an example with this *nesting* and these *leaves* looks so."""
        if len(leaves) != len(self.leaves) or nesting != self.nesting:
            return False
        return all(leaf.shape == array.shape and leaf.dtype == array.dtype for leaf, array in zip(self.leaves, leaves))

    def __str__(self) -> str:
        return str(packed(self.nesting, [_Shown(str(leaf)) for leaf in self.leaves]))


class _Shown(str):
    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def leaves_of(value: Any) -> Tuple[Optional[_Nest], List[np.ndarray]]:
    """The nesting of *value*, and its arrays in order."""
    leaves: List[np.ndarray] = []
    return _nesting(value, leaves), leaves


def form_of(nesting: Optional[_Nest], leaves: Sequence[np.ndarray]) -> Form:
    return Form(nesting, tuple(Leaf(leaf.shape, leaf.dtype) for leaf in leaves))


def objects_of(leaves: Sequence[np.ndarray]) -> List[np.ndarray]:
    """Those of *leaves* that hold Python objects."""
    return [leaf for leaf in leaves if leaf.dtype.hasobject]


def packed(nesting: Optional[_Nest], leaves: Sequence[Any]) -> Any:
    """The inverse of ``leaves_of``, for leaves of any kind."""
    return _packed(nesting, iter(leaves))


def _nesting(value: Any, leaves: List[np.ndarray]) -> Optional[_Nest]:
    if isinstance(value, dict):
        keys = tuple(sorted(value, key=lambda key: (str(type(key)), key)))
        return _Nest(dict, keys, tuple(_nesting(value[key], leaves) for key in keys))
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return _Nest(type(value), value._fields, tuple(_nesting(child, leaves) for child in value))
    if isinstance(value, (list, tuple)):
        kind = list if isinstance(value, list) else tuple
        return _Nest(kind, (), tuple(_nesting(child, leaves) for child in value))
    leaves.append(_array(value))
    return None


def _array(value: Any) -> np.ndarray:
    if isinstance(value, np.ndarray) and value.dtype.kind not in "SUT":
        return value
    array = np.asarray(value)
    if array.dtype.kind in "SUTO":
        # Text of any length fits into an array of objects, and into no other.
        array = array.astype(object) if array.ndim else _one_object(value)
    return array


def _one_object(value: Any) -> np.ndarray:
    array = np.empty((), object)
    array[()] = value.item() if isinstance(value, (np.ndarray, np.generic)) else value
    return array


def _packed(nesting: Optional[_Nest], leaves: Iterator[Any]) -> Any:
    if nesting is None:
        return next(leaves)
    children = [_packed(child, leaves) for child in nesting.children]
    if nesting.kind is dict:
        return dict(zip(nesting.keys, children))
    if nesting.kind in (list, tuple):
        return nesting.kind(children)
    return nesting.kind(*children)
