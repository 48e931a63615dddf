"""The structure of examples: any nesting of dicts, lists, tuples and named tuples whose leaves are arrays.

Rule 1: a *spec* is what all examples have in common: the nesting, and the shape and dtype of each array. The first
        example determines it; an example that differs raises an error that names both.
Rule 2: keys of dicts are sorted, so that two dicts with the same content have the same spec.
Rule 3: any other mapping is treated as a dict: what ``np.load`` returns for an ``.npz`` file, or the encoding of a
        tokenizer. NumPy would make an array of its keys.

Text, bytes and any other objects are allowed as leaves: they are returned in arrays of objects.
No TensorFlow here.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Iterator, List, Mapping, Optional, Sequence, Tuple

import numpy as np

__all__ = ["ExampleSpec", "Leaf", "array_of", "leaves_of", "objects_of", "packed", "spec_of"]


@dataclasses.dataclass(frozen=True)
class Leaf:
    """Shape and dtype of one array of an example."""

    shape: Tuple[int, ...]
    dtype: np.dtype

    @property
    def is_object(self) -> bool:
        """Whether its elements are Python objects, which cannot be in shared memory."""
        return self.dtype.hasobject

    def __str__(self) -> str:
        return f"{self.dtype}[{','.join(map(str, self.shape))}]"


@dataclasses.dataclass(frozen=True)
class TreeDef:
    """One level of a nesting.

    Attributes:
      kind: dict, list, tuple, or the class of a named tuple.
      keys: the sorted keys of a dict, the field names of a named tuple; otherwise empty.
      children: for each child its ``TreeDef``, or None for an array.
    """

    kind: type
    keys: Tuple[Any, ...]
    children: Tuple[Any, ...]


@dataclasses.dataclass(frozen=True)
class ExampleSpec:
    """The spec of every example: its nesting, and its arrays in order. *treedef* is None if it is a single array."""

    treedef: Optional[TreeDef]
    leaves: Tuple[Leaf, ...]

    def leaves_of(self, value: Any) -> Optional[List[np.ndarray]]:
        """Returns the arrays of *value*, in order, if it has this spec; None if it may have a different one.

        This is a fast path for every example: it compares the nesting without making a ``TreeDef`` of the example.
        """
        kind = type(value)
        if self.treedef is None and (kind is int or kind is float):
            leaves = [np.asarray(value)]
        else:
            leaves = []
            if not _is_nested(value, self.treedef, leaves):
                return None
        for leaf, array in zip(self.leaves, leaves):
            if leaf.shape != array.shape or leaf.dtype != array.dtype:
                return None
        return leaves

    def __str__(self) -> str:
        return str(packed(self.treedef, [_Shown(str(leaf)) for leaf in self.leaves]))


# For a fast test.
_COMMON_LEAF_TYPES = frozenset({np.ndarray, int, float, str})
_TEXT = "SUT"  # the kinds of NumPy's dtypes for text


class _Shown(str):
    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def leaves_of(value: Any) -> Tuple[Optional[TreeDef], List[np.ndarray]]:
    """Returns the nesting of *value* (None for a single array), and its arrays in order."""
    kind = type(value)
    if kind is int or kind is float:
        array = np.asarray(value)
        if not array.dtype.hasobject:  # integers of more than 64 bits become objects
            return None, [array]
    if kind in _COMMON_LEAF_TYPES:
        return None, [array_of(value)]
    leaves: List[np.ndarray] = []
    return _treedef(value, leaves), leaves


def spec_of(treedef: Optional[TreeDef], leaves: Sequence[np.ndarray]) -> ExampleSpec:
    return ExampleSpec(treedef, tuple(Leaf(leaf.shape, leaf.dtype) for leaf in leaves))


def objects_of(leaves: Sequence[np.ndarray]) -> List[np.ndarray]:
    """Returns those of *leaves* that hold Python objects."""
    return [leaf for leaf in leaves if leaf.dtype.hasobject]


def packed(treedef: Optional[TreeDef], leaves: Sequence[Any]) -> Any:
    """Returns *leaves* in the nesting *treedef*: the inverse of ``leaves_of``. The leaves may be of any type."""
    return leaves[0] if treedef is None else _packed(treedef, iter(leaves))


def _treedef(value: Any, leaves: List[np.ndarray]) -> Optional[TreeDef]:
    if isinstance(value, Mapping):
        keys = tuple(sorted(value, key=lambda key: (str(type(key)), key)))
        return TreeDef(dict, keys, tuple(_treedef(value[key], leaves) for key in keys))
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return TreeDef(type(value), value._fields, tuple(_treedef(child, leaves) for child in value))
    if isinstance(value, (list, tuple)):
        kind = list if isinstance(value, list) else tuple
        return TreeDef(kind, (), tuple(_treedef(child, leaves) for child in value))
    leaves.append(array_of(value))
    return None


def _is_nested(value: Any, treedef: Optional[TreeDef], leaves: List[np.ndarray]) -> bool:
    """Returns whether *value* certainly has the nesting *treedef*; if so, appends its arrays to *leaves*."""
    kind = type(value)
    if treedef is None:
        if kind not in _COMMON_LEAF_TYPES and isinstance(value, (dict, list, tuple, Mapping)):
            return False
        leaves.append(array_of(value))
        return True
    if kind is not treedef.kind or len(value) != len(treedef.children):
        return False
    try:
        children = [value[key] for key in treedef.keys] if kind is dict else value
    except KeyError:
        return False
    for child, of_child in zip(children, treedef.children):
        if of_child is None and type(child) is np.ndarray and child.dtype.kind not in _TEXT:
            leaves.append(child)
        elif not _is_nested(child, of_child, leaves):
            return False
    return True


def array_of(value: Any) -> np.ndarray:
    """Returns *value* as an array, of objects if it is text.

    Raises:
      TypeError: it is a masked array.
      ValueError: it is a nesting of lists of different lengths.
    """
    kind = type(value)
    if kind is np.ndarray and value.dtype.kind not in _TEXT:
        return value
    if kind not in _COMMON_LEAF_TYPES and isinstance(value, np.ma.MaskedArray):
        raise TypeError("a masked array would lose its mask; return array.filled(value), or its data and its mask")
    array = np.asarray(value)
    if array.dtype.kind in "SUTO":
        # Only an array of objects can hold text of any length.
        array = array.astype(object) if array.ndim else _one_object(value)
    return array


def _one_object(value: Any) -> np.ndarray:
    array = np.empty((), object)
    array[()] = value.item() if isinstance(value, (np.ndarray, np.generic)) else value
    return array


def _packed(treedef: Optional[TreeDef], leaves: Iterator[Any]) -> Any:
    if treedef is None:
        return next(leaves)
    children = [_packed(child, leaves) for child in treedef.children]
    if treedef.kind is dict:
        return dict(zip(treedef.keys, children))
    if treedef.kind in (list, tuple):
        return treedef.kind(children)
    return treedef.kind(*children)
