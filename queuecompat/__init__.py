"""queuecompat: TensorFlow 1 queue input pipelines, unchanged, on modern TensorFlow.

Importing this package loads no TensorFlow. Its names do, when they are first used::

    import queuecompat.v1 as tf        # TF1's namespace, its queues compiled to tf.data
    from queuecompat import train      # the tf.train input functions alone
    from queuecompat import image      # TF1's image ops, and crops, cutout, rotation
    print(queuecompat.explain())       # the plan of every pipeline in the current graph
"""

from __future__ import annotations

import importlib
from typing import Any, List

__all__ = ["__version__", "errors", "explain", "image", "queues", "readers", "train", "v1"]

__version__ = "0.1.0"

# Public name -> (module, attribute); attribute None is the module itself.
_LAZY = {
    "errors": ("queuecompat.errors", None),
    "explain": ("queuecompat.explanation", "explain"),
    "image": ("queuecompat.image", None),
    "queues": ("queuecompat.queues", None),
    "readers": ("queuecompat.readers", None),
    "train": ("queuecompat.train", None),
    "v1": ("queuecompat.v1", None),
}


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module 'queuecompat' has no attribute '{name}'")
    module, attribute = _LAZY[name]
    found = importlib.import_module(module)
    value = found if attribute is None else getattr(found, attribute)
    globals()[name] = value
    return value


def __dir__() -> List[str]:
    return sorted(__all__)
