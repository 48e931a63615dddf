"""Output of commands whose reader may stop early: ``queuecompat check . | head``."""

from __future__ import annotations

import contextlib
import os
import sys
from typing import Iterator

__all__ = ["until_closed"]


@contextlib.contextmanager
def until_closed() -> Iterator[None]:
    """Lets the block print to standard output up to where the pipe's reader closes it, and skips the rest of the block.

    What is printed after that is dropped, and the command ends with its own exit status.
    """
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        # What is still in the buffer is flushed at the end of Python, which would fail there again.
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)
