"""Writes files atomically: under another name, which is then changed to the final one.

Rule 1: Permissions are those of any new file (by the umask), and not those of ``tempfile``, whose files only their
        owner can read: indices and means are kept beside data that several users share.
Rule 2: The temporary name is hidden, so that patterns such as ``*.tfrecords`` or ``data-*`` do not match it.
"""

from __future__ import annotations

import contextlib
import os
import secrets
from typing import BinaryIO, Iterator

__all__ = ["replaced"]

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


@contextlib.contextmanager
def replaced(path: str) -> Iterator[BinaryIO]:
    """Opens a file to write into, which replaces the one at *path* if the block ends without an error.

    Raises:
      OSError: about *path*; no partial file is left.
    """
    unfinished = os.path.join(os.path.dirname(path), f".{secrets.token_hex(8)}.part")
    try:
        handle = os.open(unfinished, _NEW, 0o666)
    except OSError as problem:
        raise OSError(problem.errno, problem.strerror, path) from None
    try:
        with os.fdopen(handle, "wb") as out:
            yield out
        os.replace(unfinished, path)
    except BaseException:
        os.unlink(unfinished)
        raise
