"""Segments of a cache (``cache_store``) as files: one file for each segment, in a folder for each key.

    blocks, one after the other: the bytes of each array; of strings: their lengths (int64), then the strings
    index: JSON with the identity and, for each block, its offset, size, checksum, and types and shapes of its arrays
    the length of the index (8 bytes), its checksum (4 bytes), MAGIC

Rule 1: a file is written under a unique temporary name and renamed when it is complete. So a file with the right name
        is complete, and several processes may write the same segment: the last to finish replaces the others.
Rule 2: every byte is covered by a checksum. A file with a damaged index is removed, and the segment is made again. A
        block that is damaged is an error (QC342), because other blocks of the segment may have been used already.
Rule 3: an unfinished file, left by a killed process, is removed when it is a day old.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import pathlib
import shutil
import struct
import time
import uuid
import zlib
from typing import Any, Dict, Iterator, List, Optional, Tuple

import numpy as np

from queuecompat._plan.cache_store import Block, Identity
from queuecompat.errors import QueueCompatRuntimeError, error_at

__all__ = ["Folder"]

MAGIC = b"QCcache1"
_END = struct.Struct("<qI8s")
_UNFINISHED = ".part"
_OLD_SECONDS = 24 * 3600


class _Unfinished:
    """A segment that is being written."""

    def __init__(self, path: pathlib.Path) -> None:
        self.path = path
        self.blocks: List[Dict[str, Any]] = []
        self.size = 0


class Folder:
    """The segments of the cache with this *key*, in files below *folder* (a ``cache_store.SegmentStorage``).

    Attributes:
      used: the size in bytes of the files that existed at the start.
    """

    def __init__(self, folder: str, key: str) -> None:
        self._folder = pathlib.Path(folder) / key[:32]
        self._folder.mkdir(parents=True, exist_ok=True)
        self._unfinished: Dict[Identity, _Unfinished] = {}
        self._indices: Dict[Identity, List[Dict[str, Any]]] = {}
        self._damaged: Dict[Identity, str] = {}  # the first problem that was found
        self.used = sum(self._sizes())

    def _sizes(self) -> Iterator[int]:
        for path in self._folder.glob("*/*"):
            with contextlib.suppress(FileNotFoundError):  # another process may rename or remove its own files
                status = path.stat()
                if path.suffix == _UNFINISHED and status.st_mtime < time.time() - _OLD_SECONDS:
                    path.unlink()
                else:
                    yield status.st_size

    def blocks(self, identity: Identity) -> Optional[int]:
        if self._damaged.pop(identity, None) is not None:
            self._indices.pop(identity, None)  # so that it is read again
        if identity not in self._indices:
            index = self._index(identity)
            if index is None:
                return None
            self._indices[identity] = index
        return len(self._indices[identity])

    def _index(self, identity: Identity) -> Optional[List[Dict[str, Any]]]:
        path = self._path(identity)
        try:
            with path.open("rb") as file:
                file.seek(-_END.size, os.SEEK_END)
                length, checksum, magic = _END.unpack(file.read(_END.size))
                file.seek(-_END.size - length, os.SEEK_END)
                text = file.read(length)
        except FileNotFoundError:
            return None
        except OSError:  # the file is too short
            self._remove(path)
            return None
        if magic != MAGIC or zlib.crc32(text) != checksum:
            self._remove(path)
            return None
        index = json.loads(text)
        return index["blocks"] if index["identity"] == identity.hex() else None

    def _remove(self, path: pathlib.Path) -> None:
        path.unlink(missing_ok=True)

    def block(self, identity: Identity, number: int) -> Block:
        found, path = self._indices[identity][number], self._path(identity)
        try:
            with path.open("rb") as file:
                file.seek(found["at"])
                content = file.read(found["size"])
            if len(content) != found["size"] or zlib.crc32(content) != found["crc"]:
                self._damaged.setdefault(identity, "its checksum is wrong")
                self._remove(path)
        except OSError as problem:
            self._damaged.setdefault(identity, str(problem))
        if identity in self._damaged:
            raise _error(path, self._damaged[identity])
        return list(_arrays(content, found["arrays"]))

    def begun(self, identity: Identity) -> int:
        return len(self._unfinished[identity].blocks) if identity in self._unfinished else 0

    def add(self, identity: Identity, block: Block) -> int:
        if identity not in self._unfinished:
            path = self._path(identity)
            path.parent.mkdir(exist_ok=True)
            self._unfinished[identity] = _Unfinished(path.with_name(f"{path.name}-{uuid.uuid4().hex}{_UNFINISHED}"))
        unfinished = self._unfinished[identity]
        parts = [_written(one) for one in block]
        content = b"".join(part for part, _ in parts)
        with unfinished.path.open("ab") as file:
            file.write(content)
        said = {"at": unfinished.size, "size": len(content), "crc": zlib.crc32(content)}
        unfinished.blocks.append({**said, "arrays": [how for _, how in parts]})
        unfinished.size += len(content)
        return len(content)

    def end(self, identity: Identity) -> None:
        if identity not in self._unfinished:  # a file without elements
            self.add(identity, [])
            self._unfinished[identity].blocks.clear()
        unfinished = self._unfinished.pop(identity)
        text = json.dumps({"identity": identity.hex(), "blocks": unfinished.blocks}).encode()
        with unfinished.path.open("ab") as file:
            file.write(text + _END.pack(len(text), zlib.crc32(text), MAGIC))
        os.replace(unfinished.path, self._path(identity))

    def drop(self, identity: Identity) -> int:
        unfinished = self._unfinished.pop(identity, None)
        index = self._indices.pop(identity, [])
        if unfinished is not None:
            unfinished.path.unlink(missing_ok=True)
            return unfinished.size
        if index:
            self._path(identity).unlink(missing_ok=True)
        return sum(block["size"] for block in index)

    def free_bytes(self) -> int:
        return shutil.disk_usage(self._folder).free

    def _path(self, identity: Identity) -> pathlib.Path:
        name = hashlib.sha256(identity).hexdigest()[:40]
        return self._folder / name[:2] / name


def _written(array: np.ndarray) -> Tuple[bytes, Dict[str, Any]]:
    if array.dtype != object:
        return np.ascontiguousarray(array).tobytes(), {"type": array.dtype.str, "shape": array.shape}
    strings = [bytes(one) for one in array.reshape(-1)]
    lengths = np.array([len(one) for one in strings], "<i8").tobytes()
    return lengths + b"".join(strings), {"type": "bytes", "shape": array.shape}


def _arrays(content: bytes, hows: List[Dict[str, Any]]) -> Iterator[np.ndarray]:
    at = 0
    for how in hows:
        count = int(np.prod(how["shape"], dtype=np.int64))
        if how["type"] != "bytes":
            array = np.frombuffer(content, how["type"], count, at)
            at += array.nbytes
            yield array.reshape(how["shape"])
            continue
        lengths = np.frombuffer(content, "<i8", count, at)
        at += lengths.nbytes
        strings = np.empty(count, object)
        for number, length in enumerate(lengths.tolist()):
            strings[number] = content[at : at + length]
            at += length
        yield strings.reshape(how["shape"])


def _error(path: pathlib.Path, why: str) -> Exception:
    return error_at(QueueCompatRuntimeError, "QC342", None, path=path, why=why)
