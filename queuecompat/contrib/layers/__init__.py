"""``tf.contrib.layers``: feature columns, embeddings, initializers, regularizers and ``optimize_loss``, as in TF1.

The layers themselves (``conv2d``, ``fully_connected``, ``batch_norm`` ...) are in the package tf-slim; if it is
installed, they are available here too.
"""

from __future__ import annotations

from typing import Any, List

from queuecompat._lazy import lazily
from queuecompat.contrib.slim import _layers

_HERE = "queuecompat.contrib.layers"
_FILES = {
    "columns": (
        "bucketized_column",
        "check_feature_columns",
        "crossed_column",
        "embedding_column",
        "one_hot_column",
        "real_valued_column",
        "shared_embedding_columns",
        "sparse_column_with_hash_bucket",
        "sparse_column_with_integerized_feature",
        "sparse_column_with_keys",
        "sparse_column_with_vocabulary_file",
        "weighted_sparse_column",
    ),
    "encoders": ("bow_encoder", "embed_sequence", "embedding_lookup_unique"),
    "initializers": ("variance_scaling_initializer", "xavier_initializer", "xavier_initializer_conv2d"),
    "inputs": (
        "create_feature_spec_for_parsing",
        "input_from_feature_columns",
        "make_place_holder_tensors_for_base_features",
        "parse_feature_columns_from_examples",
        "parse_feature_columns_from_sequence_examples",
        "weighted_sum_from_feature_columns",
    ),
    "optimizing": ("OPTIMIZER_CLS_NAMES", "OPTIMIZER_SUMMARIES", "optimize_loss"),
    "regularizers": (
        "apply_regularization",
        "l1_l2_regularizer",
        "l1_regularizer",
        "l2_regularizer",
        "sum_regularizer",
    ),
    "shaping": ("flatten", "one_hot_encoding", "safe_embedding_lookup_sparse"),
}
_PLACES = {name: f"{_HERE}.{file}:{name}" for file, names in _FILES.items() for name in names}
__all__ = sorted(_PLACES)


def _absent(name: str) -> str:
    return "it is a layer of tf-slim (pip install tf-slim), or TensorFlow 1.15 had no such name"


_own, _own_names = lazily(__name__, _PLACES, _absent)


def _slim() -> List[Any]:
    """Returns the modules of tf-slim in which a name is looked up; none if it is not installed."""
    if not _layers.is_installed():
        return []
    return [_layers.load(f"{_layers.PACKAGE}.layers"), _layers.load(_layers.PACKAGE)]


def __getattr__(name: str) -> Any:
    # Names that Python itself looks up, such as __path__, are not layers.
    if name not in _PLACES and not name.startswith("_"):
        for module in _slim():
            if hasattr(module, name):
                return getattr(module, name)
    return _own(name)


def __dir__() -> List[str]:
    return _own_names()
