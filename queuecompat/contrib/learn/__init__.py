"""``tf.contrib.learn``: its readers, input functions, modes, data sets and preprocessing, and experiments.

It has no estimators of its own: an ``Experiment`` trains and evaluates those of ``tf.estimator``.
"""

from __future__ import annotations

from queuecompat._lazy import lazily

_GRAPH = "queuecompat.contrib.learn.learn_io.graph_io"
_PANDAS = "queuecompat.contrib.learn.learn_io.pandas_io"
_EXPORTS = "queuecompat.contrib.learn.export_strategy"
_RUNS = "queuecompat.contrib.learn.run_config"
_PLACES = {
    "Experiment": "queuecompat.contrib.learn.experiment:Experiment",
    "ExportStrategy": f"{_EXPORTS}:ExportStrategy",
    "ModeKeys": "queuecompat.contrib.learn.model_fn:ModeKeys",
    "RunConfig": f"{_RUNS}:RunConfig",
    "TaskType": f"{_RUNS}:TaskType",
    "datasets": "queuecompat.contrib.learn.datasets",
    "extract_pandas_data": f"{_PANDAS}:extract_pandas_data",
    "extract_pandas_labels": f"{_PANDAS}:extract_pandas_labels",
    "extract_pandas_matrix": f"{_PANDAS}:extract_pandas_matrix",
    "io": "queuecompat.contrib.learn.learn_io",
    "learn_runner": "queuecompat.contrib.learn.learn_runner",
    "make_export_strategy": f"{_EXPORTS}:make_export_strategy",
    "preprocessing": "queuecompat.contrib.learn.preprocessing",
    "read_batch_examples": f"{_GRAPH}:read_batch_examples",
    "read_batch_features": f"{_GRAPH}:read_batch_features",
    "read_batch_record_features": f"{_GRAPH}:read_batch_record_features",
    "read_keyed_batch_examples": f"{_GRAPH}:read_keyed_batch_examples",
    "read_keyed_batch_examples_shared_queue": f"{_GRAPH}:read_keyed_batch_examples_shared_queue",
    "read_keyed_batch_features": f"{_GRAPH}:read_keyed_batch_features",
    "read_keyed_batch_features_shared_queue": f"{_GRAPH}:read_keyed_batch_features_shared_queue",
    "utils": "queuecompat.contrib.learn.utils",
}

__all__ = sorted(_PLACES)

__getattr__, __dir__ = lazily(__name__, _PLACES)
