"""``tf.contrib.slim``: its input modules, compiled, and the rest of it if ``tf-slim`` is installed.

    slim = tf.contrib.slim
    provider = slim.dataset_data_provider.DatasetDataProvider(dataset, num_readers=4, shuffle=True)
    image, label = provider.get(["image", "label"])

A name that is not one of the modules here is looked up in the package ``tf_slim`` (``pip install tf-slim``):
``slim.conv2d``, ``slim.arg_scope``, ``slim.nets``, ``slim.learning`` ...
"""

from __future__ import annotations

from typing import Any, List

from queuecompat._lazy import lazily
from queuecompat.contrib.slim import _layers

__all__ = [
    "data_decoder",
    "data_provider",
    "dataset",
    "dataset_data_provider",
    "parallel_reader",
    "prefetch_queue",
    "queues",
    "tfexample_decoder",
]

_look_up, _ = lazily(__name__, {name: f"{__name__}.{name}" for name in __all__}, absent=str)


def __getattr__(name: str) -> Any:
    return _look_up(name) if name in __all__ else _layers.find(name)


def __dir__() -> List[str]:
    return sorted({*__all__, *_layers.names()})
