"""Workload ``png``: records with MNIST-sized PNGs. Each is decoded separately; the ops after that are cheap."""

from __future__ import annotations

from typing import Any

from . import data
from .workload import Workload

__all__ = ["PNG"]

BATCH_SIZE = 128
CROP = 24  # pixels a side
CAPACITY = 2_000  # examples
MIN_AFTER_DEQUEUE = 1_000  # examples


def _decoded(tf: Any, record: Any) -> tuple[Any, Any]:
    features = {"image": tf.io.FixedLenFeature([], tf.string), "label": tf.io.FixedLenFeature([], tf.int64)}
    parsed = tf.io.parse_single_example(record, features)
    image = tf.reshape(tf.image.decode_png(parsed["image"], channels=1), [data.ARRAY_SIZE, data.ARRAY_SIZE, 1])
    return image, parsed["label"]


def _example(tf: Any, record: Any) -> tuple[Any, Any]:
    image, label = _decoded(tf, record)
    image = tf.image.random_crop(image, [CROP, CROP, 1])
    return tf.image.per_image_standardization(tf.cast(image, tf.float32)), label


def _queues(tf: Any, files: list[str], *, num_threads: int, num_epochs: int | None) -> Any:
    names = tf.train.string_input_producer(files, num_epochs=num_epochs)
    _, record = tf.TFRecordReader().read(names)
    return tf.train.shuffle_batch(
        list(_example(tf, record)),
        BATCH_SIZE,
        capacity=CAPACITY,
        min_after_dequeue=MIN_AFTER_DEQUEUE,
        num_threads=num_threads,
    )


def _tf_data(tf: Any, files: list[str], num_epochs: int | None) -> Any:
    names = tf.data.Dataset.from_tensor_slices(files).shuffle(len(files)).repeat(num_epochs)
    examples = tf.data.TFRecordDataset(names).map(
        lambda record: _example(tf, record), num_parallel_calls=tf.data.AUTOTUNE
    )
    return examples.shuffle(CAPACITY).batch(BATCH_SIZE, drop_remainder=True).prefetch(tf.data.AUTOTUNE)


def _whole_batch(tf: Any, images: Any) -> Any:
    last = data.ARRAY_SIZE - 1
    top, left = tf.unstack(tf.random.uniform([2, BATCH_SIZE], 0, data.ARRAY_SIZE - CROP + 1, dtype=tf.int32))
    top, left = tf.cast(top, tf.float32), tf.cast(left, tf.float32)
    boxes = tf.stack([top, left, top + CROP - 1, left + CROP - 1], axis=1) / last
    crops = tf.image.crop_and_resize(images, boxes, tf.range(BATCH_SIZE), [CROP, CROP], method="nearest")
    return tf.image.per_image_standardization(crops)


def _best(tf: Any, files: list[str], num_epochs: int | None) -> Any:
    names = tf.data.Dataset.from_tensor_slices(files).shuffle(len(files)).repeat(num_epochs)
    records = tf.data.TFRecordDataset(names).shuffle(CAPACITY)
    examples = records.map(lambda record: _decoded(tf, record), num_parallel_calls=16, deterministic=False)
    batches = examples.batch(BATCH_SIZE, drop_remainder=True)
    options = tf.data.Options()
    options.autotune.enabled = False
    finished = batches.map(lambda images, labels: (_whole_batch(tf, images), labels), num_parallel_calls=2)
    return finished.prefetch(2).with_options(options)


PNG = Workload(
    summary=f"TFRecords of 28x28 PNGs, decode, random crop {CROP}, standardise, shuffle_batch({BATCH_SIZE})",
    batch_size=BATCH_SIZE,
    count=20_000,
    quick_count=5_000,
    load=data.make_pngs,
    queues=_queues,
    tf_data=_tf_data,
    best_tf_data=_best,
)
