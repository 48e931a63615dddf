"""The steps of other threads while the process ends.

Python ends its daemon threads where they are. If one is inside TensorFlow's C++ code, the process crashes when the call
returns ("terminate called", "exception not rethrown"). TensorFlow 1 did not crash, so programs end while their threads
run steps.

Rule 1: when the process ends, a step in a thread other than the main one neither begins nor returns (``kept``).
        Such a thread waits in Python's own code, where Python can end it. It prints no error of its step, either.
        Threads of TensorFlow's own, which run Python functions of steps, are not kept, since those steps have to end.
Rule 2: the exit waits until no thread is inside a step (``inside_steps``).
Locks: none; the threads and the stacks belong to Python.
"""

from __future__ import annotations

import _thread
import functools
import threading
import traceback
import types
import weakref
from typing import Any, Callable, List, Optional, Set

import tensorflow as tf

from queuecompat._native.waiting import stacks
from queuecompat._session.steps.open_sessions import SESSIONS

__all__ = [
    "STEPS_FILES",
    "done_in_thread",
    "give_up",
    "inside_steps",
    "keep_threads",
    "keep_threads_if_ending",
    "kept",
]

# The files whose functions run steps and close sessions; ``sessions`` adds its own.
STEPS_FILES: Set[str] = {tf.compat.v1.Session.run.__code__.co_filename}

_is_ending = False
_given_up: weakref.WeakSet[Any] = weakref.WeakSet()


def keep_threads() -> None:
    """From now on, a step in a thread other than the main one neither begins nor returns: the process ends."""
    global _is_ending
    _is_ending = True


def kept(step: Callable[..., Any]) -> Callable[..., Any]:
    """*step*, which TensorFlow runs, for all threads: at the end of the process it neither begins nor returns."""

    @functools.wraps(step)
    def kept_step(*args: Any, **kwargs: Any) -> Any:
        keep_threads_if_ending()
        try:
            return step(*args, **kwargs)
        finally:
            keep_threads_if_ending()

    return kept_step


def keep_threads_if_ending() -> None:
    """Does not return at the end of the process; to be called in the thread of a step.

    The thread is a daemon, or Python would wait for its end.
    """
    if _is_ending:
        thread = threading.current_thread()
        # A dummy stands for a thread that Python did not start.
        if thread is not threading.main_thread() and not isinstance(thread, threading._DummyThread):
            threading.Event().wait()


def give_up(session: tf.compat.v1.Session) -> None:
    """From now on, the exit does not wait for steps of *session*, which does not close."""
    _given_up.add(session)


def inside_steps() -> Set[Any]:
    """The sessions of which other threads run a step, or which they close; without those that were given up.

    Threads that are kept do not count.
    """
    own = threading.get_ident()
    tops = [top for thread, top in stacks().items() if thread != own]
    return {session for top in tops for session in _sessions_of(top) if session not in _given_up}


def _sessions_of(top: types.FrameType) -> List[Any]:
    """The sessions of the steps in the stack *top*; a step may also belong to a callable of a session."""
    frames = [frame for frame, _ in traceback.walk_stack(top)]
    if any(frame.f_code is keep_threads_if_ending.__code__ for frame in frames):
        return []
    owners = [frame.f_locals.get("self") for frame in frames if frame.f_code.co_filename in STEPS_FILES]
    return [one for owner in owners for one in (owner, getattr(owner, "_session", None)) if isinstance(one, SESSIONS)]


def done_in_thread(work: Callable[[], Any], seconds: float, otherwise: Optional[Callable[[], Any]] = None) -> bool:
    """Calls *work* in a thread, and waits at most *seconds* for its end.

    Args:
      otherwise: called instead, in this thread, if Python is ending and starts no more threads; None: *work* is.
    Returns:
      Whether it has ended.
    Raises:
      Whatever *work* raises.
    """
    problems: List[BaseException] = []
    # Not a Thread, whose start takes a lock that is not re-entrant: the garbage collector may close at any line.
    ended = _thread.allocate_lock()
    ended.acquire()

    def run() -> None:
        try:
            work()
        except BaseException as problem:
            problems.append(problem)
        finally:
            ended.release()

    try:
        _thread.start_new_thread(run, ())
    except RuntimeError:  # Python is ending
        (otherwise or work)()
        return True
    is_done = ended.acquire(timeout=seconds)
    if problems:
        raise problems[0]
    return is_done
