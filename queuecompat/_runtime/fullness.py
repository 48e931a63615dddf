"""TensorBoard's curve of how full a queue is, for queues that are compiled away.

Elements are counted where they come into the buffers that took the queue's place, and where they
leave them; the curve is the difference, as a share of the capacity. Tags are TF1's.
"""

from __future__ import annotations

from typing import Optional

import tensorflow as tf

from queuecompat._runtime.iterators import apart

__all__ = ["Counter", "Fullness"]


class Counter:
    """A count of elements in a session; 0 before the start, or without one.

    Attributes:
      is_entry: it counts what comes into a queue.
      initial: what the count is at the start.
    """

    def __init__(self, graph: tf.Graph, scope: str, name: str) -> None:
        self.is_entry = False
        self.initial = 0
        with apart(graph, scope):
            self._handle = tf.raw_ops.VarHandleOp(
                dtype=tf.int64, shape=[], shared_name=f"{scope}/{name}", container="", name=name
            )

    def reset(self) -> tf.Operation:
        return tf.raw_ops.AssignVariableOp(resource=self._handle, value=tf.constant(self.initial, tf.int64))

    def add(self, count: tf.Tensor) -> tf.Operation:
        """Counts *count* elements more."""
        return tf.raw_ops.AssignAddVariableOp(resource=self._handle, value=count)

    def set(self, count: tf.Tensor) -> tf.Operation:
        """Sets the count."""
        return tf.raw_ops.AssignVariableOp(resource=self._handle, value=count)

    def value(self) -> tf.Tensor:
        """The count, after the start."""
        return tf.raw_ops.ReadVariableOp(resource=self._handle, dtype=tf.int64)

    def read(self) -> tf.Tensor:
        """The count; 0 before the start, too."""
        is_counting = tf.raw_ops.VarIsInitializedOp(resource=self._handle)
        return tf.cond(is_counting, self.value, lambda: tf.constant(0, tf.int64))


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
        self.entered.is_entry = True
        self.left = Counter(graph, scope, "left")
        # What TF1 called the op of the queue's size, which the curve is made of.
        self.size_name = ""
        self._capacity = capacity
        self._minimum = minimum

    def size(self, name: str) -> tf.Tensor:
        """How many elements the queue holds, a scalar int32.

        Args:
          name: of the op, below the current name scope; as it is if it ends in "/".
        """
        with tf.device("/cpu:0"), tf.control_dependencies(None):
            held = tf.clip_by_value(self.entered.read() - self.left.read(), 0, max(self._capacity, 0))
            return tf.cast(held, tf.int32, name=name)

    def has_all(self, name: Optional[str] = None) -> tf.Tensor:
        """Whether all elements that will ever come are in the queue, or were; a scalar bool."""
        with tf.device("/cpu:0"), tf.control_dependencies(None):
            return tf.less_equal(self.entered.read() - self.left.read(), max(self._capacity, 0), name=name)

    def summarise(self, tag: Optional[str] = None) -> None:
        """Puts the curve into the graph's summaries, below the current name scope.

        Args:
          tag: in place of TF1's usual one.
        """
        base = self._minimum or 0
        room = self._capacity - base
        usual = f"fraction_of_{room}_full" if self._minimum is None else f"fraction_over_{base}_of_{room}_full"
        held = self.size(f"{self.size_name}/")
        with tf.device("/cpu:0"), tf.control_dependencies(None):
            above = tf.maximum(held - base, 0) if base else held
            tf.compat.v1.summary.scalar(tag or usual, tf.cast(above, tf.float32) * (1.0 / room))

    def summarise_size(self, tag: str) -> None:
        """The same as a number, not as a share."""
        with tf.device("/cpu:0"), tf.control_dependencies(None):
            held = self.size("size")
            tf.compat.v1.summary.scalar(tag, tf.cast(held, tf.float32))
