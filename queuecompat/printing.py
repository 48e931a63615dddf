"""Output of commands whose reader may stop early: ``queuecompat check . | head``."""

from __future__ import annotations

import contextlib
import os
import sys
from typing import Iterator

__all__ = ["until_closed"]


@contextlib.contextmanager
def until_closed() -> Iterator[None]:
    """Lets the block print to standard output until the reader closes the pipe, and then skips the rest of the block.

    Further output is dropped, and the command ends with its own exit status.
    """
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        # Python flushes the remaining buffer at its end, which would raise the error again.
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)
