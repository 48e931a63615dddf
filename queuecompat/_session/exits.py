"""Closes open sessions at the end of the process, without waiting forever.

Python deletes open sessions when it ends, and TensorFlow's close waits until every op that reads ahead has returned. A
read that never returns (from a named pipe without a writer, or a file system that hangs) would keep the process alive
forever. In TensorFlow 1 the process ended, because a session in which a thread waits was not deleted.

Rule 1: sessions are closed while Python still works, so that no thread of TensorFlow's calls Python after that.
Rule 2: the exit waits at most ``sessions.PATIENCE`` seconds for all sessions together. A session that is not closed by
        then is never deleted, since the thread that closes it keeps a reference.
Rule 3: a step that the closing ends in a daemon thread does not return, so the thread prints no error.
Rule 4: the exit waits, in the same time, until threads have left TensorFlow's Python code of steps in closed
        sessions, also in those that the program closed, and that which formats errors. Python ends its threads where
        they are; inside that code's C++ functions, the process crashed.
Threads: the stall watch's thread closes them, because Python starts no new threads while it ends. That thread exists
as long as a session with a started pipeline is open; without one nothing reads ahead, and only the callbacks of
``open_sessions.before_close`` run.
"""

from __future__ import annotations

import atexit
import time
import traceback
import types
from typing import Any

from queuecompat._native.waiting import stacks
from queuecompat._session.errors.stalls import WATCH
from queuecompat._session.steps import open_sessions, sessions

__all__ = ["close_with_python"]

_STEPS = "tensorflow.python.client.session"
_FORMATTING = "tensorflow.python.framework.error_interpolation"


def close_with_python() -> None:
    """Registers an exit handler that closes open sessions; it runs after those that the program registers later."""
    atexit.register(_end)


def _end() -> None:
    deadline = time.monotonic() + sessions.PATIENCE
    sessions.keep_ended_steps()
    if WATCH.end(last=sessions.close_all, seconds=sessions.PATIENCE):
        open_sessions.end_all()  # in case the watch had no thread
    while any(map(_is_leaving_step, stacks().values())) and time.monotonic() < deadline:
        time.sleep(0.001)


def _is_leaving_step(top: types.FrameType) -> bool:
    """Whether the thread with the stack *top* is in TensorFlow's Python code of a step, and will soon leave it.

    A step in an open session may still wait, so it counts only while its error is being formatted.
    """
    return any(
        module == _FORMATTING or (module == _STEPS and _is_of_closed_session(frame))
        for frame, module in ((one, one.f_globals.get("__name__")) for one, _ in traceback.walk_stack(top))
    )


def _is_of_closed_session(frame: types.FrameType) -> bool:
    """Whether *frame* belongs to a step of a closed session, or of what its ``make_callable`` made.

    ``close`` itself does not count: it may wait for a read that does not return.
    """
    owner = frame.f_locals.get("self")
    return frame.f_code.co_name != "close" and (_is_closed(owner) or _is_closed(getattr(owner, "_session", None)))


def _is_closed(owner: Any) -> bool:
    return getattr(owner, "_closed", False) is True
