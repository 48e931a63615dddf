"""TensorFlow's Barrier: a map whose elements come together piece by piece, in whatever order, from many runs.

TF1 kept the class private and TensorFlow 2 does too; the ops are public.
"""

from __future__ import annotations

from typing import Any, List, NamedTuple, Optional, Sequence

import tensorflow as tf

__all__ = ["Barrier", "Elements"]


class Elements(NamedTuple):
    """What ``take_many`` gives; the first dimension of each tensor is that of the elements.

    Attributes:
      indices: int64 ``[n]``, which insertion, counted from -2**63, brought the element's first component.
      keys: strings ``[n]``.
      values: a list with a tensor ``[n, *component]`` for each component.
    """

    indices: tf.Tensor
    keys: tf.Tensor
    values: List[tf.Tensor]


class Barrier:
    """A map from strings to tuples. An element can be taken once all its components are there.

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
                raise ValueError(f"a barrier holds no empty tensors, and {shape} is the shape of such")
        self.barrier_ref = tf.raw_ops.Barrier(component_types=self._types, shapes=self._shapes, name=name)

    @property
    def name(self) -> str:
        """The name of the barrier's op."""
        return str(self.barrier_ref.op.name)

    def insert_many(self, component_index: int, keys: Any, values: Any, name: Optional[str] = None) -> tf.Operation:
        """Sets one component, ``[n, *component]``, of *n* elements, old or new."""
        return tf.raw_ops.BarrierInsertMany(
            handle=self.barrier_ref, keys=keys, values=values, component_index=component_index, name=name
        )

    def take_many(self, num_elements: Any, allow_small_batch: bool = False, name: Optional[str] = None) -> Elements:
        """Takes complete elements, those first that came first; waits until there are enough.

        Args:
          allow_small_batch: fewer will do, once the barrier is closed.
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
        """No new keys from now on; *cancel_pending_enqueues*: nor anything for the old ones."""
        return tf.raw_ops.BarrierClose(
            handle=self.barrier_ref, cancel_pending_enqueues=cancel_pending_enqueues, name=name
        )

    def cancel_unless(self, is_closed: tf.Tensor) -> tf.Operation:
        """``close(cancel_pending_enqueues=True)``, but not where *is_closed* and no element is incomplete.

        To cancel a barrier that is closed and complete hangs in the kernel, for ever, in TF 1.15.5 and 2.21:
        in TF1 no program that ran to the end of its sequences could be joined. A spare barrier goes in its place.
        """
        spare = tf.raw_ops.Barrier(component_types=[tf.int32], shapes=[[]], name="nothing_to_cancel")
        is_over = tf.logical_and(is_closed, tf.equal(self.incomplete_size(), 0))
        chosen = tf.raw_ops.RefSelect(index=tf.cast(is_over, tf.int32), inputs=[self.barrier_ref, spare])
        return tf.raw_ops.BarrierClose(handle=chosen, cancel_pending_enqueues=True)

    def ready_size(self, name: Optional[str] = None) -> tf.Tensor:
        """How many elements are complete; scalar int32."""
        return tf.raw_ops.BarrierReadySize(handle=self.barrier_ref, name=name)

    def incomplete_size(self, name: Optional[str] = None) -> tf.Tensor:
        """How many elements lack a component; scalar int32."""
        return tf.raw_ops.BarrierIncompleteSize(handle=self.barrier_ref, name=name)
