"""What the number of a record is (``queuecompat.records.numbers``) where it is a component of an element."""

from __future__ import annotations

import tensorflow as tf

__all__ = ["NUMBER"]

NUMBER = tf.TensorSpec([], tf.int64)
