"""Workload ``csv``: lines of twenty numbers and a label, parsed and mixed in a shuffle buffer."""

from __future__ import annotations

from typing import Any

from . import data
from .workload import Workload

__all__ = ["CSV"]

BATCH_SIZE = 128
CAPACITY = 10_000  # examples
MIN_AFTER_DEQUEUE = 4_000  # examples
_DEFAULTS = [[0.0]] * data.COLUMNS + [[0]]


def _parsed(tf: Any, lines: Any, axis: int) -> Any:
    *numbers, label = tf.io.decode_csv(lines, _DEFAULTS)
    return tf.stack(numbers, axis), label


def _queues(tf: Any, files: list[str], *, num_threads: int, num_epochs: int | None) -> Any:
    names = tf.train.string_input_producer(files, num_epochs=num_epochs)
    _, line = tf.TextLineReader().read(names)
    return tf.train.shuffle_batch(
        list(_parsed(tf, line, 0)),
        BATCH_SIZE,
        capacity=CAPACITY,
        min_after_dequeue=MIN_AFTER_DEQUEUE,
        num_threads=num_threads,
    )


def _tf_data(tf: Any, files: list[str], num_epochs: int | None) -> Any:
    lines = tf.data.TextLineDataset(tf.data.Dataset.from_tensor_slices(files).shuffle(len(files)).repeat(num_epochs))
    examples = lines.map(lambda line: _parsed(tf, line, 0), num_parallel_calls=tf.data.AUTOTUNE).shuffle(CAPACITY)
    return examples.batch(BATCH_SIZE, drop_remainder=True).prefetch(tf.data.AUTOTUNE)


def _best(tf: Any, files: list[str], num_epochs: int | None) -> Any:
    lines = tf.data.TextLineDataset(tf.data.Dataset.from_tensor_slices(files).shuffle(len(files)).repeat(num_epochs))
    batches = lines.shuffle(CAPACITY).batch(BATCH_SIZE, drop_remainder=True)
    options = tf.data.Options()
    options.autotune.enabled = False
    parsed = batches.map(lambda batch: _parsed(tf, batch, 1), num_parallel_calls=2)
    return parsed.prefetch(2).with_options(options)


CSV = Workload(
    summary=f"lines of {data.COLUMNS} numbers, decode_csv, shuffle_batch({BATCH_SIZE}, capacity={CAPACITY})",
    batch_size=BATCH_SIZE,
    count=50_000,
    quick_count=10_000,
    load=data.make_lines,
    queues=_queues,
    tf_data=_tf_data,
    best_tf_data=_best,
)
