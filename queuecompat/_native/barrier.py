"""TensorFlow's Barrier: a map whose elements are completed component by component, in any order, over many runs.

The class is private in TF1 and in TensorFlow 2; the ops are public.
"""

from __future__ import annotations

from typing import Any, List, NamedTuple, Optional, Sequence

import tensorflow as tf

__all__ = ["Barrier", "Elements"]


class Elements(NamedTuple):
    """The result of ``take_many``; the first dimension of each tensor is that of the elements.

    Attributes:
      indices: int64 ``[n]``: the number, counted from -2**63, of the insertion that added the element's first
        component.
      keys: strings ``[n]``.
      values: a list with one tensor ``[n, *component]`` per component.
    """

    indices: tf.Tensor
    keys: tf.Tensor
    values: List[tf.Tensor]


class Barrier:
    """A map from strings to tuples. An element can be taken when all its components have been inserted.

    Args:
      types, shapes: of the components.
    Raises:
      ValueError: a shape has no elements.
    """

    def __init__(self, types: Sequence[tf.DType], shapes: Sequence[Any], name: str = "barrier") -> None:
        self._types = list(types)
        self._shapes = [tf.TensorShape(shape) for shape in shapes]
        for shape in self._shapes:
            if shape.num_elements() == 0:
                raise ValueError(f"a barrier cannot contain empty tensors, of shape {shape}")
        self.barrier_ref = tf.raw_ops.Barrier(component_types=self._types, shapes=self._shapes, name=name)

    @property
    def name(self) -> str:
        """The name of the barrier's op."""
        return str(self.barrier_ref.op.name)

    def insert_many(self, component_index: int, keys: Any, values: Any, name: Optional[str] = None) -> tf.Operation:
        """Sets one component, ``[n, *component]``, of *n* new or existing elements."""
        return tf.raw_ops.BarrierInsertMany(
            handle=self.barrier_ref, keys=keys, values=values, component_index=component_index, name=name
        )

    def take_many(self, num_elements: Any, allow_small_batch: bool = False, name: Optional[str] = None) -> Elements:
        """Takes complete elements, in the order of their insertion; waits until there are enough.

        Args:
          allow_small_batch: whether to return fewer once the barrier is closed.
        """
        taken = tf.raw_ops.BarrierTakeMany(
            handle=self.barrier_ref,
            num_elements=num_elements,
            component_types=self._types,
            allow_small_batch=allow_small_batch,
            name=name,
        )
        indices, keys, values = taken.indices, taken.keys, list(taken.values)
        count = None if allow_small_batch else tf.get_static_value(indices.op.inputs[1])
        rows = tf.TensorShape([None if count is None else int(count)])
        indices.set_shape(rows)
        keys.set_shape(rows)
        for value, shape in zip(values, self._shapes):
            value.set_shape(rows.concatenate(shape))
        return Elements(indices, keys, values)

    def close(self, cancel_pending_enqueues: bool = False, name: Optional[str] = None) -> tf.Operation:
        """Refuses new keys from now on; with *cancel_pending_enqueues*, also components of existing ones."""
        return tf.raw_ops.BarrierClose(
            handle=self.barrier_ref, cancel_pending_enqueues=cancel_pending_enqueues, name=name
        )

    def cancel_unless(self, is_closed: tf.Tensor) -> tf.Operation:
        """``close(cancel_pending_enqueues=True)``, except if *is_closed* and no element is incomplete.

        Cancelling a barrier that is closed and complete hangs forever in the kernel, in TF 1.15.5 and 2.21: in TF1, a
        program that had reached the end of its sequences could not be joined. In that case, a spare barrier is
        cancelled instead.
        """
        spare = tf.raw_ops.Barrier(component_types=[tf.int32], shapes=[[]], name="nothing_to_cancel")
        is_over = tf.logical_and(is_closed, tf.equal(self.incomplete_size(), 0))
        chosen = tf.raw_ops.RefSelect(index=tf.cast(is_over, tf.int32), inputs=[self.barrier_ref, spare])
        return tf.raw_ops.BarrierClose(handle=chosen, cancel_pending_enqueues=True)

    def ready_size(self, name: Optional[str] = None) -> tf.Tensor:
        """The number of complete elements; scalar int32."""
        return tf.raw_ops.BarrierReadySize(handle=self.barrier_ref, name=name)

    def incomplete_size(self, name: Optional[str] = None) -> tf.Tensor:
        """The number of incomplete elements; scalar int32."""
        return tf.raw_ops.BarrierIncompleteSize(handle=self.barrier_ref, name=name)
