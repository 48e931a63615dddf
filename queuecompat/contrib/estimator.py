"""``tf.contrib.estimator``: the names that ``tf.estimator`` still has."""

from __future__ import annotations

from queuecompat.contrib._aliases import aliases

_NAMES = (
    "InMemoryEvaluatorHook", "add_metrics", "call_logit_fn",
    "dnn_logit_fn_builder", "linear_logit_fn_builder", "make_early_stopping_hook", "stop_if_higher_hook",
    "stop_if_lower_hook", "stop_if_no_decrease_hook", "stop_if_no_increase_hook",
)  # fmt: skip
_PLACES = {
    **{name: f"queuecompat.estimator:experimental.{name}" for name in _NAMES},
    "add_metrics": "queuecompat.estimator:add_metrics",
}

__all__ = list(_NAMES)

__getattr__, __dir__ = aliases(__name__, _PLACES)
