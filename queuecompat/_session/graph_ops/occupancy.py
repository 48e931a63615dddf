"""How full the queue of a compiled pipeline is: its size, and TF1's summaries of it.

Elements are counted when they enter the buffers that replace the queue, and when they leave them. The size is the
difference, and the summary is the size divided by the capacity. Tags are TF1's.

The size is computed by one function call, not by separate ops: every pipeline has one, and few programs ask for it, but
even ops that never run cost time whenever a session prepares a step.
"""

from __future__ import annotations

import contextlib
from typing import Iterator, List, Optional, Sequence

import tensorflow as tf

from queuecompat._backends.tfdata.functions import called_function, shared_over
from queuecompat._session.graph_ops.counters import Counter
from queuecompat._session.graph_ops.placement import Placement, outside_user_scopes

__all__ = ["Occupancy"]


class Occupancy:
    """How full one queue is.

    Args:
      scope: the name of TF1's queue, below which the summary's tag is placed.
      size_name: TF1's name of the size op that the summary is computed from.
      capacity: of the queue, in elements.
      minimum: ``min_after_dequeue``; the summary of a shuffled queue counts only elements above it. None: not shuffled.
    Attributes:
      entered, left: the counts of elements.
    """

    def __init__(
        self, placement: Placement, scope: str, size_name: str, capacity: int, minimum: Optional[int] = None
    ) -> None:
        self.entered = Counter(placement, scope, "entered")
        self.left = Counter(placement, scope, "left")
        self._size_name = size_name
        self._placement = placement
        self._scope = scope
        self._capacity = capacity
        self._minimum = minimum
        self._summaries: List[tf.Tensor] = []

    def size(self, name: str) -> tf.Tensor:
        """How many elements the queue holds, a scalar int32.

        Args:
          name: of the op, below the current name scope; taken literally if it ends in "/".
        """
        with self._placement.devices(), tf.control_dependencies(None):
            return self._size(name)

    def has_all(self, name: Optional[str] = None) -> tf.Tensor:
        """Whether every element that will ever come has entered the queue; a scalar bool."""
        with outside_user_scopes(self._placement, self._scope):
            return tf.less_equal(self.entered.minus(self.left), max(self._capacity, 0), name=name)

    def summarise(self, tag: Optional[str] = None) -> None:
        """Adds the summary of the size, as a share of the capacity, below the current name scope.

        Args:
          tag: replaces TF1's usual tag.
        """
        base = self._minimum or 0
        room = self._capacity - base
        usual = f"fraction_of_{room}_full" if self._minimum is None else f"fraction_over_{base}_of_{room}_full"
        held = self.size(f"{self._size_name}/")
        with outside_user_scopes(self._placement, self._scope):
            above = tf.maximum(held - base, 0) if base else held
            share = tf.cast(above, tf.float32) * self._placement.constant(self._scope, 1.0 / room, tf.float32)
        self._summarise(tag or usual, share)

    def summarise_size(self, tag: str) -> None:
        """Adds a summary of the size as a number of elements, with this *tag*."""
        with outside_user_scopes(self._placement, self._scope):
            size = tf.cast(self._size("size"), tf.float32)
        self._summarise(tag, size)

    def _summarise(self, tag: str, value: tf.Tensor) -> None:
        with self._placement.devices(), tf.control_dependencies(None):
            self._summaries.append(tf.compat.v1.summary.scalar(tag, value))

    @contextlib.contextmanager
    def replaced(self) -> Iterator[None]:
        """Wraps the construction of TensorFlow's own queue in place of this one.

        The native queue's summary takes this one's tag and replaces its summary, because the counts here no longer
        change.
        """
        summaries = self._placement.graph.get_collection_ref(tf.compat.v1.GraphKeys.SUMMARIES)
        known = len(summaries)
        yield
        made = [summaries.pop() for _ in summaries[known:]]
        for mine, native in zip(self._summaries, reversed(made)):
            with outside_user_scopes(self._placement, self._scope):
                (tag, _), (_, share) = mine.op.inputs, native.op.inputs
                summary = tf.raw_ops.ScalarSummary(tags=tag, values=share)
            summaries[:] = [summary if one is mine else one for one in summaries]

    def _size(self, name: str) -> tf.Tensor:
        capacity = self._placement.constant(self._scope, max(self._capacity, 0), tf.int64)
        counts = [*self.entered.handles, *self.left.handles]
        function, given = shared_over(counts, self._bounded, [tf.TensorSpec([], tf.int64)], "size of a queue")
        (size,) = tf.raw_ops.StatefulPartitionedCall(
            args=[capacity, *given], Tout=[tf.int32], f=called_function(function), name=name
        )
        size.set_shape([])
        return size

    def _bounded(self, capacity: tf.Tensor, entered: tf.Tensor, left: tf.Tensor) -> Sequence[tf.Tensor]:
        held = self.entered.with_handles([entered]).minus(self.left.with_handles([left]))
        return [tf.cast(tf.maximum(tf.minimum(held, capacity), 0), tf.int32)]
