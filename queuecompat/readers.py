"""Readers under TF1's names.

``read(queue)`` returns two scalar strings: the key, which says where the record is, and the record.
``read_up_to(queue, n)`` returns two vectors of at most *n* strings, all of one file. Both are compiled for
the queues of ``queuecompat.train``. For a queue that the program builds itself, TensorFlow's own reader is
used; so it is, for earlier reads too, if the program uses the reader's counts, its state or ``reset`` (QC206).
"""

from __future__ import annotations

from typing import Any, Optional

import tensorflow as tf

from queuecompat._capture.reading import CompiledReader, known_compression
from queuecompat._native.originals import READERS
from queuecompat._plan import ir
from queuecompat._session.entry import require_graph

__all__ = ["FixedLengthRecordReader", "IdentityReader", "TFRecordReader", "TextLineReader", "WholeFileReader"]


class TFRecordReader(CompiledReader):
    """Reads records from TFRecord files. A key is ``file:<byte offset>``.

    Args:
      name: name of the reader's op.
      options: a ``TFRecordOptions`` with the compression, or None.
    Raises:
      TypeError, ValueError: an argument of a wrong type.
      tf.errors.DataLossError: at run time, a record is corrupt or truncated.
      RuntimeError: QC101, QC102, QC302.
      tf.errors.NotFoundError: at run time, a file does not exist.
      tf.errors.OutOfRangeError: at run time, after the last record.
    Differs from TF1: A run-time error (a missing file, a corrupt record, a failing op) is raised by the
      ``session.run`` that needs the element; TF1 stopped a thread and closed the queue. In a session, and in a dataset
      with ``num_epochs``, a TFRecord file that is not compressed and ends within the header of a record is a
      ``DataLossError`` (QC332) after its records; TF1 took the cut for the end of the file.
    Source: TF 1.15.5 ``python/ops/io_ops.py``.
    """

    _op_name = "TFRecordReaderV2"

    def __init__(self, name: Optional[str] = None, options: Any = None) -> None:
        require_graph("TFRecordReader")
        self._options = options
        self._compression = tf.compat.v1.python_io.TFRecordOptions.get_compression_type_string(options)
        super().__init__(name)

    def _make_native(self, name: str) -> tf.compat.v1.ReaderBase:
        return READERS["TFRecordReader"](name=name, options=self._options)

    def _layout(self) -> ir.FileLayout:
        return ir.FileLayout("TFRecord", compression=self._compression)


class TextLineReader(CompiledReader):
    """Reads the lines of text files, without the line ends. A key is ``file:<line>``, counted from 1.

    Args:
      skip_header_lines: number of lines to skip at the beginning of each file; they are counted in the keys.
      name: name of the reader's op.
    Raises:
      tf.errors.InvalidArgumentError: at run time, ``skip_header_lines < 0``.
      RuntimeError: QC101, QC102, QC302.
      tf.errors.NotFoundError: at run time, a file does not exist.
      tf.errors.OutOfRangeError: at run time, after the last record.
    Differs from TF1: A run-time error (a missing file, a corrupt record, a failing op) is raised by the
      ``session.run`` that needs the element; TF1 stopped a thread and closed the queue. Every carriage return in a
      line is removed, as in tf.data; TF1 removed only the one before the end of the line.
    Source: TF 1.15.5 ``python/ops/io_ops.py``.
    """

    _op_name = "TextLineReaderV2"

    def __init__(self, skip_header_lines: Optional[int] = None, name: Optional[str] = None) -> None:
        require_graph("TextLineReader")
        self._skip_header_lines = skip_header_lines
        super().__init__(name)

    def _make_native(self, name: str) -> tf.compat.v1.ReaderBase:
        return READERS["TextLineReader"](skip_header_lines=self._skip_header_lines, name=name)

    def _layout(self) -> ir.FileLayout:
        return ir.FileLayout("TextLine", skip_header_lines=int(self._skip_header_lines or 0))


class FixedLengthRecordReader(CompiledReader):
    """Reads records of one length. A key is ``file:<record>``, counted from 0.

    Bytes at the end that are fewer than a record are ignored. Files with such bytes, with *hop_bytes* or with
    an *encoding* are read into memory as a whole, the others in pieces.

    Args:
      record_bytes: length of a record, in bytes.
      header_bytes, footer_bytes: bytes to skip at the beginning and at the end of each file.
      hop_bytes: bytes from the beginning of one record to that of the next; None or 0: *record_bytes*.
      name: name of the reader's op.
      encoding: "ZLIB" or "GZIP" for compressed files; None or "": not compressed.
    Raises:
      TypeError, ValueError: an argument of a wrong type.
      tf.errors.InvalidArgumentError: at run time, a size is negative.
      RuntimeError: QC101, QC102, QC302.
      tf.errors.NotFoundError: at run time, a file does not exist.
      tf.errors.OutOfRangeError: at run time, after the last record.
    Differs from TF1: A run-time error (a missing file, a corrupt record, a failing op) is raised by the
      ``session.run`` that needs the element; TF1 stopped a thread and closed the queue.
    Source: TF 1.15.5 ``python/ops/io_ops.py``.
    """

    _op_name = "FixedLengthRecordReaderV2"

    def __init__(
        self,
        record_bytes: int,
        header_bytes: Optional[int] = None,
        footer_bytes: Optional[int] = None,
        hop_bytes: Optional[int] = None,
        name: Optional[str] = None,
        encoding: Optional[str] = None,
    ) -> None:
        require_graph("FixedLengthRecordReader")
        self._arguments = {
            "record_bytes": record_bytes,
            "header_bytes": header_bytes,
            "footer_bytes": footer_bytes,
            "hop_bytes": hop_bytes,
        }
        self._encoding = encoding
        super().__init__(name)

    def _make_native(self, name: str) -> tf.compat.v1.ReaderBase:
        return READERS["FixedLengthRecordReader"](**self._arguments, name=name, encoding=self._encoding)

    def _layout(self) -> ir.FileLayout:
        sizes = {size: int(value or 0) for size, value in self._arguments.items()}
        return ir.FileLayout("FixedLengthRecord", compression=known_compression(self._encoding), **sizes)

    @property
    def _own_way(self) -> str:
        return "" if self._arguments["record_bytes"] else "records of 0 bytes, of which a file has no end"


class WholeFileReader(CompiledReader):
    """Reads each file as one record. The key is the file's name.

    Args:
      name: name of the reader's op.
    Raises:
      RuntimeError: QC101, QC102, QC302.
      tf.errors.NotFoundError: at run time, a file does not exist.
      tf.errors.OutOfRangeError: at run time, after the last record.
    Differs from TF1: A run-time error (a missing file, a corrupt record, a failing op) is raised by the
      ``session.run`` that needs the element; TF1 stopped a thread and closed the queue.
    Source: TF 1.15.5 ``python/ops/io_ops.py``.
    """

    _op_name = "WholeFileReaderV2"

    def __init__(self, name: Optional[str] = None) -> None:
        require_graph("WholeFileReader")
        super().__init__(name)

    def _make_native(self, name: str) -> tf.compat.v1.ReaderBase:
        return READERS["WholeFileReader"](name=name)

    def _layout(self) -> None:
        return None

    def _whole(self, file_name: tf.Tensor) -> tf.Tensor:
        return tf.io.read_file(file_name)


class IdentityReader(CompiledReader):
    """Returns each string of the queue as key and as record. It opens no file.

    Args:
      name: name of the reader's op.
    Raises:
      RuntimeError: QC101, QC102, QC302.
      tf.errors.OutOfRangeError: at run time, after the last string.
    Differs from TF1: A run-time error (a missing file, a corrupt record, a failing op) is raised by the
      ``session.run`` that needs the element; TF1 stopped a thread and closed the queue.
    Source: TF 1.15.5 ``python/ops/io_ops.py``.
    """

    _op_name = "IdentityReaderV2"

    def __init__(self, name: Optional[str] = None) -> None:
        require_graph("IdentityReader")
        super().__init__(name)

    def _make_native(self, name: str) -> tf.compat.v1.ReaderBase:
        return READERS["IdentityReader"](name=name)

    def _layout(self) -> None:
        return None

    def _whole(self, file_name: tf.Tensor) -> tf.Tensor:
        return file_name
