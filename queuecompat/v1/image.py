"""``tf.image`` of ``queuecompat.v1``: ``tensorflow.compat.v1.image`` with our image ops on top."""

from __future__ import annotations

from typing import Any, List

import tensorflow.compat.v1 as _tf

from queuecompat import image as _ours
from queuecompat.image import *  # noqa: F403 - exactly what that package offers

__all__ = sorted({name for name in dir(_tf.image) if not name.startswith("_")} | set(_ours.__all__))


def __getattr__(name: str) -> Any:
    try:
        return getattr(_tf.image, name)
    except AttributeError:
        raise AttributeError(
            f"module 'queuecompat.v1.image' has no attribute '{name}': tensorflow.compat.v1.image has none"
        ) from None


def __dir__() -> List[str]:
    return __all__
