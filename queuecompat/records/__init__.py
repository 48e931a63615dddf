"""Files of many records, read by index without TensorFlow: TFRecord files, and tar files in WebDataset's layout::

    images = queuecompat.records.Records(["a.tfrecord", "b.tfrecord"])
    with queuecompat.BackgroundLoader(images, load, batch_size=64, shuffle=True) as loader: ...

``record_files.py`` finds and reads TFRecords, ``checksums.py`` computes their CRC32C, ``examples.py`` parses
``tf.train.Example`` messages; ``tar_files.py`` finds and reads the samples of tar files; both use ``open_files.py``.

For pipelines and for ``queuecompat index``:
    finding.py     where the records of a file begin; index_files.py: kept from run to run; indexing.py: the command
    blocks.py      a global order, and parts of equal size; numbers.py: a number for each record of each epoch
    damage.py      the error of a damaged file; damage_at.py, ends.py: what is wrong with it; wire.py: protocol buffers
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
