"""Files of many records, read by index without TensorFlow: TFRecord files, and tar files in WebDataset's layout::

    images = queuecompat.records.Records(["a.tfrecord", "b.tfrecord"])
    with queuecompat.BackgroundLoader(images, load, batch_size=64, shuffle=True) as loader: ...

``record_files.py`` finds and reads TFRecords, ``checksums.py`` computes their CRC32C, ``examples.py`` parses
``tf.train.Example`` messages; ``tar_files.py`` finds and reads the samples of tar files; both use ``open_files.py``.
"""

from __future__ import annotations

from queuecompat._lazy import lazily

__all__ = ["BadRecordError", "Records", "TarSamples", "parse_example"]

__getattr__, __dir__ = lazily(
    __name__,
    {
        "BadRecordError": "queuecompat.records.damage:BadRecordError",
        "Records": "queuecompat.records.record_files:Records",
        "TarSamples": "queuecompat.records.tar_files:TarSamples",
        "parse_example": "queuecompat.records.examples:parse_example",
    },
    absent=lambda name: f"module 'queuecompat.records' has no attribute '{name}'",
)
