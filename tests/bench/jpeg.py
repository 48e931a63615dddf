"""Workload ``jpeg``: files of photographs, where decoding is nearly all of the work.

Batching the user's work wins nothing here; keeping every core busy does.
"""

from __future__ import annotations

import os
import pathlib
from typing import Any

from . import data
from .workload import Workload

__all__ = ["JPEG"]

BATCH_SIZE = 32
CROP = 224  # pixels a side


def _load(data_dir: pathlib.Path, count: int) -> Any:
    return data.make_jpegs(data_dir, count)


def _image(tf: Any, name: Any) -> Any:
    image = tf.image.decode_jpeg(tf.io.read_file(name), channels=3)
    image = tf.image.random_crop(image, [CROP, CROP, 3])
    image = tf.image.random_flip_left_right(image)
    return tf.cast(image, tf.float32)


def _queues(tf: Any, files: Any, *, num_threads: int, num_epochs: int | None) -> Any:
    name, label = tf.train.slice_input_producer(list(files), num_epochs=num_epochs)
    return tf.train.batch([_image(tf, name), label], BATCH_SIZE, num_threads=num_threads, capacity=4 * BATCH_SIZE)


def _tf_data(tf: Any, files: Any, num_epochs: int | None) -> Any:
    examples = tf.data.Dataset.from_tensor_slices(files)
    examples = examples.shuffle(len(files[0])).repeat(num_epochs)
    examples = examples.map(lambda name, label: (_image(tf, name), label), num_parallel_calls=tf.data.AUTOTUNE)
    return examples.batch(BATCH_SIZE, drop_remainder=True).prefetch(tf.data.AUTOTUNE)


def _cropped_while_decoding(tf: Any, name: Any) -> Any:
    """Decode only the part that the crop keeps."""
    contents = tf.io.read_file(name)
    height, width, _ = tf.unstack(tf.image.extract_jpeg_shape(contents))
    top = tf.random.uniform([], 0, height - CROP + 1, dtype=tf.int32)
    left = tf.random.uniform([], 0, width - CROP + 1, dtype=tf.int32)
    window = tf.stack([top, left, CROP, CROP])
    image = tf.image.decode_and_crop_jpeg(contents, window, channels=3)
    image = tf.ensure_shape(image, [CROP, CROP, 3])
    # One image at a time: for images this large the batched flip takes half as long again.
    return tf.cast(tf.image.random_flip_left_right(image), tf.float32)


def _best(tf: Any, files: Any, num_epochs: int | None) -> Any:
    examples = tf.data.Dataset.from_tensor_slices(files)
    examples = examples.shuffle(len(files[0])).repeat(num_epochs)
    examples = examples.map(
        lambda name, label: (_cropped_while_decoding(tf, name), label),
        num_parallel_calls=os.cpu_count(),
        deterministic=False,
    )
    options = tf.data.Options()
    options.autotune.enabled = False
    batches = examples.batch(BATCH_SIZE, drop_remainder=True)
    return batches.prefetch(2).with_options(options)


JPEG = Workload(
    summary=f"JPEG files of 256x256, decode, random crop {CROP}, flip, cast, batch({BATCH_SIZE})",
    batch_size=BATCH_SIZE,
    count=1_000,
    quick_count=200,
    load=_load,
    queues=_queues,
    tf_data=_tf_data,
    best_tf_data=_best,
)
