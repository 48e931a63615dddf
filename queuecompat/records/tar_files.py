"""The samples of tar files in WebDataset's layout, as a sequence.

The files of a sample are adjacent, and their names differ only in the ending: ``000/cat7.jpg``, ``000/cat7.cls``. The
key of the sample is the name up to the first dot after the last slash; the ending is what follows that dot.

Rule 1: Tar files are indexed once, by their headers; contents are read when a sample is requested.
Rule 2: Any number of threads may read in parallel, and a pickled ``TarSamples`` contains its index.
"""

from __future__ import annotations

import tarfile
from typing import Any, BinaryIO, Dict, Iterable, Iterator, List, NamedTuple, Sequence, Tuple, Union, overload

from queuecompat.plurals import counted
from queuecompat.records.damage import bad_record
from queuecompat.records.open_files import OpenFiles, PathLike, paths_of

__all__ = ["TarSamples"]

Sample = Dict[str, Any]


class _Entry(NamedTuple):
    """A sample: its tar file's number, its key, and ending, offset and size (in bytes) of each of its files."""

    file: int
    key: str
    parts: Tuple[Tuple[str, int, int], ...]


class TarSamples(Sequence[Sample]):
    """The samples of one or more tar files, in the order of the files.

    A sample is a dict: the key under ``"__key__"``, and the bytes of each file under its ending: ``"jpg"``, ``"cls"``.

    Args:
      paths: a tar file, or several. They must not be compressed, since compressed files can only be read from the
        beginning.
    Raises:
      FileNotFoundError: a file does not exist.
      QueueCompatTypeError: QC601, *paths* is a set.
      BadRecordError: QC641, a file is compressed, truncated, or not a tar file; or a sample has two files with the same
        ending.
    """

    def __init__(self, paths: Union[PathLike, Iterable[PathLike]]) -> None:
        self._paths = paths_of(paths)
        self._samples = [sample for number, path in enumerate(self._paths) for sample in _index(number, path)]
        self._files = OpenFiles()

    def __len__(self) -> int:
        return len(self._samples)

    @overload
    def __getitem__(self, index: int) -> Sample: ...

    @overload
    def __getitem__(self, index: slice) -> List[Sample]: ...

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(len(self)))]
        sample = self._samples[index]
        out: Sample = {"__key__": sample.key}
        for ending, offset, size in sample.parts:
            out[ending] = self._files.read(self._paths[sample.file], size, offset)
            if len(out[ending]) < size:
                raise bad_record(self._paths[sample.file], offset, "the file has become shorter")
        return out

    def __repr__(self) -> str:
        return f"<{counted(len(self), 'sample')} of {counted(len(self._paths), 'tar file')}>"


def _index(number: int, path: str) -> Iterator[_Entry]:
    key = ""
    parts: Dict[str, Tuple[int, int]] = {}
    for name, offset, size in _files_of(path):
        folder, slash, file = name.rpartition("/")
        stem, _, ending = file.partition(".")
        if not ending or not stem:
            continue  # WebDataset also skips files without an ending, and hidden files
        this = folder + slash + stem
        if this != key and parts:
            yield _Entry(number, key, tuple((ending, *place) for ending, place in parts.items()))
            parts = {}
        key = this
        if ending in parts:
            raise bad_record(path, offset, f"the sample '{key}' has two files of the ending '{ending}'")
        parts[ending] = offset, size
    if parts:
        yield _Entry(number, key, tuple((ending, *place) for ending, place in parts.items()))


def _files_of(path: str) -> Iterator[Tuple[str, int, int]]:
    """Yields name, offset and size of each regular file in the tar file at *path*."""
    offset = 0
    try:
        with open(path, "rb") as raw, tarfile.open(fileobj=raw, mode="r:") as archive:
            end = raw.seek(0, 2)
            for member in archive:
                vars(archive)["members"] = []  # otherwise it would keep all headers in memory
                offset = member.offset_data
                if offset + member.size > end:
                    raise tarfile.ReadError("unexpected end of data")
                if member.isreg():
                    yield member.name, offset, member.size
            offset = archive.offset
            _require_end(raw, offset)
    except tarfile.TarError as problem:
        with open(path, "rb") as raw:
            is_compressed = raw.read(3)[:2] in (b"\x1f\x8b", b"BZ", b"\xfd7")
        why = "the file is compressed" if is_compressed else f"it is not a whole tar file ({problem})"
        raise bad_record(path, offset, why) from problem


def _require_end(raw: BinaryIO, offset: int) -> None:
    """Requires that the archive ends at *offset*: ``tarfile`` takes a truncated or damaged header for the end.

    Raises:
      tarfile.ReadError: there is no end-of-archive mark.
    """
    raw.seek(offset)
    head = raw.read(tarfile.BLOCKSIZE)
    if not head:
        raise tarfile.ReadError("it ends without an end-of-archive mark")
    if head.strip(b"\0") or len(head) < tarfile.BLOCKSIZE:
        raise tarfile.ReadError("a header is truncated or damaged")
