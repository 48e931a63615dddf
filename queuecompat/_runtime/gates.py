"""Gates: how a pipeline is ended from outside, while it runs.

A runner has two. What comes into its pipelines goes through a ``SourceGate``, an element or several at a time; the
program's own draws go through a ``DrawGate``. At a gate that is shut there is an error, which means the end of the
data. What waits in ``passing`` is woken when the gate is shut: it runs beside a dequeue from a queue of tokens, and
what it draws brings the token. When that queue is closed the dequeue fails, and TensorFlow cancels what runs beside it.

Rule: no variable on the way to a batch. A ``DrawGate`` is made of a queue alone, since tools that freeze a model take
the variables behind it for the model's.
"""

from __future__ import annotations

from typing import Callable, List, Optional, Sequence, Tuple

import tensorflow as tf

from queuecompat._runtime.placement import Placement, apart

__all__ = ["CLOSED", "DrawGate", "SourceGate"]

# No pipeline counts so far: a count of this means that the gate was shut.
_SHUT = 2**62
# What an op says that found its ``DrawGate`` shut.
CLOSED = "queuecompat: the coordinator has stopped this pipeline"


class _Tokens:
    """The queue in which what passes a gate waits for its token; made when it is first needed."""

    def __init__(self, placement: Placement, scope: str) -> None:
        self._placement = placement
        self._scope = scope
        self._queue: Optional[tf.Tensor] = None
        self._is_waited_in = False

    @property
    def exists(self) -> bool:
        return self._queue is not None

    @property
    def queues(self) -> List[tf.Tensor]:
        """The handle of the queue, if something may wait in it."""
        return [self.queue] if self._is_waited_in else []

    @property
    def queue(self) -> tf.Tensor:
        if self._queue is None:
            with apart(self._placement, self._scope):
                self._queue = tf.raw_ops.FIFOQueueV2(component_types=[tf.bool], shapes=[[]], name="tokens")
        return self._queue

    def passing(self, draw: Callable[[], Sequence[tf.Tensor]]) -> List[tf.Tensor]:
        """The tensors of *draw*, which is cancelled (OutOfRangeError) when the queue is closed."""
        self._is_waited_in = True
        # Through an identity: inside of a dataset function the handle is captured.
        handle = tf.identity(self.queue)
        tensors = list(draw())
        with tf.control_dependencies(tensors):
            arrived = tf.raw_ops.QueueEnqueueV2(handle=handle, components=[tf.constant(True)])
        token = tf.raw_ops.QueueDequeueV2(handle=handle, component_types=[tf.bool])
        with tf.control_dependencies([arrived, *token]):
            return [tf.identity(tensor) for tensor in tensors]

    def close(self) -> tf.Operation:
        return tf.raw_ops.QueueCloseV2(handle=self.queue, cancel_pending_enqueues=True)


class SourceGate:
    """The gate of what comes into the pipelines of one runner. It has to be opened at the start.

    Attributes:
      is_passed: whether anything goes through it.
      allowance: how much may still go through after a stop if nothing has before: TF1's queue was filled from the start
        on, and what it held could be taken after a stop.
    """

    def __init__(self, placement: Placement, scope: str) -> None:
        self._placement = placement
        self._tokens = _Tokens(placement, scope)
        self.is_passed = False
        self.allowance = 0
        with apart(placement, scope):
            self._passed = tf.raw_ops.VarHandleOp(
                dtype=tf.int64, shape=[], shared_name=f"{placement.scope(scope)}/passed", container="", name="passed"
            )

    @property
    def queues(self) -> List[tf.Tensor]:
        """Handles of the queues in which something may wait."""
        return self._tokens.queues

    def count(self) -> tf.Operation:
        """An op that goes through; OutOfRangeError if the gate is shut."""
        self.is_passed = True
        return tf.raw_ops.ResourceCountUpTo(resource=self._passed, limit=_SHUT, T=tf.int64).op

    def passing(self, draw: Callable[[], Sequence[tf.Tensor]]) -> List[tf.Tensor]:
        """The tensors of *draw*, which is cancelled (OutOfRangeError) when the gate is shut."""
        self.is_passed = True
        return self._tokens.passing(draw)

    def open(self) -> tf.Operation:
        """An op that opens it."""
        return self._set(0)

    def shut_count(self, after: int = 0) -> tf.Operation:
        """An op that shuts it for what counts, *after* so many more."""
        return self._set(_SHUT - max(after, 0))

    def is_shutting(self, after: int = 0) -> tf.Tensor:
        """Whether ``shut_count(after)`` has run; a scalar bool."""
        with self._placement.devices():
            passed = tf.raw_ops.ReadVariableOp(resource=self._passed, dtype=tf.int64)
            return tf.greater_equal(passed, _SHUT - max(after, 0))

    def shut(self) -> Tuple[Optional[tf.Tensor], List[tf.Operation]]:
        """Ops that shut it for the rest of a session.

        Returns:
          Whether anything had gone through before, a scalar bool (None: that is not known), and the ops.
        """
        if not self.is_passed:
            return None, []
        closes = [self._tokens.close()] if self._tokens.exists else []
        passed = tf.raw_ops.ReadVariableOp(resource=self._passed, dtype=tf.int64)
        allowed = tf.constant(_SHUT - self.allowance, tf.int64)
        has_begun = tf.logical_and(passed > 0, passed < allowed)
        count = tf.where(has_begun, tf.constant(_SHUT, tf.int64), tf.maximum(passed, allowed))
        shut = tf.raw_ops.AssignVariableOp(resource=self._passed, value=count)
        return None if closes else has_begun, [shut, *closes]

    def _set(self, count: int) -> tf.Operation:
        return tf.raw_ops.AssignVariableOp(resource=self._passed, value=tf.constant(count, tf.int64))


class DrawGate:
    """The gate of the program's own draws from the pipelines of one runner."""

    def __init__(self, placement: Placement, scope: str) -> None:
        self._tokens = _Tokens(placement, scope)

    @property
    def queues(self) -> List[tf.Tensor]:
        """Handles of the queues in which something may wait."""
        return self._tokens.queues

    def require_open(self) -> tf.Operation:
        """An op that fails with ``CLOSED`` if the gate is shut."""
        is_open = tf.logical_not(tf.raw_ops.QueueIsClosedV2(handle=self._tokens.queue))
        return tf.raw_ops.Assert(condition=is_open, data=[CLOSED])

    def passing(self, draw: Callable[[], Sequence[tf.Tensor]]) -> List[tf.Tensor]:
        """The tensors of *draw*, which is cancelled (OutOfRangeError) when the gate is shut."""
        return self._tokens.passing(draw)

    def shut(self) -> List[tf.Operation]:
        """Ops that shut it for the rest of a session."""
        return [self._tokens.close()] if self._tokens.exists else []
