"""Functions that TensorFlow has removed: renamed ones of 0.x whose arguments changed, and private ones."""

from __future__ import annotations

import types
from typing import Any, Optional

import tensorflow.compat.v1 as _tf

__all__ = [
    "audio_summary",
    "batch_matmul",
    "histogram_summary",
    "image_summary",
    "matrix",
    "pywrap_tensorflow",
    "scalar",
    "scalar_summary",
    "vector",
    "zero_state_tensors",
]


def scalar_summary(tags: Any, values: Any, collections: Any = None, name: Optional[str] = None) -> Any:
    """Writes a scalar with its tag, as ``tf.scalar_summary`` of TensorFlow 0.12 did.

    Args:
      tags: string, or a tensor of strings shaped like *values*. Unlike the name in ``tf.summary.scalar``, it is used
        unchanged: no scope before it, no number after it.
      values: real scalar, or tensor shaped like *tags*.
      collections: graph collections to add the summary to; default ``[GraphKeys.SUMMARIES]``.
    Returns:
      A scalar string tensor: a serialised ``Summary``.
    """
    summary = _tf.raw_ops.ScalarSummary(tags=tags, values=values, name=name)
    return _collected(summary, collections)


def histogram_summary(tag: Any, values: Any, collections: Any = None, name: Optional[str] = None) -> Any:
    """Writes a histogram of *values*, a real tensor of any shape; otherwise as ``scalar_summary``."""
    summary = _tf.raw_ops.HistogramSummary(tag=tag, values=values, name=name)
    return _collected(summary, collections)


def image_summary(
    tag: Any, tensor: Any, max_images: int = 3, collections: Any = None, name: Optional[str] = None
) -> Any:
    """Writes up to *max_images* of *tensor*, ``[batch, height, width, 1, 3 or 4]``; otherwise as ``scalar_summary``."""
    summary = _tf.raw_ops.ImageSummary(tag=tag, tensor=tensor, max_images=max_images, name=name)
    return _collected(summary, collections)


def audio_summary(
    tag: Any,
    tensor: Any,
    sample_rate: Any,
    max_outputs: int = 3,
    collections: Any = None,
    name: Optional[str] = None,
) -> Any:
    """Writes sound: *tensor* of shape ``[batch, frames]`` or ``[batch, frames, channels]``, *sample_rate* in hertz."""
    summary = _tf.raw_ops.AudioSummaryV2(
        tag=tag, tensor=tensor, sample_rate=_tf.cast(sample_rate, _tf.float32), max_outputs=max_outputs, name=name
    )
    return _collected(summary, collections)


def batch_matmul(
    x: Any, y: Any, adj_x: Optional[bool] = None, adj_y: Optional[bool] = None, name: Optional[str] = None
) -> Any:
    """Multiplies the matrices in the last two dimensions; *adj_x*, *adj_y*: use the conjugate transpose."""
    return _tf.matmul(x, y, adjoint_a=bool(adj_x), adjoint_b=bool(adj_y), name=name)


def scalar() -> _tf.TensorShape:
    """Returns the shape of a scalar. This and the next two were in ``tensorflow.python.framework.tensor_shape``."""
    return _tf.TensorShape([])


def vector(length: Any) -> _tf.TensorShape:
    """Returns the shape of a vector; *length* is None if it is not known."""
    return _tf.TensorShape([length])


def matrix(rows: Any, cols: Any) -> _tf.TensorShape:
    """Returns the shape of a matrix; *rows* and *cols* are None if they are not known."""
    return _tf.TensorShape([rows, cols])


def zero_state_tensors(state_size: Any, batch_size: Any, dtype: Any) -> Any:
    """Returns the zero state of an RNN cell, as ``rnn_cell_impl`` made it for user-defined cells (Sonnet 1).

    Args:
      state_size: integers and shapes, in any structure.
      batch_size: the first dimension of each tensor; a number or a tensor.
    """

    def zeros(size: Any) -> Any:
        dimensions = size.as_list() if isinstance(size, _tf.TensorShape) else [size]
        return _tf.zeros([batch_size, *dimensions], dtype)

    return _tf.nest.map_structure(zeros, state_size)


def _collected(summary: Any, collections: Any) -> Any:
    for collection in [_tf.GraphKeys.SUMMARIES] if collections is None else collections:
        _tf.add_to_collection(collection, summary)
    return summary


pywrap_tensorflow = types.ModuleType(
    "queuecompat.v1.pywrap_tensorflow", "What scripts took from ``tensorflow.python.pywrap_tensorflow``."
)
pywrap_tensorflow.NewCheckpointReader = _tf.train.NewCheckpointReader  # type: ignore[attr-defined]
