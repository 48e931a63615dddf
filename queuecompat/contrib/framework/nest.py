"""``tf.contrib.framework.nest``: ``tf.nest``, and the old name of ``is_nested``."""

from __future__ import annotations

import tensorflow as tf

__all__ = ["assert_same_structure", "flatten", "is_nested", "is_sequence", "map_structure", "pack_sequence_as"]

assert_same_structure = tf.nest.assert_same_structure
flatten = tf.nest.flatten
is_nested = is_sequence = tf.nest.is_nested
map_structure = tf.nest.map_structure
pack_sequence_as = tf.nest.pack_sequence_as
