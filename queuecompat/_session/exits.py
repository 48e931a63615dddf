"""Closes open sessions at the end of the process, without waiting forever.

Python deletes open sessions when it ends, and TensorFlow's close waits until every op that reads ahead has returned. A
read that never returns (from a named pipe without a writer, or a file system that hangs) would keep the process alive
forever. In TensorFlow 1 the process ended, because a session in which a thread waits was not deleted.

Rule 1: sessions are closed while Python still works, so that no thread of TensorFlow's calls Python after that.
Rule 2: the exit waits at most ``sessions.PATIENCE`` seconds for all sessions together. A session that is not closed by
        then is never deleted, since the thread that closes it keeps a reference.
Rule 3: no thread but the main one begins a step or returns from one any more (``ending``), and the exit waits until
        none is inside a step. For that, any session is closed that a thread runs a step of.
Rule 4: SIGINT does not end that waiting, or a second Ctrl-C would let the process crash.
Threads: the stall watch's thread closes sessions, because Python starts no new threads while it ends (since 3.12). That
thread exists as long as a session with a started pipeline is open; without one nothing reads ahead, and only the
callbacks of ``open_sessions.before_close`` run, and sessions of running steps are closed; since Python 3.12 the exit
only waits ``SHORT_PATIENCE`` seconds for the steps, because a step that never ends can hold the closing up.
"""

from __future__ import annotations

import contextlib
import signal
import time
from typing import Iterator

from queuecompat._session import last_handler
from queuecompat._session.errors.stalls import WATCH
from queuecompat._session.steps import ending, open_sessions, sessions

__all__ = ["close_with_python"]

SHORT_PATIENCE = 0.5  # seconds to wait for steps whose sessions cannot be closed


def close_with_python() -> None:
    """Registers an exit handler that closes open sessions; it runs after the program's (``last_handler``)."""
    last_handler.register(_end)


def _end() -> None:
    ending.keep_threads()
    with _uninterrupted():
        if WATCH.end(last=_close_all, seconds=sessions.PATIENCE):
            open_sessions.end_all()  # in case the watch had no thread
            if ending.inside_steps():
                ending.done_in_thread(_end_steps, sessions.PATIENCE, otherwise=_wait_for_steps)


@contextlib.contextmanager
def _uninterrupted() -> Iterator[None]:
    """Ignores SIGINT, if it would raise an exception."""
    handler = signal.getsignal(signal.SIGINT)
    if not callable(handler):
        yield
        return
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    except ValueError:  # this is not the main thread, so no handler runs in it
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)


def _close_all() -> None:
    closed = sessions.close_all()
    _end_steps()
    del closed  # the sessions live until all are closed and no step runs


def _end_steps() -> None:
    """Waits until no thread is inside a step; closes the sessions of those steps."""
    while True:
        inside = ending.inside_steps()
        if not inside:
            return
        for session in inside:
            sessions.close_plainly(session)
        time.sleep(0.001)


def _wait_for_steps() -> None:
    """Waits until no thread is inside a step, but not for long."""
    end = time.monotonic() + SHORT_PATIENCE
    while ending.inside_steps() and time.monotonic() < end:
        time.sleep(0.001)
