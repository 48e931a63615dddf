"""Closes open sessions at the end of the process, without waiting forever.

Python deletes open sessions when it ends, and TensorFlow's close waits until every op that reads ahead has returned. A
read that never returns (from a named pipe without a writer, or a file system that hangs) would keep the process alive
forever. In TensorFlow 1 the process ended, because a session in which a thread waits was not deleted.

Rule 1: sessions are closed while Python still works, so that no thread of TensorFlow's calls Python after that.
Rule 2: the exit waits at most ``sessions.PATIENCE`` seconds for all sessions together. A session that is not closed by
        then is never deleted, since the thread that closes it keeps a reference.
Rule 3: a step that the closing ends in a daemon thread does not return, so the thread prints no error.
Rule 4: the exit waits until such threads have left TensorFlow's Python code, which formats the error of a step. Python
        ends its threads where they are; inside that code's C++ functions, the process crashed.
Threads: the stall watch's thread closes them, because Python starts no new threads while it ends. That thread exists
as long as a session with a started pipeline is open; without one nothing reads ahead, and only the callbacks of
``open_sessions.before_close`` run.
"""

from __future__ import annotations

import atexit
import time
import traceback
import types
from typing import List

import tensorflow as tf

from queuecompat._native.waiting import stacks
from queuecompat._session.errors.stalls import WATCH
from queuecompat._session.steps import open_sessions, sessions

__all__ = ["close_with_python"]

_STEPS_FILE = tf.compat.v1.Session.run.__code__.co_filename


def close_with_python() -> None:
    """Registers an exit handler that closes open sessions; it runs after those that the program registers later."""
    atexit.register(_end)


def _end() -> None:
    sessions.keep_ended_steps()
    if WATCH.end(last=_close_all, seconds=sessions.PATIENCE):
        open_sessions.end_all()  # in case the watch had no thread


def _close_all() -> None:
    closed = sessions.close_all()
    while any(_is_in_step(top, closed) for top in stacks().values()):
        time.sleep(0.001)


def _is_in_step(top: types.FrameType, closed: List[tf.compat.v1.Session]) -> bool:
    """Whether the thread with the stack *top* is in TensorFlow's Python code of a step of one of the *closed* sessions.

    The code belongs to the session, or to a callable that ``make_callable`` made.
    """
    owners = (one.f_locals.get("self") for one, _ in traceback.walk_stack(top) if one.f_code.co_filename == _STEPS_FILE)
    return any(one is owner or one is getattr(owner, "_session", None) for owner in owners for one in closed)
