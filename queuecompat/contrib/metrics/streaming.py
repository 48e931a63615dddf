"""TensorFlow's metrics with the first two arguments exchanged."""

from __future__ import annotations

import functools
from typing import Any, Callable, Dict

import tensorflow as tf

__all__ = ["SWAPPED"]

# The names of contrib that are not "streaming_" followed by TensorFlow's name.
_RENAMED = {
    "streaming_sparse_average_precision_at_k": "average_precision_at_k",
    "streaming_sparse_precision_at_k": "precision_at_k",
    "streaming_sparse_recall_at_k": "recall_at_k",
}
_SAME = (
    "accuracy",
    "auc",
    "false_negatives",
    "false_negatives_at_thresholds",
    "false_positives",
    "false_positives_at_thresholds",
    "mean_absolute_error",
    "mean_cosine_distance",
    "mean_iou",
    "mean_relative_error",
    "mean_squared_error",
    "precision",
    "precision_at_thresholds",
    "recall",
    "recall_at_thresholds",
    "root_mean_squared_error",
    "sensitivity_at_specificity",
    "specificity_at_sensitivity",
    "true_negatives",
    "true_negatives_at_thresholds",
    "true_positives",
    "true_positives_at_thresholds",
)


def _swapped(name: str, here: str) -> Callable[..., Any]:
    original = getattr(tf.compat.v1.metrics, name)

    @functools.wraps(original)
    def metric(predictions: Any, labels: Any, *arguments: Any, **keywords: Any) -> Any:
        return original(labels, predictions, *arguments, **keywords)

    metric.__name__ = metric.__qualname__ = here
    return metric


# From contrib's name to a function of (predictions, labels) and the other arguments of the original.
SWAPPED: Dict[str, Callable[..., Any]] = {
    here: _swapped(name, here)
    for here, name in sorted({**_RENAMED, **{f"streaming_{name}": name for name in _SAME}}.items())
}
