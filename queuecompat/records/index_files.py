"""Indices of files of records, kept from one run to the next.

An index file has a line that names its format, a line of JSON, and where each record begins, and the last one ends, as
64-bit integers. Nothing in it is run, and a reader needs no other tool than NumPy.

Rule 1: an index holds for one size and time of change of its file, and has a checksum. One that does not fit is never
        used: the file is searched again, and its index replaced.
Rule 2: an index file is there as a whole or not at all (``replacing.py``). Processes that write the same one at once do
        not disturb each other.
Rule 3: an index that cannot be written (a full disk, a folder without write access) costs its next reader a search, and
        is no error of this one. ``queuecompat index`` asks for the error.
Rule 4: beside the data an index is a hidden file, so that a pattern such as ``*.tfrecords`` or ``data-*`` does not
        find it.
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

# What an index holds for: the kind, the size and the time of change of its file.
Stamp = Dict[str, Any]

_FIRST_LINE = b"queuecompat index 1\n"
_MOST_BYTES_OF_JSON = 4096
_FOLDER = "QUEUECOMPAT_INDEX_CACHE"
# Of each file, when its records were looked for last in this process.
_stamps: Dict[str, Stamp] = {}


def cache_folder() -> str:
    """Where indices are kept that are not beside their data: ``$QUEUECOMPAT_INDEX_CACHE``, or the user's cache."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.environ.get(_FOLDER) or os.path.join(base, "queuecompat", "index")


def index_path(path: str, folder: Optional[str] = None) -> str:
    """Where the index of the file at *path* is: in *folder*, or beside the file."""
    if folder is None:
        return os.path.join(os.path.dirname(path), f".{os.path.basename(path)}.qcindex")
    name = hashlib.sha256(os.path.abspath(path).encode("utf-8", "surrogateescape")).hexdigest()[:32]
    return os.path.join(folder, f"{name}.qcindex")


def bounds_of(path: str, layout: str, seen: Seen = lambda count: None) -> Found:
    """Where the records of the file at *path* begin: from its index, or searched for, and then kept.

    Args:
      layout: a key of ``FINDERS``.
      seen: told how many bytes have been searched.
    Raises:
      OSError: the file cannot be read.
    """
    folder, stamp = cache_folder(), stamp_of(path, layout)
    _stamps[path] = stamp
    for place in (index_path(path), index_path(path, folder)):
        known = load(place, path, layout)
        if known is not None:
            return Found(known)
    found = FINDERS[layout](path, seen)
    if found.problem is None:
        with contextlib.suppress(OSError):
            os.makedirs(folder, exist_ok=True)
            # An index that a crash cuts has a wrong checksum: to wait for the disk took two thirds of the time of small
            # files, 3 ms for each.
            _write(index_path(path, folder), stamp, found.bounds, waits=False)
    return found


def has_changed(path: str) -> bool:
    """Whether the file at *path* is not the one whose ``bounds_of`` this process had last; False: it had none."""
    stamp = _stamps.get(path)
    try:
        return stamp is not None and stamp_of(path, stamp["layout"]) != stamp
    except OSError:
        return True


def store(path: str, stamp: Stamp, bounds: np.ndarray, folder: Optional[str] = None) -> str:
    """Keeps the *bounds* of the file at *path*; returns where.

    Args:
      stamp: of the file before it was searched: of one that has grown since, the index does not hold.
    Raises:
      OSError: that cannot be written; nothing is left of it.
    """
    if folder is not None:
        os.makedirs(folder, exist_ok=True)
    place = index_path(path, folder)
    _write(place, stamp, bounds, waits=True)
    return place


def load(place: str, path: str, layout: str) -> Optional[np.ndarray]:
    """The bounds in the index file at *place*, if it is a whole index of the file at *path* as it is now."""
    try:
        with open(place, "rb") as file:
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
        return None  # it is not there, or not an index: the file is searched


def stamp_of(path: str, layout: str) -> Stamp:
    """What an index of the file at *path*, as it is now, holds for."""
    status = os.stat(path)
    return {"layout": layout, "size": status.st_size, "changed_ns": status.st_mtime_ns}


def _write(place: str, stamp: Stamp, bounds: np.ndarray, *, waits: bool) -> None:
    """Writes an index file; where it *waits* for the disk, an error of that is raised."""
    content = np.ascontiguousarray(bounds, "<i8")
    about = {**stamp, "bounds": len(content), "checksum": zlib.crc32(content.data)}
    with replaced(place) as out:
        out.write(_FIRST_LINE + json.dumps(about).encode() + b"\n")
        out.write(content.data)
        if waits:
            out.flush()
            os.fsync(out.fileno())
