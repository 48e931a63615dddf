"""Names of ``tf.contrib.learn`` that are not here, and where to look instead."""

from __future__ import annotations

__all__ = ["absent"]

_DASK = "dask tables are not read; compute() gives a pandas table, and pandas_input_fn takes that"
_INSTEAD = {
    "extract_dask_data": _DASK,
    "extract_dask_labels": _DASK,
    "monitors": "tf.train.SessionRunHook and its subclasses do what they did",
    "run_feeds": "a loop of session.run(..., feed_dict=...) does the same",
    "run_n": "a loop of session.run does the same",
}
_MODEL = "it had to do with models and not with their input; tf.keras.Model takes what our readers give"


def absent(name: str) -> str:
    """What the AttributeError for ``contrib.learn.<name>`` says."""
    return f"tf.contrib.learn.{name} is not part of TensorFlow 2, nor of queuecompat: {_INSTEAD.get(name, _MODEL)}"
