"""``tf.estimator.inputs``: input functions for arrays and tables in memory."""

from __future__ import annotations

from queuecompat._lazy import lazily

__all__ = ["numpy_input_fn", "pandas_input_fn"]

__getattr__, __dir__ = lazily(
    __name__,
    {
        "numpy_input_fn": "queuecompat.estimator.inputs.numpy_io:numpy_input_fn",
        "pandas_input_fn": "queuecompat.estimator.inputs.pandas_io:pandas_input_fn",
    },
    absent=lambda name: f"tf.estimator.inputs has no '{name}'; it has only numpy_input_fn and pandas_input_fn",
)
