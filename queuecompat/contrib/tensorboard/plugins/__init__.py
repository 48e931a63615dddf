"""``tf.contrib.tensorboard.plugins``."""

from __future__ import annotations

from queuecompat._lazy import lazily

__all__ = ["projector"]

__getattr__, __dir__ = lazily(__name__, {name: f"{__name__}.{name}" for name in __all__})
