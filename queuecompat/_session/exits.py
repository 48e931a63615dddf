"""The end of the process while sessions are open.

Python deletes them when it ends, and TensorFlow's close waits until everything that reads ahead has returned. A read
that does not return (of a named pipe without a writer, of a file system that hangs) kept the process forever. In
TensorFlow 1 it ended: a session in which a thread waits is not deleted.

Rule 1: sessions are closed while Python still works, so that no thread of TensorFlow's calls Python after it.
Rule 2: the exit waits ``PATIENCE`` seconds for that, all sessions together. What is not closed by then is never
        deleted, since the thread that closes holds it.
Threads: the stall watch's closes them, because Python starts none any more when it ends. There is one as long as a
session with a started pipeline is open; without one nothing reads ahead, and only what precedes a close is done.
"""

from __future__ import annotations

import atexit

from queuecompat._session.errors.stalls import WATCH
from queuecompat._session.steps import sessions

__all__ = ["PATIENCE", "close_with_python"]

PATIENCE = 5.0  # seconds


def close_with_python() -> None:
    """From now on the end of Python closes what is open, after the exit handlers that the program registers later."""
    atexit.register(_end)


def _end() -> None:
    if WATCH.end(last=sessions.close_all, seconds=PATIENCE):
        sessions.end_all()  # where there was no thread
