"""``tf.contrib.learn.utils``: only ``make_export_strategy``."""

from __future__ import annotations

from queuecompat._lazy import lazily

_PLACES = {
    "make_export_strategy": "queuecompat.contrib.learn.export_strategy:make_export_strategy",
    "saved_model_export_utils": f"{__name__}.saved_model_export_utils",
}
__all__ = sorted(_PLACES)

__getattr__, __dir__ = lazily(__name__, _PLACES)
