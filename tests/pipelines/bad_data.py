"""Files with records that do not parse, and what has to come out without them."""

from __future__ import annotations

import pathlib
from typing import Any, Iterable, List, Sequence

import tensorflow as tf

from queuecompat._plan import skipped

__all__ = ["KEY", "example", "logs", "places", "write_examples"]

KEY = "x"


def example(value: int) -> bytes:
    """A serialized tf.Example whose feature ``KEY`` is *value*."""
    feature = tf.train.Feature(int64_list=tf.train.Int64List(value=[value]))
    return bytes(tf.train.Example(features=tf.train.Features(feature={KEY: feature})).SerializeToString())


def write_examples(path: pathlib.Path, values: Iterable[int], bad: Sequence[int] = (), **options: Any) -> str:
    """A TFRecord file of *values*; the records of those that are *bad* do not parse."""
    with tf.io.TFRecordWriter(str(path), **options) as writer:
        for value in values:
            writer.write(b"no example" if value in bad else example(value))
    return str(path)


def logs(earlier: int) -> List[skipped.SkipLog]:
    """The logs since there were *earlier* ones, of pipelines that left something out."""
    return [log for log in skipped.LOGS[earlier:] if log.count or log.files]


def places(earlier: int) -> List[str]:
    """Where that was read which has been left out since there were *earlier* logs, in the order of the places."""
    return sorted(one.place for log in logs(earlier) for one in log.listed())
