"""A workload made of a source and a function of one of its elements."""

from __future__ import annotations

import pathlib
from collections.abc import Callable
from typing import Any

from ..workload import Workload
from .sources import Source

__all__ = ["BATCH_SIZE", "made"]

BATCH_SIZE = 32
CAPACITY = 2_000  # examples, where they are shuffled
MIN_AFTER_DEQUEUE = 1_000  # examples


def made(
    summary: str,
    load: Callable[[pathlib.Path, int], Any],
    source: Source,
    element: Callable[[Any, Any], list[Any]],
    *,
    count: int,
    shuffled: bool = False,
    padded: bool = False,
) -> Workload:
    """The workload that batches *element* of what *source* reads.

    Args:
      element: takes the namespace of TensorFlow 1 and what comes from the source.
      count: examples in an epoch.
      padded: ``dynamic_pad=True``: to the longest of a batch.
    """

    def queues(tf: Any, loaded: Any, *, num_threads: int, num_epochs: int | None) -> Any:
        tensors = element(tf, source.queue(tf, loaded, num_epochs))
        if shuffled:
            return tf.train.shuffle_batch(tensors, BATCH_SIZE, CAPACITY, MIN_AFTER_DEQUEUE, num_threads)
        return tf.train.batch(tensors, BATCH_SIZE, num_threads, capacity=4 * BATCH_SIZE, dynamic_pad=padded)

    def tf_data(tf: Any, loaded: Any, num_epochs: int | None) -> Any:
        examples = source.dataset(tf, loaded, num_epochs).map(
            lambda *given: tuple(element(tf.compat.v1, given[0] if len(given) == 1 else given)),
            num_parallel_calls=tf.data.AUTOTUNE,
        )
        examples = examples.shuffle(CAPACITY) if shuffled else examples
        batched = examples.padded_batch if padded else examples.batch
        return batched(BATCH_SIZE, drop_remainder=True).prefetch(tf.data.AUTOTUNE)

    return Workload(
        summary=summary,
        batch_size=BATCH_SIZE,
        count=count,
        quick_count=4 * BATCH_SIZE,
        load=load,
        queues=queues,
        tf_data=tf_data,
    )
