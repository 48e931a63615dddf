"""Pipelines for the tests of caches: seeded ones, so that with and without a cache they give the same in every bit."""

from __future__ import annotations

import pathlib
from typing import Any, Dict, List

import numpy as np

import queuecompat
import queuecompat.v1 as tf
from tests.pipelines.running import drain, write_records

__all__ = ["EPOCHS", "FEATURES", "example", "images", "outcome", "parsed", "record", "records"]

EPOCHS = 3
FEATURES = {"x": tf.FixedLenFeature([], tf.int64), "pixels": tf.FixedLenFeature([], tf.string)}


def example(number: int, width: int = 4) -> bytes:
    """A record: *number*, and *width* bytes that begin with it."""
    feature = {
        "x": tf.train.Feature(int64_list=tf.train.Int64List(value=[number])),
        "pixels": tf.train.Feature(bytes_list=tf.train.BytesList(value=[bytes([number] + [7] * (width - 1))])),
        "words": tf.train.Feature(int64_list=tf.train.Int64List(value=[number] * (number % 3))),
    }
    return bytes(tf.train.Example(features=tf.train.Features(feature=feature)).SerializeToString())


def records(folder: pathlib.Path, count: int = 3, each: int = 10) -> List[str]:
    """*count* files with *each* records."""
    names = [folder / f"records-{number}" for number in range(count)]
    contents = [[example(number * each + one) for one in range(each)] for number in range(count)]
    return [write_records(name, content) for name, content in zip(names, contents)]


def images(folder: pathlib.Path, count: int = 7) -> List[str]:
    """PNG files of three different heights."""
    names = [folder / f"{number}.png" for number in range(count)]
    with tf.Graph().as_default(), tf.Session() as sess:
        for number, name in enumerate(names):
            pixels = np.full([4 + number % 3, 5, 3], number, np.uint8)
            name.write_bytes(sess.run(tf.image.encode_png(pixels)))
    return list(map(str, names))


def record(files: List[str]) -> Any:
    """Their records; the order of files is seeded."""
    return tf.TFRecordReader().read(tf.train.string_input_producer(files, num_epochs=EPOCHS, seed=5))[1]


def parsed(files: List[str]) -> Dict[str, Any]:
    return tf.parse_single_example(record(files), FEATURES)


def outcome(build: Any, *arguments: Any, steps: int = 1000, **chosen: Any) -> List[Any]:
    """The batches of *build*'s pipeline in a new graph with the options *chosen*, to its end."""
    with tf.Graph().as_default(), queuecompat.options(**chosen):
        return drain(build(*arguments), steps)
