"""Workload ``jpeg``: files of photographs, where decoding is nearly all of the work."""

from __future__ import annotations

import pathlib
from typing import Any

from . import data
from .photographs import BATCH_SIZE, of_photographs

__all__ = ["JPEG"]

CROP = 224  # pixels a side


def _load(data_dir: pathlib.Path, count: int) -> Any:
    return data.make_jpegs(data_dir, count)


def _image(tf: Any, name: Any) -> Any:
    image = tf.image.decode_jpeg(tf.io.read_file(name), channels=3)
    image = tf.image.random_crop(image, [CROP, CROP, 3])
    image = tf.image.random_flip_left_right(image)
    return tf.cast(image, tf.float32)


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


JPEG = of_photographs(
    summary=f"JPEG files of 256x256, decode, random crop {CROP}, flip, cast, batch({BATCH_SIZE})",
    count=1_000,
    quick_count=200,
    load=_load,
    image=_image,
    best_image=_cropped_while_decoding,
)
