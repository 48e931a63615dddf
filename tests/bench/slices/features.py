"""Pipelines that end in rows of numbers."""

from __future__ import annotations

from typing import Any

from . import files
from .made import made
from .sources import LINES, TFRECORDS

__all__ = ["FEATURES"]

CLASSES = 100
BUCKETS = 50
WINDOW = 64  # numbers of a series


def _digit(tf: Any, record: Any) -> list[Any]:
    """As TensorFlow's reader of MNIST's records."""
    features = {"image_raw": tf.FixedLenFeature([], tf.string), "label": tf.FixedLenFeature([], tf.int64)}
    parsed = tf.parse_single_example(record, features)
    image = tf.decode_raw(parsed["image_raw"], tf.uint8)
    image.set_shape([784])
    return [tf.cast(image, tf.float32) * (1.0 / 255) - 0.5, tf.cast(parsed["label"], tf.int32)]


def _video(tf: Any, record: Any) -> list[Any]:
    """As the starter code of YouTube-8M: bytes to numbers between two bounds, labels to a row of flags."""
    parsed = tf.parse_single_example(
        record,
        {
            "rgb": tf.FixedLenFeature([], tf.string),
            "audio": tf.FixedLenFeature([128], tf.float32),
            "labels": tf.VarLenFeature(tf.int64),
        },
    )
    labels = tf.cast(tf.sparse_to_dense(parsed["labels"].values, (CLASSES,), 1, validate_indices=False), tf.bool)
    labels.set_shape([CLASSES])
    frames = tf.reshape(tf.cast(tf.decode_raw(parsed["rgb"], tf.uint8), tf.float32), files.FRAMES)
    frames = frames * (4.0 / 255.0) + (4.0 / 512.0) - 2.0
    return [tf.reduce_mean(frames, 0), parsed["audio"], labels]


def _series(tf: Any, record: Any) -> list[Any]:
    """A window at a random place of a series, of mean 0 and deviation 1."""
    features = {"values": tf.FixedLenFeature([files.NUMBERS], tf.float32), "label": tf.FixedLenFeature([], tf.int64)}
    parsed = tf.parse_single_example(record, features)
    begin = tf.random_uniform([], 0, files.NUMBERS - WINDOW + 1, dtype=tf.int32)
    window = tf.slice(parsed["values"], [begin], [WINDOW])
    mean, variance = tf.nn.moments(window, [0])
    return [(window - mean) / tf.sqrt(variance + 1e-6), parsed["label"]]


def _person(tf: Any, line: Any) -> list[Any]:
    """As models of clicks and census data: words to numbers, numbers to a scale."""
    columns = tf.decode_csv(line, [[""]] * 4 + [[0.0]] * 8 + [[0]])
    words = tf.stack([tf.string_to_hash_bucket_fast(word, BUCKETS) for word in columns[:4]])
    numbers = tf.stack(columns[4:12])
    return [tf.one_hot(words, BUCKETS), tf.minimum(numbers / 50.0, 1.5) - 0.75, columns[12]]


FEATURES = {
    "digits": made("MNIST's records: decode_raw, scaled", files.digits, TFRECORDS, _digit, count=20_000, shuffled=True),
    "videos": made(
        "YouTube-8M: frames of bytes, sparse labels", files.videos, TFRECORDS, _video, count=8_000, shuffled=True
    ),
    "series": made(
        "series: a random window, standardised", files.series, TFRECORDS, _series, count=20_000, shuffled=True
    ),
    "people": made("census: CSV, hash buckets, one_hot", files.people, LINES, _person, count=20_000, shuffled=True),
}
