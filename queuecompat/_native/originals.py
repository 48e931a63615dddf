"""TensorFlow's own queue functions and readers, taken when this package was first used.

``queuecompat.install`` puts ours in their places; what ours are made of must not change with it.
"""

from __future__ import annotations

from typing import Any, Dict

import tensorflow as tf

__all__ = ["READERS", "TRAIN"]

TRAIN: Dict[str, Any] = {
    name: getattr(tf.compat.v1.train, name) for name in dir(tf.compat.v1.train) if not name.startswith("_")
}
READERS: Dict[str, Any] = {
    name: getattr(tf.compat.v1, name)
    for name in (
        "FixedLengthRecordReader",
        "IdentityReader",
        "TFRecordReader",
        "TextLineReader",
        "WholeFileReader",
    )
}
