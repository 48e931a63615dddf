"""What of TensorFlow 1 is made of Keras 2, beside Keras itself: ``run`` and ``check`` ask for tf_keras by this."""

from __future__ import annotations

__all__ = ["ESTIMATORS"]

# Estimators whose names begin so have models of its layers.
ESTIMATORS = ("DNN", "Linear")
