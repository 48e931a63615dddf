"""Checks whether a TFRecord file ends where a record does, without TensorFlow.

TensorFlow reads a file that ends within the header of a record as if it had ended before that record, silently.

Rule 1: An intact file is recognised by its last bytes, whatever its size: the length in the header of its last record,
        which has a checksum, leads exactly to the end. Only if no such header is found are all headers read, from the
        first on.
Rule 2: Any other damage is not reported here: TensorFlow reports it when it reads the data.
"""

from __future__ import annotations

from typing import BinaryIO, Optional

import numpy as np

from queuecompat.records.checksums import crc32c, masked
from queuecompat.records.finding import HEADER_BYTES, TAIL_BYTES

__all__ = ["find_cut_header"]

_LENGTH_BYTES = 8
_FIRST_WINDOW = 4 * 1024  # bytes
_GROWS = 16  # factor; for files whose last record is larger
_LARGEST_WINDOW = 64 * 1024 * 1024


def find_cut_header(file: BinaryIO, size: int) -> Optional[int]:
    """Returns the offset of the record in whose header *file*, of *size* bytes, ends; None if there is none."""
    window = _FIRST_WINDOW
    while size:
        window = min(window, size)
        file.seek(size - window)
        if _ends_with_a_record(file.read(window)):
            return None
        if window == size or window >= _LARGEST_WINDOW:
            break
        window *= _GROWS
    offset = 0
    while offset < size:
        file.seek(offset)
        header = file.read(HEADER_BYTES)
        if len(header) < HEADER_BYTES:
            return offset
        offset += HEADER_BYTES + int.from_bytes(header[:_LENGTH_BYTES], "little") + TAIL_BYTES
    return None


def _ends_with_a_record(window: bytes) -> bool:
    count = len(window) - HEADER_BYTES - TAIL_BYTES + 1
    if count < 1:
        return False
    # The eight bytes at each position, as an integer.
    numbers = np.ndarray((count,), "<u8", window, strides=(1,))
    right = np.arange(count, dtype=np.uint64)[::-1]
    return any(_is_header(window[place : place + HEADER_BYTES]) for place in np.flatnonzero(numbers == right))


def _is_header(header: bytes) -> bool:
    return masked(crc32c(header[:_LENGTH_BYTES])) == int.from_bytes(header[_LENGTH_BYTES:], "little")
