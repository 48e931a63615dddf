"""``tf.contrib.learn.utils.saved_model_export_utils``: only ``make_export_strategy``."""

from __future__ import annotations

from queuecompat.contrib._aliases import aliases
from queuecompat.contrib.learn.export_strategy import make_export_strategy

__all__ = ["make_export_strategy"]

__getattr__, __dir__ = aliases(__name__, {})
