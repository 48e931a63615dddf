"""Metrics of one batch, and metrics by name. Source: TF 1.15.5 ``contrib/metrics``."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional, Tuple

import tensorflow as tf

__all__ = ["accuracy", "aggregate_metric_map", "aggregate_metrics"]


def accuracy(predictions: tf.Tensor, labels: tf.Tensor, weights: Any = None, name: Optional[str] = None) -> tf.Tensor:
    """The fraction of *predictions* that equal their labels: scalar float32.

    Args:
      predictions, labels: integers, strings or bools, of one shape.
      weights: weight of each, float32; None: equal weights.
    Raises:
      ValueError: wrong or different types, or different shapes.
    Differs from TF1: None known.
    Source: TF 1.15.5 ``contrib/metrics/python/metrics/classification.py``.
    """
    if not (predictions.dtype.is_integer or predictions.dtype in (tf.bool, tf.string)):
        raise ValueError(f"accuracy: predictions are {predictions.dtype.name}; pass integers, strings or bools")
    if labels.dtype != predictions.dtype:
        raise ValueError(f"accuracy: labels are {labels.dtype.name}, but predictions are {predictions.dtype.name}")
    with tf.compat.v1.name_scope(name, "accuracy", values=[predictions, labels]):
        is_right = tf.cast(tf.equal(predictions, labels), tf.float32)
        if weights is None:
            return tf.reduce_mean(is_right)
        is_right = is_right * weights
        weight_of_each = weights * tf.ones_like(is_right)
        return tf.reduce_sum(is_right) / tf.reduce_sum(weight_of_each)


def aggregate_metrics(*value_update_tuples: Tuple[Any, Any]) -> Tuple[List[Any], List[Any]]:
    """All values and all updates of several metrics. ValueError: there are none."""
    if not value_update_tuples:
        raise ValueError("aggregate_metrics: pass at least one metric, a value and its update")
    values, updates = zip(*value_update_tuples)
    return list(values), list(updates)


def aggregate_metric_map(names_to_tuples: Mapping[str, Tuple[Any, Any]]) -> Tuple[Dict[str, Any], Dict[str, Any]]:
    """The values and the updates of metrics, by their names."""
    return (
        {name: value for name, (value, _) in names_to_tuples.items()},
        {name: update for name, (_, update) in names_to_tuples.items()},
    )
