"""``tf.contrib.metrics``: the streaming metrics that ``tf.metrics`` has, with contrib's order of arguments.

contrib's functions take *predictions* first and *labels* second; TensorFlow's own take them in the opposite order.
Each returns a value and an op that updates it; both keep their sums in local variables. The metrics without an
equivalent in TensorFlow 2 are in the package tf-slim; if it is installed, they are available here too.
"""

from __future__ import annotations

from queuecompat.contrib._aliases import aliases
from queuecompat.contrib.metrics import streaming
from queuecompat.contrib.metrics.plain import accuracy, aggregate_metric_map, aggregate_metrics
from queuecompat.contrib.slim import _layers

# Same arguments in the same order.
_PLACES = {
    "confusion_matrix": "compat.v1.math.confusion_matrix",
    "set_difference": "sets.difference",
    "set_intersection": "sets.intersection",
    "set_size": "sets.size",
    "set_union": "sets.union",
    "streaming_mean": "compat.v1.metrics.mean",
    "streaming_mean_tensor": "compat.v1.metrics.mean_tensor",
    "streaming_percentage_less": "compat.v1.metrics.percentage_below",
}
_OURS = {
    "accuracy": accuracy,
    "aggregate_metric_map": aggregate_metric_map,
    "aggregate_metrics": aggregate_metrics,
    **streaming.SWAPPED,
}
globals().update(_OURS)
_OF_TF_SLIM = dict.fromkeys(
    (
        "auc_using_histogram",
        "auc_with_confidence_intervals",
        "cohen_kappa",
        "count",
        "f1_score",
        "precision_at_recall",
        "precision_recall_at_equal_thresholds",
        "recall_at_precision",
        "sparse_recall_at_top_k",
        "streaming_concat",
        "streaming_covariance",
        "streaming_curve_points",
        "streaming_dynamic_auc",
        "streaming_false_negative_rate",
        "streaming_false_negative_rate_at_thresholds",
        "streaming_false_positive_rate",
        "streaming_false_positive_rate_at_thresholds",
        "streaming_pearson_correlation",
        "streaming_recall_at_k",
        "streaming_sparse_average_precision_at_top_k",
        "streaming_sparse_precision_at_top_k",
    ),
    "metrics",
)

__all__ = [*_OURS, *_PLACES]


_NOT_INSTALLED = "TensorFlow 2 has no equivalent; tf-slim has it, which is not installed (pip install tf-slim)"

_own, _own_names = aliases(__name__, _PLACES, _layers.missing_without(_OF_TF_SLIM, _NOT_INSTALLED))

__getattr__, __dir__ = _layers.beside(_own, _own_names, _OF_TF_SLIM)
