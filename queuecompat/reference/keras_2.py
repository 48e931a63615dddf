"""Names of TensorFlow 1, other than Keras's own, that need Keras 2: ``run`` and ``check`` ask for tf_keras."""

from __future__ import annotations

__all__ = ["ESTIMATORS"]

# Estimators whose names begin so have models of its layers.
ESTIMATORS = ("DNN", "Linear")
