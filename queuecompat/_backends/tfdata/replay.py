"""Streams whose position is a number: what is needed to go on where a checkpoint was written.

tf.data saves where its own iterators stand, but not how many numbers a random op has drawn, nor what several
pipelines that share a stream have taken. Such a stream is put after a counter, which is all that is saved:
a new process draws again, from the beginning, until it stands where the old one stood.
"""

from __future__ import annotations

import sys
from typing import Any, List, Optional, Sequence, Tuple

import tensorflow as tf

from queuecompat._backends.tfdata.mapping import mapped, traced

__all__ = ["SharedStream", "replayed"]


class SharedStream:
    """An iterator over *elements* that is drawn from inside of dataset functions; made where an iterator begins.

    Args:
      components: the specs of its elements, flat.
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
        """None: only the plans of the dataset put anything in."""
        return ()

    def draw(self, name: Optional[str] = None) -> List[tf.Tensor]:
        return tf.raw_ops.IteratorGetNext(iterator=self._handle, **self._specs, name=name)


def replayed(elements: tf.data.Dataset, components: Tuple[Any, ...]) -> tf.data.Dataset:
    """*elements*, restored from a checkpoint by drawing them again. To be called where an iterator begins.

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
