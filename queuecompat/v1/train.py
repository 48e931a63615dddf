"""``tf.train`` of ``queuecompat.v1``: ``tensorflow.compat.v1.train`` with our input functions on top."""

from __future__ import annotations

from typing import Any, List

import tensorflow.compat.v1 as _tf

from queuecompat import train as _ours
from queuecompat.train import *  # noqa: F403 - exactly what that module offers

__all__ = sorted({name for name in dir(_tf.train) if not name.startswith("_")} | set(_ours.__all__))


def __getattr__(name: str) -> Any:
    try:
        return getattr(_tf.train, name)
    except AttributeError:
        raise AttributeError(
            f"module 'queuecompat.v1.train' has no attribute '{name}': tensorflow.compat.v1.train has none"
        ) from None


def __dir__() -> List[str]:
    return __all__
