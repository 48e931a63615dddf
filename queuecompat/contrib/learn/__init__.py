"""``tf.contrib.learn``: its readers, input functions, modes, data sets and preprocessing. It has no estimators."""

from __future__ import annotations

from queuecompat._lazy import lazily

_GRAPH = "queuecompat.contrib.learn.learn_io.graph_io"
_PANDAS = "queuecompat.contrib.learn.learn_io.pandas_io"
_PLACES = {
    "ModeKeys": "queuecompat.contrib.learn.model_fn:ModeKeys",
    "datasets": "queuecompat.contrib.learn.datasets",
    "extract_pandas_data": f"{_PANDAS}:extract_pandas_data",
    "extract_pandas_labels": f"{_PANDAS}:extract_pandas_labels",
    "extract_pandas_matrix": f"{_PANDAS}:extract_pandas_matrix",
    "io": "queuecompat.contrib.learn.learn_io",
    "preprocessing": "queuecompat.contrib.learn.preprocessing",
    "read_batch_examples": f"{_GRAPH}:read_batch_examples",
    "read_batch_features": f"{_GRAPH}:read_batch_features",
    "read_batch_record_features": f"{_GRAPH}:read_batch_record_features",
    "read_keyed_batch_examples": f"{_GRAPH}:read_keyed_batch_examples",
    "read_keyed_batch_examples_shared_queue": f"{_GRAPH}:read_keyed_batch_examples_shared_queue",
    "read_keyed_batch_features": f"{_GRAPH}:read_keyed_batch_features",
    "read_keyed_batch_features_shared_queue": f"{_GRAPH}:read_keyed_batch_features_shared_queue",
}

__all__ = sorted(_PLACES)

__getattr__, __dir__ = lazily(__name__, _PLACES)
