"""A session ends only when nothing waits in its queues any more.

A compiled pipeline that draws from the program's own queue may be waiting in it when the session ends. TensorFlow
then frees the queue in the midst of the wait, and the process crashes (seen on 2.12 and 2.21; its order of freeing
follows the hashes of names). So the queues are closed first, which ends the wait. They are of that session alone;
those that live in a server outlast a session and are left alone.

Rule 1: it makes no difference how a session ends: by ``close``, by a ``with`` block, because nothing refers to it any
        more, or together with Python.
Rule 2: what has to be run is kept in the session itself. A session that the garbage collector finds has no weak
        references left by the time that it closes itself.
"""

from __future__ import annotations

import atexit
import functools
import logging
import weakref
from typing import Any, Callable, Dict

import tensorflow as tf

from queuecompat._runtime.iterators import apart

__all__ = ["Closing", "close_queues"]

# Where a session keeps what is to be run before it ends.
_ATTRIBUTE = "_queuecompat_before_close"
_open: weakref.WeakSet[Any] = weakref.WeakSet()


class Closing:
    """What has to be run before a session of one graph ends."""

    def __init__(self, graph: tf.Graph) -> None:
        self._graph = graph
        self._ops: Dict[str, tf.Operation] = {}

    def add(self, queue: tf.Tensor) -> None:
        """*queue*, a handle, is to be closed before."""
        if queue.op.name not in self._ops:
            with apart(self._graph, f"{queue.op.name}/at_the_end"):
                self._ops[queue.op.name] = tf.raw_ops.QueueCloseV2(handle=queue, name="close")

    def precede(self, session: tf.compat.v1.Session) -> None:
        """From now on the end of *session* runs what was added, first."""
        if self._ops and not session.sess_str:
            _closes_queues_first()
            setattr(session, _ATTRIBUTE, list(self._ops.values()))
            _open.add(session)


def close_queues(session: tf.compat.v1.Session) -> None:
    """Closes the program's queues that a pipeline of *session* may be waiting in; once."""
    ops = vars(session).pop(_ATTRIBUTE, None)
    if ops is None:
        return
    _open.discard(session)
    try:
        session.run(ops)
    except (RuntimeError, tf.errors.OpError) as problem:
        # It was closed before, or a queue was; either way nothing can wait there now. Not for everybody's
        # eyes: tf.app.run shows whatever is INFO, and this looks like an error of the program's.
        logging.getLogger("queuecompat").debug("a queue could not be closed: %s", problem)


@functools.cache
def _closes_queues_first() -> None:
    """Lets every session do so as it closes; only programs with queues of their own pay for it."""
    for kind in (tf.compat.v1.Session, tf.compat.v1.InteractiveSession):
        kind.close = _after_queues(kind.close)
    atexit.register(_close_all)


def _after_queues(close: Callable[..., None]) -> Callable[..., None]:
    @functools.wraps(close)
    def closing(session: tf.compat.v1.Session) -> None:
        close_queues(session)
        close(session)

    return closing


def _close_all() -> None:
    for session in list(_open):
        close_queues(session)
