"""Workload ``distorted``: photographs of 500x375, of which inception's distorted crop uses a part.

On average it uses a third of the pixels; the others need not be decoded.
"""

from __future__ import annotations

import pathlib
from typing import Any

from . import data
from .photographs import BATCH_SIZE, of_photographs

__all__ = ["DISTORTED"]

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


def _of_the_box(tf: Any, name: Any) -> Any:
    """Decode only the part that the crop keeps."""
    contents = tf.io.read_file(name)
    begin, size = _box(tf, tf.image.extract_jpeg_shape(contents))
    window = tf.concat([begin[:2], size[:2]], 0)
    image = tf.image.decode_and_crop_jpeg(contents, window, channels=3)
    return _coloured(tf, tf.image.convert_image_dtype(image, tf.float32))


DISTORTED = of_photographs(
    summary=f"JPEG files of 500x375, inception's distorted crop, resize {SIDE}, colours, batch({BATCH_SIZE})",
    count=400,
    quick_count=100,
    load=_load,
    image=_image,
    best_image=_of_the_box,
)
