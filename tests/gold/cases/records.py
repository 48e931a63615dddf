"""Small TFRecord files for the cases, written and damaged byte by byte."""

from __future__ import annotations

import os
from typing import Any, List, Sequence

import numpy as np

__all__ = ["IMAGE_SHAPE", "damage", "images", "keep_only", "texts", "write_images", "write_texts"]

IMAGE_SHAPE = (6, 6, 3)

# A record on disk: length (8 bytes), checksum of the length (4), data, checksum of the data (4).
HEADER_BYTES = 12
FOOTER_BYTES = 4


def images(count: int) -> np.ndarray:
    """*count* uint8 images, no two alike, the same on every machine."""
    values = np.arange(count * int(np.prod(IMAGE_SHAPE)), dtype=np.int64)
    return (values * 37 % 251).astype(np.uint8).reshape((count,) + IMAGE_SHAPE)


def texts(prefix: str, count: int) -> List[bytes]:
    """``a0``, ``a1`` ...: two-byte records, so the one numbered n starts at byte 18 n."""
    return [f"{prefix}{number}".encode() for number in range(count)]


def _write(tf: Any, path: str, records: Sequence[bytes], options: Any = None) -> str:
    with tf.python_io.TFRecordWriter(path, options) as writer:
        for record in records:
            writer.write(record)
    return path


def write_texts(tf: Any, directory: str, name: str, records: Sequence[bytes], options: Any = None) -> str:
    return _write(tf, os.path.join(directory, name), records, options)


def write_images(tf: Any, directory: str, counts: Sequence[int]) -> List[str]:
    """One file of Examples for each of *counts*; labels count on from file to file."""
    pictures = images(sum(counts))
    paths, label = [], 0
    for count in counts:
        records = []
        for _ in range(count):
            feature = {
                "image": tf.train.Feature(bytes_list=tf.train.BytesList(value=[pictures[label].tobytes()])),
                "label": tf.train.Feature(int64_list=tf.train.Int64List(value=[label])),
            }
            example = tf.train.Example(features=tf.train.Features(feature=feature))
            records.append(example.SerializeToString())
            label += 1
        name = f"images-{len(paths)}.records"
        paths.append(_write(tf, os.path.join(directory, name), records))
    return paths


def damage(path: str, position: int) -> str:
    """Turn over every bit of one byte of the file."""
    with open(path, "r+b") as file:
        file.seek(position)
        byte = file.read(1)[0]
        file.seek(position)
        file.write(bytes([byte ^ 0xFF]))
    return path


def keep_only(path: str, size: int) -> str:
    """Cut the file off after *size* bytes."""
    with open(path, "r+b") as file:
        file.truncate(size)
    return path
