"""The input functions of ``tf.estimator`` and their modes, which TensorFlow 2.16 removed.

This is ``tf.estimator`` of ``queuecompat.v1``. If the installed TensorFlow still has ``tf.estimator``, the rest of
it is available there too.
"""

from __future__ import annotations

from queuecompat._lazy import lazily

__all__ = ["ModeKeys", "inputs"]

__getattr__, __dir__ = lazily(
    __name__,
    {"ModeKeys": "queuecompat.estimator.mode_keys:ModeKeys", "inputs": "queuecompat.estimator.inputs"},
    absent=lambda name: (
        f"tf.estimator.{name} is not part of this TensorFlow, whose last version with estimators was 2.15; "
        "queuecompat has only estimator.inputs and ModeKeys. for Keras models: "
        "tf.keras.Model.fit(queuecompat.as_dataset(input_fn))"
    ),
)
