"""``tf.contrib.learn.datasets``: MNIST from local files; the other data sets were downloads."""

from __future__ import annotations

from queuecompat._lazy import lazily

__all__ = ["mnist"]

__getattr__, __dir__ = lazily(
    __name__,
    {"mnist": f"{__name__}.mnist"},
    absent=lambda name: (
        f"tf.contrib.learn.datasets.{name} is not here: tf.keras.datasets and scikit-learn provide such data sets as "
        "arrays, which numpy_input_fn accepts"
    ),
)
