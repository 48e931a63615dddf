"""``tf.contrib.learn.io``: readers of files of Examples, and input functions for arrays, tables and generators."""

from __future__ import annotations

from typing import List

from queuecompat._lazy import lazily

_MODULES = {
    "generator_io": ["generator_input_fn"],
    "graph_io": [
        "queue_parsed_features",
        "read_batch_examples",
        "read_batch_features",
        "read_batch_record_features",
        "read_keyed_batch_examples",
        "read_keyed_batch_examples_shared_queue",
        "read_keyed_batch_features",
        "read_keyed_batch_features_shared_queue",
    ],
    "numpy_io": ["numpy_input_fn"],
    "pandas_io": [
        "HAS_PANDAS",
        "extract_pandas_data",
        "extract_pandas_labels",
        "extract_pandas_matrix",
        "pandas_input_fn",
    ],
}
_PLACES = {name: f"{__name__}.{module}:{name}" for module, names in _MODULES.items() for name in names}
_PLACES.update((module, f"{__name__}.{module}") for module in _MODULES)

# Whether dask tables can be read: TF1 programs read this flag.
HAS_DASK = False

__all__ = sorted([*_PLACES, "HAS_DASK"])

__getattr__, _ = lazily(__name__, _PLACES, title="tf.contrib.learn.io")


def __dir__() -> List[str]:
    return __all__
