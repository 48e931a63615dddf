"""TensorBoard's curve of how full a queue is, for queues that are compiled away.

Elements are counted where they come into the buffers that took the queue's place, and where they
leave them; the curve is the difference, as a share of the capacity. Tags are TF1's.
"""

from __future__ import annotations

import copy
from typing import List, Optional, Sequence

import tensorflow as tf

from queuecompat._runtime.iterators import apart

__all__ = ["Counter", "Fullness"]


class Counter:
    """A count of elements in a session."""

    def __init__(self, graph: tf.Graph, scope: str, name: str) -> None:
        with apart(graph, scope):
            self._handle = tf.raw_ops.VarHandleOp(
                dtype=tf.int64, shape=[], shared_name=f"{scope}/{name}", container="", name=name
            )

    def begin(self) -> tf.Operation:
        return tf.raw_ops.AssignVariableOp(resource=self._handle, value=tf.constant(0, tf.int64))

    @property
    def handles(self) -> List[tf.Tensor]:
        """What the graph knows it by, for a function that is given it and captures nothing."""
        return [self._handle]

    def over(self, handles: Sequence[tf.Tensor]) -> Counter:
        """The same on other *handles*."""
        other = copy.copy(self)
        (other._handle,) = handles
        return other

    def add(self, count: tf.Tensor) -> tf.Operation:
        """Counts *count* elements more."""
        return tf.raw_ops.AssignAddVariableOp(resource=self._handle, value=count)

    def set(self, count: tf.Tensor) -> tf.Operation:
        """Sets the count."""
        return tf.raw_ops.AssignVariableOp(resource=self._handle, value=count)

    def value(self) -> tf.Tensor:
        """The count; FailedPreconditionError before the start."""
        return tf.raw_ops.ReadVariableOp(resource=self._handle, dtype=tf.int64)

    def minus(self, other: Counter) -> tf.Tensor:
        """The difference; 0 before the start, which is the same for both."""
        # Switch and Merge by hand: a tf.cond would trace two functions, for each summary of each queue.
        is_counting = tf.raw_ops.VarIsInitializedOp(resource=self._handle)
        nothing = tf.raw_ops.Switch(data=tf.constant(0, tf.int64), pred=is_counting).output_false
        handles = [tf.raw_ops.Switch(data=one, pred=is_counting).output_true for one in (self._handle, other._handle)]
        counts = [tf.raw_ops.ReadVariableOp(resource=handle, dtype=tf.int64) for handle in handles]
        return tf.raw_ops.Merge(inputs=[nothing, counts[0] - counts[1]]).output


class Fullness:
    """The curve of one queue.

    Args:
      scope: the name that TF1's queue had; the tag stands below it.
      capacity: of the queue, in elements; below 1 there is no curve, as its share would mean nothing.
      minimum: ``min_after_dequeue``, which the curve of a shuffled queue begins above; None: it has none.
    """

    def __init__(self, graph: tf.Graph, scope: str, capacity: int, minimum: Optional[int] = None) -> None:
        scope = scope.rstrip("/")
        self.entered = Counter(graph, scope, "entered")
        self.left = Counter(graph, scope, "left")
        self._capacity = capacity
        self._minimum = minimum

    def summarise(self, tag: Optional[str] = None) -> None:
        """Puts the curve into the graph's summaries, below the current name scope.

        Args:
          tag: in place of TF1's usual one.
        """
        base = self._minimum or 0
        room = self._capacity - base
        usual = f"fraction_of_{room}_full" if self._minimum is None else f"fraction_over_{base}_of_{room}_full"
        with tf.device("/cpu:0"), tf.control_dependencies(None):
            tf.compat.v1.summary.scalar(tag or usual, tf.cast(self._held() - base, tf.float32) * (1.0 / room))

    def summarise_size(self, tag: str) -> None:
        """The same as a number, not as a share."""
        with tf.device("/cpu:0"), tf.control_dependencies(None):
            tf.compat.v1.summary.scalar(tag, tf.cast(self._held(), tf.float32))

    def _held(self) -> tf.Tensor:
        base = self._minimum or 0
        return tf.clip_by_value(self.entered.minus(self.left), base, max(self._capacity, base))
