"""``tf.contrib.slim``: its input modules, compiled, and the rest of it if ``tf-slim`` is installed.

    slim = tf.contrib.slim
    provider = slim.dataset_data_provider.DatasetDataProvider(dataset, num_readers=4, shuffle=True)
    image, label = provider.get(["image", "label"])

A name that is not one of the modules here is looked up in the package ``tf_slim`` (``pip install tf-slim``):
``slim.conv2d``, ``slim.nets``, ``slim.learning`` ... Without that package, the names that slim shared with
``tf.contrib.layers`` and ``tf.contrib.framework`` are those of queuecompat: ``slim.arg_scope``,
``slim.l2_regularizer``, ``slim.one_hot_encoding``.
"""

from __future__ import annotations

from typing import Any, List

from queuecompat._lazy import lazily
from queuecompat.contrib.slim import _layers
from queuecompat.contrib.slim._shared import SHARED

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

_look_up, _ = lazily(__name__, {name: f"{__name__}.{name}" for name in __all__} | SHARED, absent=str)


def __getattr__(name: str) -> Any:
    is_own = name in __all__ or (name in SHARED and not _layers.has(name))
    return _look_up(name) if is_own else _layers.find(name)


def __dir__() -> List[str]:
    return sorted({*__all__, *SHARED, *_layers.names()})
