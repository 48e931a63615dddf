"""``tf.contrib.eager``, which programs called ``tfe``: what became of it in TensorFlow 2, under its old names."""

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

_INSTEAD = {
    "Iterator": "datasets are iterable: for batch in dataset",
    "Network": "use tf.keras.Model",
    "Saver": "use tf.train.Checkpoint",
    "Sequential": "use tf.keras.Sequential",
    "defun": "use tf.function",
    "gradients_function": "use tf.GradientTape",
    "implicit_gradients": "use tf.GradientTape",
    "implicit_value_and_gradients": "use tf.GradientTape",
    "list_devices": "use tf.config.list_logical_devices",
    "metrics": "use tf.keras.metrics",
    "num_gpus": "use len(tf.config.list_logical_devices('GPU'))",
    "value_and_gradients_function": "use tf.GradientTape",
}


def _absent(name: str) -> str:
    return _INSTEAD.get(name, "TensorFlow 2 has nothing like it")


__getattr__, __dir__ = aliases(__name__, _PLACES, _absent)
