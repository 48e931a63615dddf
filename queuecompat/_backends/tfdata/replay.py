"""Streams whose position is a number, so that a checkpoint can restore them.

tf.data saves the positions of its own iterators, but not how many numbers a random op has drawn, nor which elements
several pipelines have taken from a shared stream. Such a stream is put after a counter, and only the counter is saved:
a new process draws from the beginning until it has reached the saved position.
"""

from __future__ import annotations

import sys
from typing import Any, Callable, List, Optional, Sequence, Tuple

import tensorflow as tf

from queuecompat._backends.tfdata.functions import traced
from queuecompat._backends.tfdata.mapping import mapped

__all__ = ["SharedStream", "replayed", "resumed"]


class SharedStream:
    """An iterator over *elements* from which dataset functions draw. Must be made where an iterator begins.

    Args:
      components: the specs of the elements, flat.
    """

    def __init__(self, components: Sequence[Any], elements: tf.data.Dataset) -> None:
        self._specs = {
            "output_types": [spec.dtype for spec in components],
            "output_shapes": [spec.shape for spec in components],
        }
        self._handle = tf.raw_ops.AnonymousIteratorV3(**self._specs)
        tf.raw_ops.MakeIterator(dataset=tf.data.experimental.to_variant(elements), iterator=self._handle)

    @property
    def queues(self) -> Sequence[tf.Tensor]:
        """Empty: only plans of the dataset fill it."""
        return ()

    @property
    def handles(self) -> Sequence[tf.Tensor]:
        return ()

    @property
    def waits_inline(self) -> bool:
        return True

    def with_handles(self, handles: Sequence[tf.Tensor]) -> SharedStream:
        return self

    def draw(self, name: Optional[str] = None, *, inline: bool = False) -> List[tf.Tensor]:
        op = tf.raw_ops.IteratorGetNextSync if inline else tf.raw_ops.IteratorGetNext
        return op(iterator=self._handle, **self._specs, name=name)


def resumed(elements: Callable[[tf.Tensor], tf.data.Dataset], components: Tuple[Any, ...]) -> tf.data.Dataset:
    """The elements from a position on, whose number a checkpoint holds. Must be called where an iterator begins.

    Args:
      elements: returns the elements from a given number on.
      components: the specs of the elements, flat.
    """
    specs = {
        "output_types": [spec.dtype for spec in components],
        "output_shapes": [spec.shape for spec in components],
    }
    iterator = tf.raw_ops.AnonymousIteratorV3(**specs)
    # Holds one number: that of the iterator's next element.
    table = tf.raw_ops.AnonymousMutableHashTable(key_dtype=tf.int64, value_dtype=tf.int64)
    key = tf.constant([0], tf.int64)

    def element(number: tf.Tensor) -> List[tf.Tensor]:
        def begin() -> tf.Tensor:
            made = tf.raw_ops.MakeIterator(dataset=tf.data.experimental.to_variant(elements(number)), iterator=iterator)
            with tf.control_dependencies([made]):
                return tf.constant(True)

        (following,) = tf.unstack(
            tf.raw_ops.LookupTableFindV2(table_handle=table, keys=key, default_value=tf.constant(-1, tf.int64)), 1
        )
        begun = tf.cond(tf.equal(following, number), lambda: tf.constant(True), begin)
        with tf.control_dependencies([begun]):
            drawn = tf.raw_ops.IteratorGetNext(iterator=iterator, **specs)
        with tf.control_dependencies(drawn):
            noted = tf.raw_ops.LookupTableInsertV2(table_handle=table, keys=key, values=tf.reshape(number + 1, [1]))
        with tf.control_dependencies([noted]):
            return [tf.identity(component) for component in drawn]

    clock = tf.data.Dataset.range(sys.maxsize)
    return mapped(clock, traced(element, [tf.TensorSpec([], tf.int64)]), components, ends=True)


def replayed(elements: tf.data.Dataset, components: Tuple[Any, ...]) -> tf.data.Dataset:
    """*elements*, restored from a checkpoint by drawing them again. Must be called where an iterator begins.

    Args:
      components: the specs of the elements, flat.
    """
    stream = SharedStream((tf.TensorSpec([], tf.int64), *components), elements.enumerate())
    shapes = [tf.TensorShape([]), *(spec.shape for spec in components)]

    def element(number: tf.Tensor) -> List[tf.Tensor]:
        drawn = tf.while_loop(
            lambda index, *_: index < number,
            lambda *_: stream.draw(),
            stream.draw(),
            shape_invariants=shapes,
            parallel_iterations=1,
        )
        return drawn[1:]

    clock = tf.data.Dataset.range(sys.maxsize)
    return mapped(clock, traced(element, [tf.TensorSpec([], tf.int64)]), components, ends=True)
