"""``tf.contrib.learn.datasets``: MNIST from local files, and CSV files; the other data sets were downloads."""

from __future__ import annotations

from queuecompat._lazy import lazily

__all__ = ["base", "mnist"]

__getattr__, __dir__ = lazily(__name__, {name: f"{__name__}.{name}" for name in __all__})
