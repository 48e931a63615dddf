"""Where the elements of a pipeline come from: a queue of TensorFlow 1, and the dataset that reads the same."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

__all__ = ["FILE_LIST", "LINES", "TFRECORDS", "Source", "fixed_length"]


@dataclasses.dataclass(frozen=True)
class Source:
    """*queue* and *dataset* take the namespace, what was loaded, and the number of epochs."""

    queue: Callable[[Any, Any, Any], Any]
    dataset: Callable[[Any, Any, Any], Any]


def _read_by(reader: Callable[[Any], Any], dataset: Callable[[Any, Any], Any]) -> Source:
    def queue(tf: Any, files: Any, num_epochs: Any) -> Any:
        names = tf.train.string_input_producer(files, num_epochs=num_epochs)
        return reader(tf).read(names)[1]

    def records(tf: Any, files: Any, num_epochs: Any) -> Any:
        names = tf.data.Dataset.from_tensor_slices(files).shuffle(len(files)).repeat(num_epochs)
        return dataset(tf, names)

    return Source(queue, records)


TFRECORDS = _read_by(lambda tf: tf.TFRecordReader(), lambda tf, names: tf.data.TFRecordDataset(names))
LINES = _read_by(lambda tf: tf.TextLineReader(), lambda tf, names: tf.data.TextLineDataset(names))


def fixed_length(length: int) -> Source:
    """Records of *length* bytes."""
    return _read_by(
        lambda tf: tf.FixedLengthRecordReader(length),
        lambda tf, names: tf.data.FixedLengthRecordDataset(names, length),
    )


# Names of files, and a label for each.
FILE_LIST = Source(
    lambda tf, loaded, num_epochs: tf.train.slice_input_producer(list(loaded), num_epochs=num_epochs),
    lambda tf, loaded, num_epochs: (
        tf.data.Dataset.from_tensor_slices(loaded).shuffle(len(loaded[0])).repeat(num_epochs)
    ),
)
