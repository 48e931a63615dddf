"""Finds where the records of a file begin.

A record of a TFRecord file is its length (8 bytes), the length's checksum (4), the data, and the data's checksum (4). A
line ends after its newline, which the last line may lack.

Rule 1: Of TFRecord files only the headers are examined. Where records are small, one read of many records is cheaper
        than a read per header, so a window of the file is read at once; where records are large, only the headers are
        read.
Rule 2: The records before a damaged place are returned together with the error that names the place; the caller decides
        what to do.
Rule 3: Records are contiguous: *bounds* contains where each begins, and where the last one ends.
"""

from __future__ import annotations

import errno
import os
import struct
from typing import BinaryIO, Callable, Dict, List, NamedTuple, Optional, Tuple

import numpy as np

from queuecompat.records.checksums import crc32c_of_rows, masked
from queuecompat.records.damage import BadRecordError, bad_record
from queuecompat.records.open_files import is_read_once, read_at

__all__ = [
    "COMPRESSED",
    "FINDERS",
    "HEADER_BYTES",
    "TAIL_BYTES",
    "Found",
    "found_lines",
    "found_tf_records",
    "is_compressed",
]

HEADER_BYTES = 12  # before the data of a record
TAIL_BYTES = 4
COMPRESSED = "the file is compressed: records cannot be found in it without decompressing all of it"
_WINDOW = 64 * 1024  # bytes
_LEAST_RECORDS = 8  # per window; if there are fewer, headers are read one by one
_LINES_WINDOW = 4 * 1024 * 1024  # bytes
_ROWS = 4096  # number of headers that are checked at once

# Called with the number of bytes that were passed since the last call.
Seen = Callable[[int], object]


class Found(NamedTuple):
    """The records of a file.

    Attributes:
      bounds: int64 ``[records + 1]``, in bytes.
      problem: the damage that ended the search before the end of the file, if any.
    """

    bounds: np.ndarray
    problem: Optional[BadRecordError] = None


def _unseen(count: int) -> None:
    """Does nothing, if no progress is shown."""


def _opened(path: str) -> BinaryIO:
    """Opens the file at *path*.

    Raises:
      OSError: it is a pipe or a device.
    """
    if is_read_once(path):
        raise OSError(errno.ESPIPE, "a pipe or a device: records are found only in files", path)
    return open(path, "rb", buffering=0)


def found_tf_records(path: str, seen: Seen = _unseen) -> Found:
    """Finds the records of the TFRecord file at *path*."""
    with _opened(path) as file:
        return _TFRecords(path, file.fileno(), seen).found()


class _TFRecords:
    """The search in one file."""

    def __init__(self, path: str, file: int, seen: Seen) -> None:
        self._path = path
        self._file = file
        self._seen = seen
        self._starts: List[np.ndarray] = []
        self._headers: List[np.ndarray] = []  # of the starts that are not checked yet
        self._unchecked = 0
        self._problem: Optional[BadRecordError] = None

    def found(self) -> Found:
        size = os.fstat(self._file).st_size
        end, are_small = 0, True
        while end < size and self._problem is None:
            begin = end
            end, last = self._in_a_window(begin) if are_small else self._one_by_one(begin, size)
            if end > size or end == begin or self._unchecked >= _ROWS:
                self._check()
            if end > size or end == begin:
                # The rest is too short for a header, or for the data that the header announces.
                self._set_problem(last, "the file is truncated: it ends before the record does")
            are_small = (end - last) * _LEAST_RECORDS < _WINDOW
            self._seen(min(end, size) - begin)
        self._check()
        return self._result(end)

    def _in_a_window(self, begin: int) -> Tuple[int, int]:
        """Adds the records whose headers are in one read at *begin*; returns the end and the begin of the last one."""
        window = read_at(self._file, _WINDOW, begin)
        places, length = _records_in(window)
        if not places:
            return begin, begin
        at = np.array(places, np.int64)
        self._add(at + begin, np.frombuffer(window, np.uint8)[at[:, np.newaxis] + np.arange(HEADER_BYTES)])
        return begin + length, begin + places[-1]

    def _one_by_one(self, begin: int, size: int) -> Tuple[int, int]:
        """Does the same with a read for each header, as long as the records are large."""
        starts: List[int] = []
        headers: List[bytes] = []
        end, least = begin, _WINDOW // _LEAST_RECORDS
        while end < size and len(headers) < _ROWS:
            header = read_at(self._file, HEADER_BYTES, end)
            if len(header) < HEADER_BYTES:
                break
            starts.append(end)
            headers.append(header)
            length = int.from_bytes(header[:8], "little")
            end += length + HEADER_BYTES + TAIL_BYTES
            if length < least:
                break
        if not starts:
            return begin, begin
        self._add(np.array(starts, np.int64), np.frombuffer(b"".join(headers), np.uint8).reshape(-1, HEADER_BYTES))
        return end, starts[-1]

    def _add(self, starts: np.ndarray, headers: np.ndarray) -> None:
        self._starts.append(starts)
        self._headers.append(headers)
        self._unchecked += len(starts)

    def _check(self) -> None:
        """Records the first header with a wrong checksum as the problem."""
        if not self._unchecked or self._problem is not None:
            return
        headers, starts = np.concatenate(self._headers), np.concatenate(self._starts[-len(self._headers) :])
        stored = headers[:, 8:].copy().view("<u4")[:, 0]
        wrong = np.flatnonzero(masked(crc32c_of_rows(headers[:, :8])) != stored)
        self._headers, self._unchecked = [], 0
        if len(wrong):
            offset = int(starts[wrong[0]])
            self._set_problem(offset, _what_is_wrong(offset, bytes(headers[0])))

    def _set_problem(self, offset: int, why: str) -> None:
        if self._problem is None:
            self._problem = bad_record(self._path, offset, why)

    def _result(self, end: int) -> Found:
        starts = np.concatenate([np.zeros(0, np.int64), *self._starts])
        if self._problem is None:
            return Found(np.append(starts, np.int64(end)))
        offset = self._problem.offset
        return Found(np.append(starts[starts < offset], np.int64(offset)), self._problem)


def _records_in(window: bytes) -> Tuple[List[int], int]:
    """Returns where the records with a header in *window* begin, the first at 0, and where the last one ends."""
    unpacked = struct.Struct("<Q").unpack_from
    places: List[int] = []
    place, last = 0, len(window) - HEADER_BYTES
    while place <= last:
        places.append(place)
        place += unpacked(window, place)[0] + HEADER_BYTES + TAIL_BYTES
    return places, place


def is_compressed(beginning: bytes) -> bool:
    """Whether *beginning*, the first bytes of a file, is that of a GZIP or ZLIB file."""
    return beginning[:2] in (b"\x1f\x8b", b"\x78\x9c", b"\x78\x01", b"\x78\xda")


def _what_is_wrong(offset: int, header: bytes) -> str:
    if not offset and is_compressed(header):
        return COMPRESSED
    return "the checksum of its length is wrong: the file is damaged, or not a TFRecord file"


def found_lines(path: str, seen: Seen = _unseen) -> Found:
    """Finds the lines of the file at *path*; a newline within quotes ends a line, too, as for TF1's reader."""
    bounds = [np.zeros(1, np.int64)]
    offset = 0
    with _opened(path) as file:
        while True:
            window = read_at(file.fileno(), _LINES_WINDOW, offset)
            if not window:
                break
            bounds.append(np.flatnonzero(np.frombuffer(window, np.uint8) == ord("\n")) + (offset + 1))
            offset += len(window)
            seen(len(window))
    ends = np.concatenate(bounds)
    return Found(ends if ends[-1] == offset else np.append(ends, np.int64(offset)))


# By the names of TF1's readers; fixed-length records are found by arithmetic.
FINDERS: Dict[str, Callable[[str, Seen], Found]] = {"TFRecord": found_tf_records, "TextLine": found_lines}
