"""Gates: they end a running pipeline from outside.

Each runner has two. The elements that come into its pipelines pass a ``SourceGate``, one or several at a time; the
program's own draws pass a ``DrawGate``. Once a gate is shut, passing it fails with an error that means the end of the
data. A draw that may wait for long is made ``cancellable``, so that shutting the gate interrupts it: the draw runs in
parallel with a dequeue from a queue of tokens, and enqueues a token when it is done. Closing that queue makes the
dequeue fail, upon which TensorFlow cancels the draw.

Rule 1: at most one draw at a time waits with a queue of tokens. If there were two, one could take the token of the
        other and then fail, and the other would wait for a token that never comes.
Rule 2: no batch depends on a variable. A ``DrawGate`` consists of a queue and a lock, because tools that freeze a model
        treat the variables that its inputs depend on as part of the model.
"""

from __future__ import annotations

import copy
import re
from typing import Callable, Dict, List, Optional, Sequence, Tuple

import tensorflow as tf

from queuecompat._session.graph_ops.placement import Placement, outside_user_scopes

__all__ = ["DrawGate", "Entrance", "SourceGate", "says_shut"]

# More elements than any pipeline counts: this count means that the gate is shut.
_SHUT = 2**62
# A draw may be in a function whose ops have the program's own names. Ours are put below this name.
_SCOPE = "queuecompat/gate"
# The message of an op that runs while its ``DrawGate`` is shut.
_CLOSED = "queuecompat: the coordinator has stopped this pipeline"
_TOKENS = "tokens"
# The message of a draw whose element has arrived, but whose queue of tokens has been closed meanwhile.
_NO_TOKENS = re.compile(rf"queuecompat_\w+/{_TOKENS}(_\d+)?' is closed")


def says_shut(message: str) -> bool:
    """Whether *message* is the error message of an op whose gate is shut. Such an error means the end of the data."""
    return _CLOSED in message or _NO_TOKENS.search(message) is not None


class Entrance:
    """One place of a gate where draws pass one after the other. Its queue of tokens is made when it is first needed.

    Assumptions: an entrance has only one ``cancellable`` draw, and its runs do not overlap.
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
        """The handle of the queue of tokens, if a draw may wait with it."""
        return [self.queue] if self._is_waited_in else []

    @property
    def queue(self) -> tf.Tensor:
        if self._queue is None:
            with outside_user_scopes(self._placement, self._scope):
                self._queue = tf.raw_ops.FIFOQueueV2(component_types=[tf.bool], shapes=[[]], name=_TOKENS)
        return self._queue

    def cancellable(
        self, draw: Callable[[], Sequence[tf.Tensor]], after: Sequence[tf.Operation] = ()
    ) -> List[tf.Tensor]:
        """The tensors of *draw*, which runs after the ops *after*.

        Closing the queue of tokens cancels the draw, with an OutOfRangeError.
        """
        self._is_waited_in = True
        with tf.name_scope(_SCOPE):
            # Through an identity, which captures the handle if this is inside a dataset function.
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
    """The gate of the elements that come into the pipelines of one runner. It has to be opened at the start.

    Attributes:
      is_passed: whether any op passes it; set when such an op is built.
      allowance: how many counts may still pass after a stop if none has passed before. TF1's queue was filled from the
        start on, and what it held could still be dequeued after a stop.
    """

    def __init__(self, placement: Placement, scope: str) -> None:
        self._placement = placement
        self._scope = scope
        self._entrances: Dict[Tuple[str, int], Entrance] = {}
        self.is_passed = False
        self.allowance = 0
        with outside_user_scopes(placement, scope):
            self._passed = placement.variable(scope, "passed", tf.int64)

    @property
    def queues(self) -> List[tf.Tensor]:
        """The handles of the queues of tokens with which a draw may wait."""
        return [queue for entrance in self._entrances.values() for queue in entrance.queues]

    @property
    def handles(self) -> List[tf.Tensor]:
        """The handle of the count of what has passed, for ``with_handles``."""
        return [self._passed]

    def with_handles(self, handles: Sequence[tf.Tensor]) -> SourceGate:
        """The same gate on other *handles*; only ``count`` may be used on it."""
        other = copy.copy(self)
        (other._passed,) = handles
        return other

    def count(self) -> tf.Operation:
        """An op that counts one passage; OutOfRangeError if the gate is shut."""
        return tf.raw_ops.ResourceCountUpTo(resource=self._passed, limit=_SHUT, T=tf.int64).op

    def entrance(self, stream: str, number: int) -> Entrance:
        """The entrance with this *number* of the *stream* with this name; the same object for the same arguments."""
        self.is_passed = True
        if (stream, number) not in self._entrances:
            self._entrances[stream, number] = Entrance(self._placement, self._scope)
        return self._entrances[stream, number]

    def open(self) -> tf.Operation:
        """An op that opens the gate."""
        return self._set(0)

    def shut_count(self, after: int = 0) -> tf.Operation:
        """An op that shuts the gate for ``count``, once *after* more counts have passed."""
        return self._set(_SHUT - max(after, 0))

    def has_opened(self) -> tf.Tensor:
        """Whether the gate has been opened in the session, a scalar bool."""
        with outside_user_scopes(self._placement, self._scope):
            return tf.raw_ops.VarIsInitializedOp(resource=self._passed)

    def is_shutting(self, after: int = 0) -> tf.Tensor:
        """Whether ``shut_count(after)``, or one with a smaller *after*, has run; a scalar bool.

        FailedPreconditionError before ``open``.
        """
        with self._placement.devices():
            passed = tf.raw_ops.ReadVariableOp(resource=self._passed, dtype=tf.int64)
            return tf.greater_equal(passed, _SHUT - max(after, 0))

    def shut(self) -> Tuple[Optional[tf.Tensor], List[tf.Operation]]:
        """Ops that shut the gate for the rest of a session.

        Returns:
          Whether anything had passed before, a scalar bool (None if that is not known), and the ops.
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
    """The gate of the program's own draws from the pipelines of one runner.

    Each draw has an entrance, and so a queue of tokens (Rule 1): the draws of one runner wait at the same time. All
    these queues are closed together.
    """

    def __init__(self, placement: Placement, scope: str) -> None:
        self._placement = placement
        self._scope = scope
        self._entrances: List[Entrance] = []

    @property
    def queues(self) -> List[tf.Tensor]:
        """The handles of the queues of tokens with which a draw may wait."""
        return [queue for entrance in self._entrances for queue in entrance.queues]

    def require_open(self) -> tf.Operation:
        """An op that fails if the gate is shut; ``says_shut`` recognises its error."""
        some = self._entrances[0] if self._entrances else self._free_entrance()
        is_open = tf.logical_not(tf.raw_ops.QueueIsClosedV2(handle=some.queue))
        return tf.raw_ops.Assert(condition=is_open, data=[self._placement.constant(self._scope, _CLOSED, tf.string)])

    def cancellable(self, draw: Callable[[], Sequence[tf.Tensor]]) -> List[tf.Tensor]:
        """The tensors of *draw*, which is cancelled (OutOfRangeError) when the gate is shut.

        Several threads of the program may run the same draw at the same time; a lock lets one in at a time. A step that
        fails releases the lock as well, because TensorFlow unlocks a mutex when the last tensor that refers to the lock
        is freed.
        """
        entrance = self._free_entrance()
        with outside_user_scopes(self._placement, self._scope):
            # All mutexes without a name of their own are one in a session.
            mutex = tf.raw_ops.MutexV2(shared_name=f"{entrance.queue.op.name}/mutex", name="one_at_a_time")
        lock = tf.raw_ops.MutexLock(mutex=mutex)
        with tf.control_dependencies([lock]):
            turn = tf.no_op()

        def in_turn() -> Sequence[tf.Tensor]:
            with tf.control_dependencies([turn]):
                return draw()

        tensors = entrance.cancellable(in_turn, [turn])
        with tf.control_dependencies(tensors):
            held = tf.raw_ops.ConsumeMutexLock(mutex_lock=lock)
        with tf.control_dependencies([held]):
            return [tf.identity(tensor) for tensor in tensors]

    def shut(self) -> List[tf.Operation]:
        """Ops that shut the gate for the rest of a session."""
        return [entrance.close() for entrance in self._entrances]

    def _free_entrance(self) -> Entrance:
        """An entrance in which no draw waits."""
        free = next((entrance for entrance in self._entrances if not entrance.queues), None)
        if free is None:
            free = Entrance(self._placement, self._scope)
            self._entrances.append(free)
        return free
