"""Readers under TF1's names."""

from __future__ import annotations

from typing import Any, Optional

from queuecompat._runtime.entry import require_graph
from queuecompat._runtime.reading import CompiledRecordReader

__all__ = ["TFRecordReader"]


class TFRecordReader(CompiledRecordReader):
    """Reads records from the TFRecord files that a queue names.

    ``read(queue)`` gives two scalar strings: the key ``file:<byte offset>`` and the record. It is
    compiled for the queues of ``queuecompat.train``; every other method, and any other queue, works
    through TensorFlow's own reader (QC206), and so then do the earlier reads.

    Args:
      name: for the reader's op.
      options: a ``TFRecordOptions`` with the compression, or None.
    Raises:
      RuntimeError: QC101 in eager execution, QC102 in a tf.function, QC302 in a finalized graph.
      tf.errors.NotFoundError: at run time, a file is missing.
      tf.errors.DataLossError: at run time, a record is corrupt or cut short.
      tf.errors.OutOfRangeError: at run time, after the last record.
    Differs from TF1: these run-time errors reach the run that asked for the record, not a thread.
    Source: TF 1.15.5 ``python/ops/io_ops.py``.
    """

    def __init__(self, name: Optional[str] = None, options: Any = None) -> None:
        require_graph("TFRecordReader")
        super().__init__(name, options)
