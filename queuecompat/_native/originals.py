"""TensorFlow's own queue functions and readers, saved when this package is first used.

``queuecompat.install`` replaces them in TensorFlow's modules, but this package still needs the originals.
"""

from __future__ import annotations

from typing import Any, Dict

import tensorflow as tf

__all__ = ["READERS", "RUN", "TRAIN"]

# The original ``Session.run``; ``_session.steps.sessions`` replaces the method.
RUN = tf.compat.v1.Session.run

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
