"""The open sessions: the state of each, and what is called before it is closed.

Guarantees: a callback of ``before_close`` is called once, before TensorFlow closes the session, in whatever way that
happens: ``close``, the garbage collector, the end of the process.
Locks: ``_lock`` guards the states and the set of sessions that have one. Callbacks run without it, in the thread that
closes. It is re-entrant, since the garbage collector may close a session at any line, even inside these functions.
Forks: the child process forgets the sessions: closing one does nothing there, and none is ever freed.
"""

from __future__ import annotations

import ctypes
import threading
import weakref
from typing import Any, List, Optional

import tensorflow as tf

from queuecompat._session.steps.session_state import BeforeClose, SessionState

__all__ = [
    "SESSIONS",
    "all_open",
    "before_close",
    "end",
    "end_all",
    "innermost",
    "is_ending",
    "is_left_in_parent",
    "leave_in_parent",
    "state_if_any",
    "state_of",
    "states",
]

SESSIONS = (tf.compat.v1.Session, tf.compat.v1.InteractiveSession)

# The attribute of a session that holds its state. A table with weak references would not do: when the garbage collector
# makes a session close itself, its weak references are already gone.
_ATTRIBUTE = "_queuecompat_state"

# The attribute of a session that has been closed, or is being closed, after it had a state.
_ENDING = "_queuecompat_is_ending"

# Marks the sessions of the parent process after a fork: their threads are in the parent.
_LEFT_IN_PARENT = SessionState()

_lock = threading.RLock()
_open: weakref.WeakSet[Any] = weakref.WeakSet()


def state_of(session: tf.compat.v1.Session) -> SessionState:
    """The state of *session*, made if there is none yet."""
    with _lock:
        state = state_if_any(session)
        if state is None:
            state = SessionState()
            setattr(session, _ATTRIBUTE, state)
            _open.add(session)
        return state


def state_if_any(session: tf.compat.v1.Session) -> Optional[SessionState]:
    """The state of *session*; None if nothing of this package has asked for it."""
    state: Optional[SessionState] = vars(session).get(_ATTRIBUTE)
    return state


def states() -> List[SessionState]:
    """The states of all open sessions."""
    with _lock:
        return [state for state in map(state_if_any, _open) if state is not None]


def all_open() -> List[tf.compat.v1.Session]:
    """The open sessions that have a state."""
    return list(_open)


def innermost(session: Any) -> Any:
    """The session in which the steps of *session* run: itself, or the one inside a wrapper such as a debugger's."""
    while not isinstance(session, SESSIONS) and hasattr(session, "session"):
        session = session.session
    return session


def before_close(session: tf.compat.v1.Session, callback: BeforeClose) -> None:
    """Registers *callback*, which is called once with *session* before it is closed, in whatever way that happens.

    The callback that was registered last is called first.
    """
    callbacks = state_of(session).callbacks_before_close
    if callback not in callbacks:
        callbacks.append(callback)


def end(session: tf.compat.v1.Session) -> None:
    """Calls the ``before_close`` callbacks of *session*, and forgets its state."""
    with _lock:
        state = vars(session).pop(_ATTRIBUTE, None)
        _open.discard(session)
        if state is not None:
            setattr(session, _ENDING, True)
    while state is not None and state.callbacks_before_close:
        state.callbacks_before_close.pop()(session)
    if state is not None:
        state.is_closed = True
        state.wake_early_steps()


def is_ending(session: tf.compat.v1.Session) -> bool:
    """Whether ``end`` has been called for *session*, which had a state."""
    return _ENDING in vars(session)


def end_all() -> None:
    """Calls the ``before_close`` callbacks of all open sessions."""
    for session in all_open():
        end(session)


def leave_in_parent() -> None:
    """Runs in a forked process: the sessions' threads stayed in the parent, so no step can run or be waited for.

    TensorFlow's close and destructor wait for locks that such a thread may have held. So each session gets one
    reference that is never released, which keeps its destructor from running even at the end of the process.
    """
    global _lock
    _lock = threading.RLock()  # a thread that exists only in the parent may have held it
    for session in list(_open):
        setattr(session, _ATTRIBUTE, _LEFT_IN_PARENT)
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(session))
    _open.clear()


def is_left_in_parent(session: tf.compat.v1.Session) -> bool:
    """Whether *session* is one of the parent process, from which this process was forked."""
    return state_if_any(session) is _LEFT_IN_PARENT
