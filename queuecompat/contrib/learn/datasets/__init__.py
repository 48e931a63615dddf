"""``tf.contrib.learn.datasets``: MNIST from local files; the other data sets were downloads."""

from __future__ import annotations

from queuecompat._lazy import lazily

__all__ = ["mnist"]

__getattr__, __dir__ = lazily(__name__, {"mnist": f"{__name__}.mnist"})
