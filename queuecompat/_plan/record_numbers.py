"""The spec of a record's number (``queuecompat.records.numbers``) as a component of an element."""

from __future__ import annotations

import tensorflow as tf

__all__ = ["NUMBER"]

NUMBER = tf.TensorSpec([], tf.int64)
