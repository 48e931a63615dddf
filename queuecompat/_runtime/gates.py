"""Gates: how a pipeline is ended from outside, while it runs.

What goes through a gate pays for it with one to three small ops. There are two ways through:

- ``count``: an op that counts, and raises OutOfRangeError once the gate was shut.
- ``passing``: a draw that may wait for something outside (the program's own queue, Python), and is woken when the
  gate is shut. It runs beside a dequeue from a queue of tokens, and what it draws brings the token. When that queue is
  closed the dequeue fails, and TensorFlow cancels what runs beside it.

A gate has to be opened in a session before anything goes through it.
"""

from __future__ import annotations

from typing import Callable, List, Optional, Sequence

import tensorflow as tf

from queuecompat._runtime.iterators import apart

__all__ = ["Gate"]

# No pipeline counts so far: a count of this means that the gate was shut.
_SHUT = 2**62


class Gate:
    """A gate of one runner's pipelines.

    Attributes:
      is_passed: whether the graph has an op that goes through it.
    """

    def __init__(self, graph: tf.Graph, scope: str) -> None:
        self._graph = graph
        self._scope = scope
        self._tokens: Optional[tf.Tensor] = None
        self.is_passed = False
        with apart(graph, scope):
            self._passed = tf.raw_ops.VarHandleOp(
                dtype=tf.int64, shape=[], shared_name=f"{scope}/passed", container="", name="passed"
            )

    @property
    def queues(self) -> List[tf.Tensor]:
        """Handles of the queues in which something may wait."""
        return [] if self._tokens is None else [self._tokens]

    def count(self) -> tf.Operation:
        """An op that goes through; OutOfRangeError if the gate is shut."""
        self.is_passed = True
        return tf.raw_ops.ResourceCountUpTo(resource=self._passed, limit=_SHUT, T=tf.int64).op

    def passing(self, draw: Callable[[], Sequence[tf.Tensor]]) -> List[tf.Tensor]:
        """The tensors of *draw*, which is cancelled (OutOfRangeError) when the gate is shut."""
        self.is_passed = True
        if self._tokens is None:
            with apart(self._graph, self._scope):
                self._tokens = tf.raw_ops.FIFOQueueV2(component_types=[tf.bool], shapes=[[]], name="tokens")
        tensors = list(draw())
        with tf.device("/cpu:0"):
            with tf.control_dependencies(tensors):
                # Through identities: inside of a dataset function the handle is captured.
                token = [tf.constant(True)]
                arrived = tf.raw_ops.QueueEnqueueV2(handle=tf.identity(self._tokens), components=token)
            given = tf.raw_ops.QueueDequeueV2(handle=tf.identity(self._tokens), component_types=[tf.bool])
            with tf.control_dependencies([arrived, *given]):
                return [tf.identity(tensor) for tensor in tensors]

    def open(self) -> tf.Operation:
        """An op that opens it; to be run at the start. A gate whose tokens were closed stays shut."""
        return self._set(0)

    def shut_count(self, after: int = 0) -> tf.Operation:
        """An op that shuts it for what counts, *after* so many more."""
        return self._set(_SHUT - max(after, 0))

    def is_shutting(self, after: int = 0) -> tf.Tensor:
        """Whether ``shut_count(after)`` has run; a scalar bool."""
        with tf.device("/cpu:0"):
            passed = tf.raw_ops.ReadVariableOp(resource=self._passed, dtype=tf.int64)
        return tf.greater_equal(passed, _SHUT - max(after, 0))

    def shut(self) -> List[tf.Operation]:
        """Ops that shut it for the rest of a session."""
        if not self.is_passed:
            return []
        closes = [tf.raw_ops.QueueCloseV2(handle=queue, cancel_pending_enqueues=True) for queue in self.queues]
        return [self.shut_count(), *closes]

    def _set(self, count: int) -> tf.Operation:
        return tf.raw_ops.AssignVariableOp(resource=self._passed, value=tf.constant(count, tf.int64))
