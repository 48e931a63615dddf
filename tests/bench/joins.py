"""Workload ``joins``: the same records through ``shuffle_batch_join``, with one reader and one slice for each list.

TensorFlow 1 programs read several files at once in this way. ``num_threads`` is the number of lists here.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from . import records
from .records import BATCH_SIZE, CAPACITY, MIN_AFTER_DEQUEUE, RECORDS
from .workload import Workload

__all__ = ["JOINS"]


def _queues(tf: Any, files: list[str], *, num_threads: int, num_epochs: int | None) -> Any:
    names = tf.train.string_input_producer(files, num_epochs=num_epochs)
    lists = [list(records.example(tf, tf.TFRecordReader().read(names)[1])) for _ in range(num_threads)]
    return tf.train.shuffle_batch_join(lists, BATCH_SIZE, capacity=CAPACITY, min_after_dequeue=MIN_AFTER_DEQUEUE)


def _tf_data(tf: Any, files: list[str], num_epochs: int | None) -> Any:
    names = tf.data.Dataset.from_tensor_slices(files).shuffle(len(files)).repeat(num_epochs)
    read = names.interleave(tf.data.TFRecordDataset, cycle_length=2, num_parallel_calls=tf.data.AUTOTUNE)
    examples = read.map(lambda record: records.example(tf, record), num_parallel_calls=tf.data.AUTOTUNE)
    return examples.shuffle(CAPACITY).batch(BATCH_SIZE, drop_remainder=True).prefetch(tf.data.AUTOTUNE)


JOINS: Workload = dataclasses.replace(
    RECORDS,
    summary=RECORDS.summary.replace("shuffle_batch(", "shuffle_batch_join("),
    queues=_queues,
    tf_data=_tf_data,
)
