"""Indices of files of records, kept from one run to the next.

An index file consists of a line that names its format, a line of JSON, and the positions where each record begins, and
where the last one ends, as 64-bit integers. Nothing in it is executed, and NumPy is enough to read it.

Rule 1: An index is valid for one size and modification time of its file, and has a checksum. An invalid index is never
        used: the file is searched again, and the index replaced.
Rule 2: An index file is written atomically (``replacing.py``), so processes that write the same one at once do not
        disturb each other.
Rule 3: If an index cannot be written (the disk is full, the folder is read-only), the only consequence is that the next
        reader searches again. Only ``queuecompat index`` reports the error.
Rule 4: An index beside the data is a hidden file, so that patterns such as ``*.tfrecords`` or ``data-*`` do not match
        it.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import zlib
from typing import Any, Dict, Optional

import numpy as np

from queuecompat.records.finding import FINDERS, Found, Seen
from queuecompat.replacing import replaced

__all__ = ["Stamp", "bounds_of", "cache_folder", "has_changed", "index_path", "load", "stamp_of", "store"]

# What an index is valid for: the layout, the size and the modification time of its file.
Stamp = Dict[str, Any]

_FIRST_LINE = b"queuecompat index 1\n"
_MOST_BYTES_OF_JSON = 4096
_FOLDER = "QUEUECOMPAT_INDEX_CACHE"
# For each file, its stamp when this process last looked for its records.
_stamps: Dict[str, Stamp] = {}


def cache_folder() -> str:
    """Returns the folder for indices that are not beside their data: ``$QUEUECOMPAT_INDEX_CACHE`` or a default."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.environ.get(_FOLDER) or os.path.join(base, "queuecompat", "index")


def index_path(path: str, folder: Optional[str] = None) -> str:
    """Returns the path of the index for the file at *path*: in *folder*, or beside the file."""
    if folder is None:
        return os.path.join(os.path.dirname(path), f".{os.path.basename(path)}.qcindex")
    name = hashlib.sha256(os.path.abspath(path).encode("utf-8", "surrogateescape")).hexdigest()[:32]
    return os.path.join(folder, f"{name}.qcindex")


def bounds_of(path: str, layout: str, seen: Seen = lambda count: None) -> Found:
    """Returns where the records of the file at *path* begin: from its index, or by a search, whose result is then kept.

    Args:
      layout: a key of ``FINDERS``.
      seen: called with the number of bytes that have been searched.
    Raises:
      OSError: the file cannot be read.
    """
    folder, stamp = cache_folder(), stamp_of(path, layout)
    _stamps[path] = stamp
    for index_file in (index_path(path), index_path(path, folder)):
        known = load(index_file, path, layout)
        if known is not None:
            return Found(known)
    found = FINDERS[layout](path, seen)
    if found.problem is None:
        with contextlib.suppress(OSError):
            os.makedirs(folder, exist_ok=True)
            # Not synced: an index that a crash truncates has a wrong checksum, and waiting for the disk took two thirds
            # of the time for small files, 3 ms for each.
            _write(index_path(path, folder), stamp, found.bounds, waits=False)
    return found


def has_changed(path: str) -> bool:
    """Whether the file at *path* has changed since this process last called ``bounds_of``; False if it never did."""
    stamp = _stamps.get(path)
    try:
        return stamp is not None and stamp_of(path, stamp["layout"]) != stamp
    except OSError:
        return True


def store(path: str, stamp: Stamp, bounds: np.ndarray, folder: Optional[str] = None) -> str:
    """Writes an index with the *bounds* of the file at *path*, and returns its path.

    Args:
      stamp: the stamp of the file before it was searched, so that the index is invalid if the file has grown since.
    Raises:
      OSError: the index cannot be written; no partial file is left.
    """
    if folder is not None:
        os.makedirs(folder, exist_ok=True)
    index_file = index_path(path, folder)
    _write(index_file, stamp, bounds, waits=True)
    return index_file


def load(index_file: str, path: str, layout: str) -> Optional[np.ndarray]:
    """Returns the bounds in the index at *index_file*, if it is intact and valid for the file at *path*; else None."""
    try:
        with open(index_file, "rb") as file:
            if file.readline(len(_FIRST_LINE)) != _FIRST_LINE:
                return None
            about = json.loads(file.readline(_MOST_BYTES_OF_JSON))
            count, stamp = about["bounds"], stamp_of(path, layout)
            if any(about.get(key) != value for key, value in stamp.items()):
                return None
            begin = file.tell()
            if not isinstance(count, int) or count < 1 or os.fstat(file.fileno()).st_size != begin + 8 * count:
                return None
            bounds = np.memmap(file, "<i8", "r", begin, (count,))
            return bounds if zlib.crc32(bounds.data) == about.get("checksum") else None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None  # missing, or not an index: the file will be searched


def stamp_of(path: str, layout: str) -> Stamp:
    """Returns the stamp of the file at *path* as it is now."""
    status = os.stat(path)
    return {"layout": layout, "size": status.st_size, "changed_ns": status.st_mtime_ns}


def _write(index_file: str, stamp: Stamp, bounds: np.ndarray, *, waits: bool) -> None:
    """Writes an index file; if it *waits* for the disk, errors of the disk are raised here."""
    content = np.ascontiguousarray(bounds, "<i8")
    about = {**stamp, "bounds": len(content), "checksum": zlib.crc32(content.data)}
    with replaced(index_file) as out:
        out.write(_FIRST_LINE + json.dumps(about).encode() + b"\n")
        out.write(content.data)
        if waits:
            out.flush()
            os.fsync(out.fileno())
