"""Gates: how a pipeline is ended from outside, while it runs.

A runner has two. What comes into its pipelines goes through a ``SourceGate``, an element or several at a time; the
program's own draws go through a ``DrawGate``. At a gate that is shut there is an error, which means the end of the
data. What waits in ``passing`` is woken when the gate is shut: it runs beside a dequeue from a queue of tokens, and
what it draws brings the token. When that queue is closed the dequeue fails, and TensorFlow cancels what runs beside it.

Rule 1: one draw at a time waits in a queue of tokens. Of two, one could take the token of the other and then fail, and
        the other would wait for a token that never comes.
Rule 2: no variable on the way to a batch. A ``DrawGate`` is made of a queue and a lock, since tools that freeze a model
        take the variables before it for the model's.
"""

from __future__ import annotations

import copy
import re
from typing import Callable, Dict, List, Optional, Sequence, Tuple

import tensorflow as tf

from queuecompat._session.graph_ops.placement import Placement, outside_user_scopes

__all__ = ["DrawGate", "Entrance", "SourceGate", "says_shut"]

# No pipeline counts so far: a count of this means that the gate was shut.
_SHUT = 2**62
# What draws is in one function with ops that have the program's own names: ours stand below this one.
_SCOPE = "queuecompat/gate"
# What an op says that found its ``DrawGate`` shut.
_CLOSED = "queuecompat: the coordinator has stopped this pipeline"
_TOKENS = "tokens"
# What the op says whose element had just arrived: it has no queue any more to bring its token to.
_NO_TOKENS = re.compile(rf"queuecompat_\w+/{_TOKENS}' is closed")


def says_shut(message: str) -> bool:
    """Whether *message* is that of an op which found its gate shut; such an error is the end of the data."""
    return _CLOSED in message or _NO_TOKENS.search(message) is not None


class Entrance:
    """Where draws go through a gate, one after the other. Its queue of tokens is made when it is first needed.

    Assumptions: draws of one ``passing`` do not overlap, and nothing else passes.
    """

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
            with outside_user_scopes(self._placement, self._scope):
                self._queue = tf.raw_ops.FIFOQueueV2(component_types=[tf.bool], shapes=[[]], name=_TOKENS)
        return self._queue

    def passing(self, draw: Callable[[], Sequence[tf.Tensor]], after: Sequence[tf.Operation] = ()) -> List[tf.Tensor]:
        """The tensors of *draw*, which is cancelled (OutOfRangeError) when the queue is closed; runs *after* others."""
        self._is_waited_in = True
        with tf.name_scope(_SCOPE):
            # Through an identity: inside of a dataset function the handle is captured.
            handle = tf.identity(self.queue)
        tensors = list(draw())
        with tf.name_scope(_SCOPE):
            with tf.control_dependencies(tensors):
                arrived = tf.raw_ops.QueueEnqueueV2(handle=handle, components=[tf.constant(True)])
            with tf.control_dependencies(after):
                token = tf.raw_ops.QueueDequeueV2(handle=handle, component_types=[tf.bool])
            with tf.control_dependencies([arrived, *token]):
                return [tf.identity(tensor) for tensor in tensors]

    def close(self) -> tf.Operation:
        return tf.raw_ops.QueueCloseV2(handle=self.queue, cancel_pending_enqueues=True)


class SourceGate:
    """The gate of what comes into the pipelines of one runner. It has to be opened at the start.

    Attributes:
      is_passed: whether anything goes through it; set where that is built.
      allowance: how much may still go through after a stop if nothing has before: TF1's queue was filled from the start
        on, and what it held could be taken after a stop.
    """

    def __init__(self, placement: Placement, scope: str) -> None:
        self._placement = placement
        self._scope = scope
        self._entrances: Dict[Tuple[str, int], Entrance] = {}
        self.is_passed = False
        self.allowance = 0
        with outside_user_scopes(placement, scope):
            self._passed = tf.raw_ops.VarHandleOp(
                dtype=tf.int64, shape=[], shared_name=f"{placement.scope(scope)}/passed", container="", name="passed"
            )

    @property
    def queues(self) -> List[tf.Tensor]:
        """Handles of the queues in which something may wait."""
        return [queue for entrance in self._entrances.values() for queue in entrance.queues]

    @property
    def handles(self) -> List[tf.Tensor]:
        """What the graph knows the count by of what has gone through."""
        return [self._passed]

    def over(self, handles: Sequence[tf.Tensor]) -> SourceGate:
        """The same, for what counts, on other *handles*."""
        other = copy.copy(self)
        (other._passed,) = handles
        return other

    def count(self) -> tf.Operation:
        """An op that goes through; OutOfRangeError if the gate is shut."""
        return tf.raw_ops.ResourceCountUpTo(resource=self._passed, limit=_SHUT, T=tf.int64).op

    def entrance(self, stream: str, number: int) -> Entrance:
        """The entrance that is the *number*th of the *stream* of that name; the same one every time."""
        self.is_passed = True
        if (stream, number) not in self._entrances:
            self._entrances[stream, number] = Entrance(self._placement, self._scope)
        return self._entrances[stream, number]

    def open(self) -> tf.Operation:
        """An op that opens it."""
        return self._set(0)

    def shut_count(self, after: int = 0) -> tf.Operation:
        """An op that shuts it for what counts, *after* so many more."""
        return self._set(_SHUT - max(after, 0))

    def has_opened(self) -> tf.Tensor:
        """Whether it has been opened in the session; a scalar bool."""
        with outside_user_scopes(self._placement, self._scope):
            return tf.raw_ops.VarIsInitializedOp(resource=self._passed)

    def is_shutting(self, after: int = 0) -> tf.Tensor:
        """Whether ``shut_count(after)`` has run; a scalar bool. FailedPreconditionError before ``open``."""
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
        closes = [entrance.close() for entrance in self._entrances.values() if entrance.exists]
        passed = tf.raw_ops.ReadVariableOp(resource=self._passed, dtype=tf.int64)
        allowed = self._constant(_SHUT - self.allowance)
        has_begun = tf.logical_and(passed > self._constant(0), passed < allowed)
        count = tf.where(has_begun, self._constant(_SHUT), tf.maximum(passed, allowed))
        shut = tf.raw_ops.AssignVariableOp(resource=self._passed, value=count)
        return None if closes else has_begun, [shut, *closes]

    def _set(self, count: int) -> tf.Operation:
        return tf.raw_ops.AssignVariableOp(resource=self._passed, value=self._constant(count))

    def _constant(self, count: int) -> tf.Tensor:
        return self._placement.constant(self._scope, count, tf.int64)


class DrawGate:
    """The gate of the program's own draws from the pipelines of one runner."""

    def __init__(self, placement: Placement, scope: str) -> None:
        self._placement = placement
        self._scope = scope
        self._entrance = Entrance(placement, scope)

    @property
    def queues(self) -> List[tf.Tensor]:
        """Handles of the queues in which something may wait."""
        return self._entrance.queues

    def require_open(self) -> tf.Operation:
        """An op that fails if the gate is shut: ``says_shut``."""
        is_open = tf.logical_not(tf.raw_ops.QueueIsClosedV2(handle=self._entrance.queue))
        return tf.raw_ops.Assert(condition=is_open, data=[self._placement.constant(self._scope, _CLOSED, tf.string)])

    def passing(self, draw: Callable[[], Sequence[tf.Tensor]]) -> List[tf.Tensor]:
        """The tensors of *draw*, which is cancelled (OutOfRangeError) when the gate is shut.

        The program's threads may run it at the same time: one after the other holds the lock. A step that fails hands
        it back as well, since TensorFlow opens a lock with its last tensor.
        """
        with outside_user_scopes(self._placement, self._scope):
            mutex = tf.raw_ops.MutexV2(name="one_at_a_time")
        lock = tf.raw_ops.MutexLock(mutex=mutex)
        with tf.control_dependencies([lock]):
            turn = tf.no_op()

        def in_turn() -> Sequence[tf.Tensor]:
            with tf.control_dependencies([turn]):
                return draw()

        tensors = self._entrance.passing(in_turn, [turn])
        with tf.control_dependencies(tensors):
            held = tf.raw_ops.ConsumeMutexLock(mutex_lock=lock)
        with tf.control_dependencies([held]):
            return [tf.identity(tensor) for tensor in tensors]

    def shut(self) -> List[tf.Operation]:
        """Ops that shut it for the rest of a session."""
        return [self._entrance.close()] if self._entrance.exists else []
