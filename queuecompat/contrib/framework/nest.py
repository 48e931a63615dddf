"""``tf.contrib.framework.nest``: ``tf.nest``, the old name of ``is_nested``, and functions for shallow structures."""

from __future__ import annotations

from typing import Any, Dict, Mapping

import tensorflow as tf

__all__ = [
    "assert_same_structure",
    "assert_shallow_structure",
    "flatten",
    "flatten_dict_items",
    "flatten_up_to",
    "get_traverse_shallow_structure",
    "is_nested",
    "is_sequence",
    "map_structure",
    "map_structure_up_to",
    "pack_sequence_as",
]

assert_same_structure = tf.nest.assert_same_structure
flatten = tf.nest.flatten
flatten_up_to = tf.__internal__.nest.flatten_up_to
get_traverse_shallow_structure = tf.__internal__.nest.get_traverse_shallow_structure
is_nested = is_sequence = tf.nest.is_nested
map_structure = tf.nest.map_structure
map_structure_up_to = tf.__internal__.nest.map_structure_up_to
pack_sequence_as = tf.nest.pack_sequence_as


def assert_shallow_structure(shallow_tree: Any, input_tree: Any, check_types: bool = True) -> None:
    """Checks that the outer levels of *input_tree* have the structure of *shallow_tree*.

    Raises:
      TypeError: a part of one is nested and that of the other is not, or has a different type.
      ValueError: the numbers of entries, or the keys, differ.
    """
    flatten_up_to(shallow_tree, input_tree, check_types)


def flatten_dict_items(dictionary: Mapping[Any, Any]) -> Dict[Any, Any]:
    """Returns *dictionary* with an entry for each part of a nested key: ``{("a", "b"): (1, 2)}`` becomes
    ``{"a": 1, "b": 2}``.

    Raises:
      TypeError: it is not a dictionary.
      ValueError: a key occurs twice, or a value has more or fewer parts than its key.
    """
    if not isinstance(dictionary, Mapping):
        raise TypeError(f"flatten_dict_items takes a dictionary, not {dictionary!r}")
    found: Dict[Any, Any] = {}
    for key, value in dictionary.items():
        keys, values = (flatten(key), flatten(value)) if is_nested(key) else ([key], [value])
        if len(keys) != len(values):
            raise ValueError(f"the key {key!r} has {len(keys)} parts, but its value {value!r} has {len(values)}")
        for one, part in zip(keys, values):
            if one in found:
                raise ValueError(f"the key {one!r} appears twice in {dictionary!r}")
            found[one] = part
    return found
