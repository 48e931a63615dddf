"""Closes the program's own queues before a session ends, so that nothing is still waiting in them.

A compiled pipeline that draws from such a queue may be waiting in it when the session ends. TensorFlow then frees the
queue in the middle of the wait, and the process crashes (seen on 2.12 and 2.21; the order in which it frees resources
follows the hashes of their names). Closing the queues first ends the wait. Only the queues of a local session are
closed: those in a server outlive the session.
"""

from __future__ import annotations

import logging
from typing import Dict

import tensorflow as tf

from queuecompat._session.graph_ops.placement import Placement, outside_user_scopes, task_of
from queuecompat._session.steps import open_sessions, sessions

__all__ = ["Closing", "close_once"]


class Closing:
    """The ops that have to run before a session of one graph ends."""

    def __init__(self, graph: tf.Graph) -> None:
        self._graph = graph
        self._ops: Dict[str, tf.Tensor] = {}

    def add(self, queue: tf.Tensor) -> None:
        """Adds *queue*, a handle, to the queues that are closed before a session ends."""
        if queue.op.name not in self._ops:
            self._ops[queue.op.name] = close_once(queue, cancels=True)

    def precede(self, session: tf.compat.v1.Session) -> None:
        """From now on, closing *session* first closes the queues that were added."""
        if self._ops and not session.sess_str:
            open_sessions.before_close(session, self._close)

    def _close(self, session: tf.compat.v1.Session) -> None:
        try:
            sessions.run_unattended(session, list(self._ops.values()))
        except (RuntimeError, tf.errors.OpError) as problem:
            # The session or a queue was closed before; either way nothing can be waiting there now. It is logged as
            # DEBUG because tf.app.run shows everything from INFO on, and users would take this for an error of their
            # program.
            logging.getLogger("queuecompat").debug("a queue could not be closed: %s", problem)


def close_once(queue: tf.Tensor, *, cancels: bool = False) -> tf.Tensor:
    """Closes *queue*, a handle, unless it is closed already; TensorFlow 2 logs a warning if a queue is closed twice.

    Args:
      cancels: whether pending enqueues are cancelled.
    Returns:
      A scalar bool, always True.
    """

    def close() -> tf.Tensor:
        with tf.control_dependencies([tf.raw_ops.QueueCloseV2(handle=queue, cancel_pending_enqueues=cancels)]):
            return tf.constant(True)

    with outside_user_scopes(Placement(queue.graph, task_of(queue.op)), f"{queue.op.name}/at_the_end"):
        return tf.cond(tf.raw_ops.QueueIsClosedV2(handle=queue, name="is_closed"), lambda: tf.constant(True), close)
