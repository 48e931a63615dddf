"""Pipelines whose examples are sequences."""

from __future__ import annotations

from typing import Any

from . import files
from .made import made
from .sources import LINES, TFRECORDS

__all__ = ["SEQUENCES"]

FRAME, STEP = 400, 160  # samples
EXCERPT = 3_200


def _captioned(tf: Any, record: Any) -> list[Any]:
    """As im2txt: an image, and the words of its caption as input and target."""
    context, lists = tf.parse_single_sequence_example(
        record,
        context_features={"image/data": tf.FixedLenFeature([], tf.string)},
        sequence_features={"image/caption_ids": tf.FixedLenSequenceFeature([], tf.int64)},
    )
    image = tf.image.convert_image_dtype(tf.image.decode_jpeg(context["image/data"], 3), tf.float32)
    image = tf.image.resize_images(image, [96, 96])
    image = tf.random_crop(image, [88, 88, 3])
    image = tf.image.random_flip_left_right(image)
    caption = lists["image/caption_ids"]
    length = tf.shape(caption)[0]
    size = tf.expand_dims(length - 1, 0)
    return [
        (image - 0.5) * 2.0,
        tf.slice(caption, [0], size),
        tf.slice(caption, [1], size),
        tf.ones(size, dtype=tf.int32),
    ]


def _heard(tf: Any, record: Any) -> list[Any]:
    """As networks on raw audio: an excerpt at a random place, cut into frames, their energies."""
    features = {"samples": tf.FixedLenFeature([], tf.string), "speaker": tf.FixedLenFeature([], tf.int64)}
    parsed = tf.parse_single_example(record, features)
    samples = tf.cast(tf.decode_raw(parsed["samples"], tf.int16), tf.float32) / 32768.0
    excerpt = tf.random_crop(samples, [EXCERPT])
    frames = tf.stack([excerpt[begin : begin + FRAME] for begin in range(0, EXCERPT - FRAME + 1, STEP)])
    return [frames, tf.reduce_mean(tf.square(frames), 1), parsed["speaker"]]


def _sentence(tf: Any, line: Any) -> list[Any]:
    """As language models: the words of a line as numbers, its length."""
    words = tf.string_split([line]).values
    ids = tf.string_to_hash_bucket_fast(words, files.VOCABULARY)
    return [ids, tf.size(ids)]


SEQUENCES = {
    "captions": made(
        "im2txt: JPEG and caption, padded", files.captions, TFRECORDS, _captioned, count=1_000, padded=True
    ),
    "audio": made("raw audio: excerpt, frames, energies", files.audio, TFRECORDS, _heard, count=4_000, shuffled=True),
    "sentences": made("lines of words, padded", files.sentences, LINES, _sentence, count=20_000, padded=True),
}
