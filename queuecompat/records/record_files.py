"""The records of TFRecord files as a sequence.

A record is its length (8 bytes), the length's checksum (4), the data, and the data's checksum (4).

Rule 1: Files are indexed once, by their headers; data is read only when it is requested.
Rule 2: Every checksum is verified: those of lengths when a file is indexed, those of data when it is read.
Rule 3: Any number of threads may read in parallel, and a pickled ``Records`` contains its index.
"""

from __future__ import annotations

import operator
from typing import Any, Iterable, List, Sequence, Tuple, Union, overload

import numpy as np

from queuecompat.plurals import counted
from queuecompat.records.checksums import crc32c, masked
from queuecompat.records.damage import BadRecordError, bad_record
from queuecompat.records.finding import HEADER_BYTES, TAIL_BYTES, found_tf_records
from queuecompat.records.open_files import OpenFiles, PathLike, paths_of

__all__ = ["BadRecordError", "Records"]


class Records(Sequence[bytes]):
    """The records of one or more TFRecord files, in the order of the files.

    Args:
      paths: a file, or several.
      verify: whether the checksums of the data are verified; those of lengths always are.
    Raises:
      FileNotFoundError: a file does not exist.
      QueueCompatTypeError: QC601, *paths* is a set.
      BadRecordError: QC641, a file is damaged or compressed: raised here for wrong lengths, and for wrong data when the
        record is read.

    In a ``BackgroundLoader``, a damaged record is an error of its item: ``on_error="skip"`` skips it.
    """

    def __init__(self, paths: Union[PathLike, Iterable[PathLike]], *, verify: bool = True) -> None:
        self._paths = paths_of(paths)
        self._verify = verify
        indices = [_index(path) for path in self._paths]
        self._offsets = [offsets for offsets, _ in indices]
        self._lengths = [lengths for _, lengths in indices]
        self._ends = np.cumsum([len(offsets) for offsets in self._offsets], dtype=np.int64)
        self._files = OpenFiles()

    def __len__(self) -> int:
        return int(self._ends[-1]) if len(self._ends) else 0

    @overload
    def __getitem__(self, index: int) -> bytes: ...

    @overload
    def __getitem__(self, index: slice) -> List[bytes]: ...

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(len(self)))]
        number = operator.index(index)
        if not -len(self) <= number < len(self):
            raise IndexError(f"there is no record {index}: {counted(len(self), 'record')} in all")
        number %= len(self)
        file = int(np.searchsorted(self._ends, number, side="right"))
        within = number - (int(self._ends[file - 1]) if file else 0)
        return self._read(self._paths[file], int(self._offsets[file][within]), int(self._lengths[file][within]))

    def _read(self, path: str, offset: int, length: int) -> bytes:
        content = self._files.read(path, length + TAIL_BYTES, offset + HEADER_BYTES)
        if len(content) < length + TAIL_BYTES:
            raise bad_record(path, offset, "the file ends before the record does: it has become shorter")
        data = content[:length]
        if self._verify and masked(crc32c(data)) != int.from_bytes(content[length:], "little"):
            raise bad_record(path, offset, "the checksum of its data is wrong")
        return data

    def __repr__(self) -> str:
        return f"<{counted(len(self), 'record')} of {counted(len(self._paths), 'file')}>"


def _index(path: str) -> Tuple[np.ndarray, np.ndarray]:
    """Returns where each record begins, and the number of its data bytes, both int64."""
    bounds, problem = found_tf_records(path)
    if problem is not None:
        raise problem
    return bounds[:-1], np.diff(bounds) - (HEADER_BYTES + TAIL_BYTES)
