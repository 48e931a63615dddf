"""A session is closed only when nothing waits in its queues any more.

A compiled pipeline that draws from the program's own queue may be waiting in it when the session is
closed. TensorFlow then frees the queue in the midst of the wait, and the process crashes (seen on 2.12 and
2.21; its order of freeing follows the hashes of names). So the queues are closed first, which ends the wait.
They are of that session alone; those that live in a server outlast a session and are left alone.
"""

from __future__ import annotations

import logging
import weakref
from typing import Any, Dict, List

import tensorflow as tf

from queuecompat._runtime.placement import Placement, apart, task_of

__all__ = ["Closing"]


class Closing:
    """What has to be run before a session of one graph is closed."""

    def __init__(self, graph: tf.Graph) -> None:
        self._graph = graph
        self._ops: Dict[str, tf.Operation] = {}

    def add(self, queue: tf.Tensor) -> None:
        """*queue*, a handle, is to be closed before."""
        if queue.op.name not in self._ops and not queue.op.get_attr("shared_name"):
            with apart(Placement(self._graph, task_of(queue.op)), f"{queue.op.name}/at_the_end"):
                self._ops[queue.op.name] = tf.raw_ops.QueueCloseV2(handle=queue, name="close")

    def precede(self, session: tf.compat.v1.Session) -> None:
        """From now on ``session.close`` runs what was added, first."""
        if self._ops and not session.sess_str and not isinstance(vars(session).get("close"), _Close):
            session.close = _Close(session, list(self._ops.values()))


class _Close:
    """``close`` of one session; does not keep the session alive."""

    def __init__(self, session: tf.compat.v1.Session, ops: List[tf.Operation]) -> None:
        self._session = weakref.ref(session)
        self._ops = ops

    def __call__(self, *args: Any) -> None:
        session = self._session()
        if session is None:
            return
        del session.close
        try:
            session.run(self._ops)
        except (RuntimeError, tf.errors.OpError) as problem:
            # It was closed before, or a queue was; either way nothing can wait there now. Not for everybody's
            # eyes: tf.app.run shows whatever is INFO, and this looks like an error of the program's.
            logging.getLogger("queuecompat").debug("a queue could not be closed: %s", problem)
        session.close()
