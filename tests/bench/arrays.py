"""Workloads ``arrays-batch``, ``arrays-shuffle`` and ``arrays-crop``: images that are in memory.

The first does no work, so it measures the cost of moving an example; the second casts and scales each image and mixes
the images in a shuffle buffer; the third crops and flips them at random first.
"""

from __future__ import annotations

import pathlib
from typing import Any

from . import data
from .workload import Workload

__all__ = ["ARRAYS_BATCH", "ARRAYS_CROP", "ARRAYS_SHUFFLE"]

BATCH_SIZE = 128
CAPACITY = 10_000  # examples
MIN_AFTER_DEQUEUE = 4_000  # examples
CROP = 24  # pixels a side


def _load(data_dir: pathlib.Path, count: int) -> Any:
    return data.make_arrays(count)


def _scaled(tf: Any, image: Any) -> Any:
    return tf.cast(image, tf.float32) * (1.0 / 255) - 0.5


# --- TensorFlow 1 ---------------------------------------------------------------------------------


def _queues_batch(tf: Any, arrays: Any, *, num_threads: int, num_epochs: int | None) -> Any:
    image, label = tf.train.slice_input_producer(list(arrays), num_epochs=num_epochs)
    return tf.train.batch([image, label], BATCH_SIZE, num_threads=num_threads, capacity=4 * BATCH_SIZE)


def _queues_shuffle(tf: Any, arrays: Any, *, num_threads: int, num_epochs: int | None) -> Any:
    image, label = tf.train.slice_input_producer(list(arrays), num_epochs=num_epochs)
    return tf.train.shuffle_batch(
        [_scaled(tf, image), label],
        BATCH_SIZE,
        capacity=CAPACITY,
        min_after_dequeue=MIN_AFTER_DEQUEUE,
        num_threads=num_threads,
    )


def _cropped(tf: Any, image: Any) -> Any:
    image = tf.image.random_crop(tf.expand_dims(image, -1), [CROP, CROP, 1])
    return _scaled(tf, tf.image.random_flip_left_right(image))


def _queues_crop(tf: Any, arrays: Any, *, num_threads: int, num_epochs: int | None) -> Any:
    image, label = tf.train.slice_input_producer(list(arrays), num_epochs=num_epochs)
    return tf.train.shuffle_batch(
        [_cropped(tf, image), label],
        BATCH_SIZE,
        capacity=CAPACITY,
        min_after_dequeue=MIN_AFTER_DEQUEUE,
        num_threads=num_threads,
    )


# --- ordinary tf.data -----------------------------------------------------------------------------


def _tf_data_batch(tf: Any, arrays: Any, num_epochs: int | None) -> Any:
    examples = tf.data.Dataset.from_tensor_slices(arrays)
    examples = examples.shuffle(len(arrays[0])).repeat(num_epochs)
    return examples.batch(BATCH_SIZE, drop_remainder=True).prefetch(tf.data.AUTOTUNE)


def _tf_data_shuffle(tf: Any, arrays: Any, num_epochs: int | None) -> Any:
    examples = tf.data.Dataset.from_tensor_slices(arrays).repeat(num_epochs)
    examples = examples.map(lambda image, label: (_scaled(tf, image), label), num_parallel_calls=tf.data.AUTOTUNE)
    examples = examples.shuffle(CAPACITY)
    return examples.batch(BATCH_SIZE, drop_remainder=True).prefetch(tf.data.AUTOTUNE)


def _tf_data_crop(tf: Any, arrays: Any, num_epochs: int | None) -> Any:
    examples = tf.data.Dataset.from_tensor_slices(arrays).repeat(num_epochs)
    examples = examples.map(lambda image, label: (_cropped(tf, image), label), num_parallel_calls=tf.data.AUTOTUNE)
    return examples.shuffle(CAPACITY).batch(BATCH_SIZE, drop_remainder=True).prefetch(tf.data.AUTOTUNE)


# --- the best tf.data -----------------------------------------------------------------------------


def _indices(tf: Any, count: int, num_epochs: int | None) -> Any:
    """Batches of indices, in a new order each epoch: one tensor an epoch, then cut up."""
    epochs = tf.data.Dataset.range(1).repeat(num_epochs)
    orders = epochs.map(lambda _: tf.random.shuffle(tf.range(count)))
    return orders.rebatch(BATCH_SIZE, drop_remainder=True)


def _best_batch(tf: Any, arrays: Any, num_epochs: int | None) -> Any:
    images, labels = (tf.constant(array) for array in arrays)
    batches = _indices(tf, len(arrays[0]), num_epochs).map(
        lambda indices: (tf.gather(images, indices), tf.gather(labels, indices))
    )
    return batches.prefetch(2)


def _best_shuffle(tf: Any, arrays: Any, num_epochs: int | None) -> Any:
    # A whole permutation mixes better than any pool, so there is nothing left for one to do.
    images, labels = (tf.constant(array) for array in arrays)
    batches = _indices(tf, len(arrays[0]), num_epochs).map(
        lambda indices: (_scaled(tf, tf.gather(images, indices)), tf.gather(labels, indices)),
        num_parallel_calls=2,
    )
    return batches.prefetch(2)


def _cropped_batch(tf: Any, images: Any) -> Any:
    """One op crops and mirrors; see ``records``."""
    last = data.ARRAY_SIZE - 1
    top, left = tf.unstack(tf.random.uniform([2, BATCH_SIZE], 0, last + 2 - CROP, dtype=tf.int32))
    top, left = tf.cast(top, tf.float32), tf.cast(left, tf.float32)
    bottom, right = top + CROP - 1, left + CROP - 1
    is_flipped = tf.random.uniform([BATCH_SIZE]) < 0.5
    begin, end = tf.where(is_flipped, right, left), tf.where(is_flipped, left, right)
    boxes = tf.stack([top, begin, bottom, end], axis=1) / last
    images = images[..., tf.newaxis]
    crops = tf.image.crop_and_resize(images, boxes, tf.range(BATCH_SIZE), [CROP, CROP], method="nearest")
    return _scaled(tf, crops)


def _best_crop(tf: Any, arrays: Any, num_epochs: int | None) -> Any:
    images, labels = (tf.constant(array) for array in arrays)
    batches = _indices(tf, len(arrays[0]), num_epochs).map(
        lambda indices: (_cropped_batch(tf, tf.gather(images, indices)), tf.gather(labels, indices)),
        num_parallel_calls=2,
    )
    return batches.prefetch(2)


ARRAYS_BATCH = Workload(
    summary=f"28x28 uint8 images in memory, no work, batch({BATCH_SIZE})",
    batch_size=BATCH_SIZE,
    count=60_000,
    quick_count=10_000,
    load=_load,
    queues=_queues_batch,
    tf_data=_tf_data_batch,
    best_tf_data=_best_batch,
)

ARRAYS_SHUFFLE = Workload(
    summary=(f"28x28 uint8 images in memory, cast and scale, shuffle_batch({BATCH_SIZE}, capacity={CAPACITY})"),
    batch_size=BATCH_SIZE,
    count=60_000,
    quick_count=10_000,
    load=_load,
    queues=_queues_shuffle,
    tf_data=_tf_data_shuffle,
    best_tf_data=_best_shuffle,
)

ARRAYS_CROP = Workload(
    summary=(
        f"28x28 uint8 images in memory, random crop {CROP}, flip, cast and scale, "
        f"shuffle_batch({BATCH_SIZE}, capacity={CAPACITY})"
    ),
    batch_size=BATCH_SIZE,
    count=60_000,
    quick_count=10_000,
    load=_load,
    queues=_queues_crop,
    tf_data=_tf_data_crop,
    best_tf_data=_best_crop,
)
