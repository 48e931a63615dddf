"""The resources that the plans of one iterator refer to (``resources.Resources``): its own streams and starts."""

from __future__ import annotations

from typing import Dict, Optional

import tensorflow as tf

from queuecompat._plan.resources import NoResources, Stream
from queuecompat._plan.skipped import SkipLog

__all__ = ["DatasetResources"]


class DatasetResources(NoResources):
    """The resources of one iterator.

    Args:
      start: int64 ``[2]``, which decides everything that no seed does and which checkpoints save; None: seeds decide
        everything.
      skipped: where skipped elements are reported; None: none are skipped.
      iteration: the number of iterators before this one, int64 ``[]``; None: nothing needs it.
    """

    def __init__(
        self,
        start: Optional[tf.Tensor] = None,
        skipped: Optional[SkipLog] = None,
        iteration: Optional[tf.Tensor] = None,
    ) -> None:
        self._iteration = iteration
        self._start = start
        self._skipped = skipped
        self._streams: Dict[str, Stream] = {}

    def add_stream(self, key: str, stream: Stream) -> None:
        """Makes *stream* the stream of the stage with this *key*, for plans that are lowered from now on."""
        self._streams[key] = stream

    def stream(self, key: str, is_native: bool) -> Stream:
        return super().stream(key, is_native) if is_native else self._streams[key]

    def start(self, number: int) -> tf.Tensor:
        return super().start(number) if self._start is None else self._start + [number, 0]

    def iteration(self) -> tf.Tensor:
        return super().iteration() if self._iteration is None else self._iteration

    def skip_log(self) -> SkipLog:
        return super().skip_log() if self._skipped is None else self._skipped.open()
