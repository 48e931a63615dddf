"""``tf.contrib.tensorboard``: the projector of embeddings, which is in the package tensorboard."""

from __future__ import annotations

from queuecompat._lazy import lazily

__all__ = ["plugins"]

__getattr__, __dir__ = lazily(__name__, {name: f"{__name__}.{name}" for name in __all__})
