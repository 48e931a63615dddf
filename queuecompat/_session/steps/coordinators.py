"""Coordinators: pipelines learn of a stop at once, without a polling thread, and a join does not hold a stop up.

- ``Coordinator.request_stop``: notifies pipelines of the stop (``on_stop``).
- ``Coordinator.join``: while a thread is in it, a stop does not wait for steps of that thread.

``sessions.attend`` puts these methods in place.

Locks: ``_lock`` guards the callbacks of all coordinators; they run without it, in the thread that stops. It is
re-entrant, since the garbage collector may run code that stops a coordinator at any line.
Forks: the child process has no callbacks, as the pipelines are in the parent.
"""

from __future__ import annotations

import functools
import os
import threading
from typing import Any, Callable, List

import tensorflow as tf

from queuecompat._session.steps import open_sessions
from queuecompat._session.steps.session_state import JOINING

__all__ = ["attended_join", "attended_request_stop", "on_stop", "start_in_child"]

_OnStop = Callable[[], None]

_lock = threading.RLock()


def on_stop(coordinator: tf.train.Coordinator, callback: _OnStop) -> None:
    """Calls *callback* when *coordinator* is asked to stop; at once if that has happened already."""
    with _lock:
        is_stopped = coordinator.should_stop()
        if not is_stopped:
            _callbacks_on_stop(coordinator).append(callback)
    if is_stopped:
        callback()


def _callbacks_on_stop(coordinator: tf.train.Coordinator) -> List[_OnStop]:
    """The callbacks of *coordinator* in this process; a forked process starts without any.

    They are an attribute of the coordinator because they refer to it: in a global table they would keep it, and the
    graph of their pipelines, alive until it is asked to stop.
    """
    callbacks: List[_OnStop] = vars(coordinator).setdefault(f"_queuecompat_on_stop_{os.getpid()}", [])
    return callbacks


def attended_request_stop(request_stop: Callable[..., Any]) -> Callable[..., Any]:
    """Wraps ``Coordinator.request_stop`` so that it calls the callbacks of ``on_stop`` afterwards."""

    @functools.wraps(request_stop)
    def attended(self: tf.train.Coordinator, *args: Any, **kwargs: Any) -> Any:
        result = request_stop(self, *args, **kwargs)
        with _lock:
            callbacks = _callbacks_on_stop(self)[:]
            _callbacks_on_stop(self).clear()
        for callback in callbacks:
            callback()
        return result

    return attended


def attended_join(join: Callable[..., Any]) -> Callable[..., Any]:
    """Wraps ``Coordinator.join`` so that stops know which threads are in it, and will run no further step."""

    @functools.wraps(join)
    def attended(self: tf.train.Coordinator, *args: Any, **kwargs: Any) -> Any:
        thread = threading.get_ident()
        JOINING.add(thread)
        for state in open_sessions.states():
            state.wake_drains()
        try:
            return join(self, *args, **kwargs)
        finally:
            JOINING.discard(thread)

    return attended


def start_in_child() -> None:
    """Runs in a forked process: a thread that exists only in the parent may have held the lock."""
    global _lock
    _lock = threading.RLock()
