"""``import queuecompat.v1 as tf``: TensorFlow 1's namespace, with queue pipelines compiled to tf.data.

Everything of ``tensorflow.compat.v1`` is here under its own name; ``tf.train``'s input functions, the
readers (``tf.TFRecordReader`` ...) and the image ops of ``queuecompat.image`` are queuecompat's. Nothing
else is added and nothing is hidden.

Importing this module turns TensorFlow 2 behaviour off, as TF1 code expects it: graphs and sessions,
reference variables, v1 control flow. For single functions without that, see ``queuecompat.train``.
"""

from __future__ import annotations

from typing import Any, List

import tensorflow.compat.v1 as _tf

from queuecompat import readers
from queuecompat._runtime.runners import quietly
from queuecompat.image import random_crop
from queuecompat.v1 import image, train

with quietly():
    _tf.disable_v2_behavior()

_READERS = {name: getattr(readers, name) for name in readers.__all__}
_OURS = {"image": image, "random_crop": random_crop, "train": train, **_READERS}
globals().update(_READERS)

__all__ = sorted({name for name in dir(_tf) if not name.startswith("_")} | set(_OURS))


def __getattr__(name: str) -> Any:
    try:
        return getattr(_tf, name)
    except AttributeError:
        raise AttributeError(
            f"module 'queuecompat.v1' has no attribute '{name}': tensorflow.compat.v1 has none"
        ) from None


def __dir__() -> List[str]:
    return __all__
