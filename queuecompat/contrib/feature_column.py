"""``tf.contrib.feature_column``: the columns of sequences, which are in ``tf.feature_column``."""

from __future__ import annotations

from queuecompat.contrib._aliases import aliases

_NAMES = (
    "sequence_categorical_column_with_hash_bucket", "sequence_categorical_column_with_identity",
    "sequence_categorical_column_with_vocabulary_file", "sequence_categorical_column_with_vocabulary_list",
    "sequence_numeric_column",
)  # fmt: skip
_PLACES = {name: f"feature_column.{name}" for name in _NAMES}

__all__ = list(_NAMES)

__getattr__, __dir__ = aliases(__name__, _PLACES)
