"""What the plans of one iterator of a dataset name (``resources.Resources``): its own streams and starts."""

from __future__ import annotations

from typing import Dict

import tensorflow as tf

from queuecompat._plan.resources import NoResources, Stream

__all__ = ["DatasetResources"]


class DatasetResources(NoResources):
    """*start*: int64 ``[2]``, which decides what no seed does, and which a checkpoint holds."""

    def __init__(self, start: tf.Tensor) -> None:
        self._start = start
        self._streams: Dict[str, Stream] = {}

    def add_stream(self, key: str, stream: Stream) -> None:
        """*stream* is that of the stage of this *key*, for the plans that are lowered from now on."""
        self._streams[key] = stream

    def stream(self, key: str, is_native: bool) -> Stream:
        return super().stream(key, is_native) if is_native else self._streams[key]

    def start(self, number: int) -> tf.Tensor:
        return self._start + [number, 0]
