"""Workload ``distorted``: photographs of 500x375, of which inception's distorted crop takes a part.

A third of the pixels is used, on average; the rest need not be decoded.
"""

from __future__ import annotations

import os
import pathlib
from typing import Any

from . import data
from .workload import Workload

__all__ = ["DISTORTED"]

BATCH_SIZE = 32
SIDE = 299  # pixels


def _load(data_dir: pathlib.Path, count: int) -> Any:
    return data.make_jpegs(data_dir, count, data.PHOTOGRAPH_SIZE)


def _box(tf: Any, shape: Any) -> Any:
    begin, size, _ = tf.compat.v1.image.sample_distorted_bounding_box(
        shape,
        tf.zeros([1, 0, 4]),
        min_object_covered=0.1,
        aspect_ratio_range=[0.75, 1.33],
        area_range=[0.05, 1.0],
        max_attempts=100,
        use_image_if_no_bounding_boxes=True,
    )
    return begin, size


def _coloured(tf: Any, image: Any) -> Any:
    image = tf.compat.v1.image.resize_images(image, [SIDE, SIDE])
    image = tf.image.random_flip_left_right(image)
    image = tf.image.random_brightness(image, max_delta=32.0 / 255.0)
    image = tf.image.random_saturation(image, lower=0.5, upper=1.5)
    return (tf.clip_by_value(image, 0.0, 1.0) - 0.5) * 2.0


def _image(tf: Any, name: Any) -> Any:
    """As inception's ``image_processing.py``, of whose colours some."""
    image = tf.image.decode_jpeg(tf.io.read_file(name), channels=3)
    image = tf.image.convert_image_dtype(image, tf.float32)
    begin, size = _box(tf, tf.shape(image))
    image = tf.slice(image, begin, size)
    image.set_shape([None, None, 3])
    return _coloured(tf, image)


def _queues(tf: Any, files: Any, *, num_threads: int, num_epochs: int | None) -> Any:
    name, label = tf.train.slice_input_producer(list(files), num_epochs=num_epochs)
    return tf.train.batch([_image(tf, name), label], BATCH_SIZE, num_threads=num_threads, capacity=4 * BATCH_SIZE)


def _tf_data(tf: Any, files: Any, num_epochs: int | None) -> Any:
    examples = tf.data.Dataset.from_tensor_slices(files)
    examples = examples.shuffle(len(files[0])).repeat(num_epochs)
    examples = examples.map(lambda name, label: (_image(tf, name), label), num_parallel_calls=tf.data.AUTOTUNE)
    return examples.batch(BATCH_SIZE, drop_remainder=True).prefetch(tf.data.AUTOTUNE)


def _of_the_box(tf: Any, name: Any) -> Any:
    """Decode only the part that the crop keeps."""
    contents = tf.io.read_file(name)
    begin, size = _box(tf, tf.image.extract_jpeg_shape(contents))
    window = tf.concat([begin[:2], size[:2]], 0)
    image = tf.image.decode_and_crop_jpeg(contents, window, channels=3)
    return _coloured(tf, tf.image.convert_image_dtype(image, tf.float32))


def _best(tf: Any, files: Any, num_epochs: int | None) -> Any:
    examples = tf.data.Dataset.from_tensor_slices(files)
    examples = examples.shuffle(len(files[0])).repeat(num_epochs)
    examples = examples.map(
        lambda name, label: (_of_the_box(tf, name), label),
        num_parallel_calls=os.cpu_count(),
        deterministic=False,
    )
    options = tf.data.Options()
    options.autotune.enabled = False
    return examples.batch(BATCH_SIZE, drop_remainder=True).prefetch(2).with_options(options)


DISTORTED = Workload(
    summary=f"JPEG files of 500x375, inception's distorted crop, resize {SIDE}, colours, batch({BATCH_SIZE})",
    batch_size=BATCH_SIZE,
    count=400,
    quick_count=100,
    load=_load,
    queues=_queues,
    tf_data=_tf_data,
    best_tf_data=_best,
)
