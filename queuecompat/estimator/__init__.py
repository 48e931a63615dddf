"""What ``tf.estimator`` had for input pipelines; TensorFlow 2.16 dropped all of it.

Reached as ``tf.estimator`` of ``queuecompat.v1``, which has everything else of it too where the
installed TensorFlow still does.
"""

from __future__ import annotations

from queuecompat._lazy import lazily

__all__ = ["inputs"]

__getattr__, __dir__ = lazily(
    __name__,
    {"inputs": "queuecompat.estimator.inputs"},
    absent=lambda name: (
        f"tf.estimator.{name} is not part of this TensorFlow, whose last version with estimators was 2.15; "
        "queuecompat has only estimator.inputs. Keras models take what input functions give: tf.keras.Model.fit"
    ),
)
