"""A file that is there as a whole or not at all: it is written under another name, and then renamed.

Rule 1: who may read it is decided as for any new file, by the umask, and not as for one of ``tempfile``, which its
        owner alone may read: indices and means lie beside data that others use.
Rule 2: the other name is that of a hidden file, which a pattern such as ``*.tfrecords`` or ``data-*`` does not find.
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
    """A file to write into, which takes the place of the one at *path* where the block ends well.

    Raises:
      OSError: of *path*; nothing is left of what was written.
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
