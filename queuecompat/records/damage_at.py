"""Says what is wrong with a TFRecord file at one place, without TensorFlow."""

from __future__ import annotations

from typing import BinaryIO

from queuecompat.records.checksums import crc32c, masked
from queuecompat.records.finding import HEADER_BYTES, TAIL_BYTES, is_compressed

__all__ = ["damage_at"]

_MOST = 1 << 30  # bytes; larger data are not read to check them


def damage_at(file: BinaryIO, offset: int, size: int) -> str:
    """Says what is wrong with the record at *offset* of *file*, whose size is *size* bytes; empty: nothing.

    The record's length is compared with the size of the file before its data is read.
    """
    if offset >= size:
        return ""
    file.seek(offset)
    header = file.read(HEADER_BYTES)
    if len(header) < HEADER_BYTES:
        found = f"{len(header)} of {HEADER_BYTES} bytes"
        return f"the file is truncated: it ends within the header of a record, after {found}"
    length = int.from_bytes(header[:8], "little")
    if masked(crc32c(header[:8])) != int.from_bytes(header[8:], "little"):
        if not offset and is_compressed(header):
            return (
                "the file is compressed, but its reader does not know that: pass "
                "options=tf.python_io.TFRecordOptions(...)"
            )
        return "the checksum of the record's length is wrong: the file is damaged, or not a TFRecord file"
    rest = size - offset - HEADER_BYTES
    if length + TAIL_BYTES > rest:
        return (
            f"the file is truncated: {length + TAIL_BYTES:,} bytes should follow the header of the record, but it has "
            f"{rest:,}"
        )
    if length <= _MOST:
        data = file.read(length)
        if masked(crc32c(data)) != int.from_bytes(file.read(TAIL_BYTES), "little"):
            return "the checksum of the record's data is wrong: the file is damaged"
    return ""
