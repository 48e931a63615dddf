"""Workload ``records``: CIFAR-sized TFRecords, a few ops for each example, a shuffle buffer.

This is the classic input pipeline of TensorFlow 1. Each example is cheap, so the overhead per example matters.
"""

from __future__ import annotations

from typing import Any

from . import data
from .data import IMAGE_SIZE
from .workload import Workload

__all__ = ["BATCH_SIZE", "CAPACITY", "MIN_AFTER_DEQUEUE", "RECORDS", "example"]

BATCH_SIZE = 128
CROP = 28  # pixels a side
CAPACITY = 10_000  # examples
MIN_AFTER_DEQUEUE = 4_000  # examples


def _features(tf: Any) -> dict[str, Any]:
    return {
        "image_raw": tf.io.FixedLenFeature([], tf.string),
        "label": tf.io.FixedLenFeature([], tf.int64),
    }


def example(tf: Any, record: Any) -> tuple[Any, Any]:
    features = tf.io.parse_single_example(record, _features(tf))
    image = tf.io.decode_raw(features["image_raw"], tf.uint8)
    image = tf.reshape(image, [IMAGE_SIZE, IMAGE_SIZE, 3])
    image = tf.image.random_crop(image, [CROP, CROP, 3])
    image = tf.image.random_flip_left_right(image)
    return tf.cast(image, tf.float32), features["label"]


def _queues(tf: Any, files: list[str], *, num_threads: int, num_epochs: int | None) -> Any:
    names = tf.train.string_input_producer(files, num_epochs=num_epochs)
    _, record = tf.TFRecordReader().read(names)
    image, label = example(tf, record)
    return tf.train.shuffle_batch(
        [image, label],
        BATCH_SIZE,
        capacity=CAPACITY,
        min_after_dequeue=MIN_AFTER_DEQUEUE,
        num_threads=num_threads,
    )


def _records(tf: Any, files: list[str], num_epochs: int | None) -> Any:
    names = tf.data.Dataset.from_tensor_slices(files).shuffle(len(files)).repeat(num_epochs)
    return tf.data.TFRecordDataset(names)


def _tf_data(tf: Any, files: list[str], num_epochs: int | None) -> Any:
    examples = _records(tf, files, num_epochs).map(
        lambda record: example(tf, record), num_parallel_calls=tf.data.AUTOTUNE
    )
    examples = examples.shuffle(CAPACITY)
    return examples.batch(BATCH_SIZE, drop_remainder=True).prefetch(tf.data.AUTOTUNE)


def _example_batch(tf: Any, records: Any) -> tuple[Any, Any]:
    """``example`` for a whole batch; one op crops, mirrors and casts.

    The corners of its boxes lie on pixels and ``nearest`` rounds to them, so every pixel is exact.
    """
    features = tf.io.parse_example(records, _features(tf))
    images = tf.io.decode_raw(features["image_raw"], tf.uint8, fixed_length=IMAGE_SIZE**2 * 3)
    images = tf.reshape(images, [BATCH_SIZE, IMAGE_SIZE, IMAGE_SIZE, 3])
    last = IMAGE_SIZE - 1
    offsets = tf.random.uniform([2, BATCH_SIZE], 0, IMAGE_SIZE - CROP + 1, dtype=tf.int32)
    top, left = tf.unstack(tf.cast(offsets, tf.float32))
    bottom, right = top + CROP - 1, left + CROP - 1
    is_flipped = tf.random.uniform([BATCH_SIZE]) < 0.5
    begin, end = tf.where(is_flipped, right, left), tf.where(is_flipped, left, right)
    boxes = tf.stack([top, begin, bottom, end], axis=1) / last
    images = tf.image.crop_and_resize(images, boxes, tf.range(BATCH_SIZE), [CROP, CROP], method="nearest")
    return images, features["label"]


def _best(tf: Any, files: list[str], num_epochs: int | None) -> Any:
    records = _records(tf, files, num_epochs).shuffle(CAPACITY)
    batches = records.batch(BATCH_SIZE, drop_remainder=True).map(
        lambda batch: _example_batch(tf, batch), num_parallel_calls=2
    )
    options = tf.data.Options()
    options.autotune.enabled = False
    return batches.prefetch(2).with_options(options)


RECORDS = Workload(
    summary=(
        f"TFRecords of 32x32x3 uint8, parse, random crop {CROP}, flip, cast, "
        f"shuffle_batch({BATCH_SIZE}, capacity={CAPACITY})"
    ),
    batch_size=BATCH_SIZE,
    count=50_000,
    quick_count=10_000,
    load=data.make_records,
    queues=_queues,
    tf_data=_tf_data,
    best_tf_data=_best,
)
