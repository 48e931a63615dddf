"""``tf.contrib.metrics``: the streaming metrics that ``tf.metrics`` has, with contrib's order of arguments.

contrib's functions take *predictions* first and *labels* second; TensorFlow's own take them in the opposite order.
Each returns a value and an op that updates it; both keep their sums in local variables.
"""

from __future__ import annotations

from queuecompat.contrib._aliases import aliases
from queuecompat.contrib.metrics import streaming
from queuecompat.contrib.metrics.plain import accuracy, aggregate_metric_map, aggregate_metrics

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

__all__ = [*_OURS, *_PLACES]


def _absent(name: str) -> str:
    return "TensorFlow 2 has no equivalent; see tf.compat.v1.metrics and tf.keras.metrics"


__getattr__, __dir__ = aliases(__name__, _PLACES, _absent)
