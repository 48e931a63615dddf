"""A session ends only when nothing waits in its queues any more.

A compiled pipeline that draws from the program's own queue may be waiting in it when the session ends. TensorFlow
then frees the queue in the midst of the wait, and the process crashes (seen on 2.12 and 2.21; its order of freeing
follows the hashes of names). So the queues are closed first, which ends the wait. They are of that session alone;
those that live in a server outlast a session and are left alone.
"""

from __future__ import annotations

import logging
from typing import Dict

import tensorflow as tf

from queuecompat._session.graph_ops.placement import Placement, outside_user_scopes, task_of
from queuecompat._session.steps import sessions

__all__ = ["Closing", "close_once"]


class Closing:
    """What has to be run before a session of one graph ends."""

    def __init__(self, graph: tf.Graph) -> None:
        self._graph = graph
        self._ops: Dict[str, tf.Tensor] = {}

    def add(self, queue: tf.Tensor) -> None:
        """*queue*, a handle, is to be closed before."""
        if queue.op.name not in self._ops:
            self._ops[queue.op.name] = close_once(queue, cancels=True)

    def precede(self, session: tf.compat.v1.Session) -> None:
        """From now on the end of *session* runs what was added, first."""
        if self._ops and not session.sess_str:
            sessions.before_close(session, self._close)

    def _close(self, session: tf.compat.v1.Session) -> None:
        try:
            sessions.run_unattended(session, list(self._ops.values()))
        except (RuntimeError, tf.errors.OpError) as problem:
            # It was closed before, or a queue was; either way nothing can wait there now. Not a message for users:
            # tf.app.run shows whatever is INFO, and this looks like an error of the program's.
            logging.getLogger("queuecompat").debug("a queue could not be closed: %s", problem)


def close_once(queue: tf.Tensor, *, cancels: bool = False) -> tf.Tensor:
    """What closes *queue*, a handle, unless it is closed. TensorFlow 2 logs a warning of a queue that is closed twice.

    Args:
      cancels: whether enqueues that wait are cancelled.
    """

    def close() -> tf.Tensor:
        with tf.control_dependencies([tf.raw_ops.QueueCloseV2(handle=queue, cancel_pending_enqueues=cancels)]):
            return tf.constant(True)

    with outside_user_scopes(Placement(queue.graph, task_of(queue.op)), f"{queue.op.name}/at_the_end"):
        return tf.cond(tf.raw_ops.QueueIsClosedV2(handle=queue, name="is_closed"), lambda: tf.constant(True), close)
