"""``tf.contrib.eager``, which programs imported as ``tfe``: its successors in TensorFlow 2, under the old names."""

from __future__ import annotations

from queuecompat.contrib._aliases import aliases

_PLACES = {
    "Checkpoint": "train.Checkpoint",
    "GradientTape": "GradientTape",
    "TensorSpec": "TensorSpec",
    "Variable": "Variable",
    "custom_gradient": "custom_gradient",
    "enable_eager_execution": "compat.v1.enable_eager_execution",
    "executing_eagerly": "executing_eagerly",
    "function": "function",
    "in_eager_mode": "executing_eagerly",
    "make_template": "compat.v1.make_template",
    "py_func": "py_function",
}
__all__ = sorted(_PLACES)

__getattr__, __dir__ = aliases(__name__, _PLACES)
