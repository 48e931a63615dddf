"""``tf.contrib.tfprof``: counts parameters and operations of a model. TensorFlow 1.4 made it ``tf.profiler``."""

from __future__ import annotations

from queuecompat._lazy import lazily

__all__ = ["model_analyzer", "tfprof_logger"]

__getattr__, __dir__ = lazily(__name__, {name: f"{__name__}.{name}" for name in __all__})
