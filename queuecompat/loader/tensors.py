"""A loader as ``tf.data.Dataset``: one Python call a batch, and no copy of it where TensorFlow needs none.

The only module of the loader that imports TensorFlow.
"""

from __future__ import annotations

from typing import Any, Callable, Iterator, Mapping, Optional, Sequence

import numpy as np
import tensorflow as tf

from queuecompat.errors import QueueCompatTypeError, error
from queuecompat.loader.batch_arguments import BatchSteps
from queuecompat.loader.memory.structures import ExampleSpec, Leaf, leaves_of, packed

__all__ = ["dataset", "specs_of_batch", "specs_of_examples"]


def specs_of_examples(spec: ExampleSpec, objects: Sequence[np.ndarray], rows: Optional[int]) -> Any:
    """The specs of batches of such examples.

    Args:
      objects: of one example, those arrays that hold Python objects. Text becomes tensors of strings.
      rows: of every batch; None where the last one may have fewer.
    """
    rest = iter(objects)
    specs = [
        tf.TensorSpec((rows, *leaf.shape), _dtype(leaf, next(rest) if leaf.is_object else None)) for leaf in spec.leaves
    ]
    return packed(spec.treedef, specs)


def specs_of_batch(batch: Any, batch_size: int, rows: Optional[int], steps: BatchSteps) -> Any:
    """The specs of batches of which *batch* is the first; *rows* as above."""
    treedef, leaves = leaves_of(batch)
    specs = []
    for leaf in leaves:
        shape = [None] * leaf.ndim if steps.rest_is_open else list(leaf.shape)
        if leaf.ndim and steps.collate is None:
            # What a transform makes of a batch may have an axis of its own in front.
            shape[0] = rows if leaf.shape[0] == batch_size else None
        specs.append(tf.TensorSpec(shape, _dtype(Leaf(leaf.shape, leaf.dtype), leaf if leaf.dtype.hasobject else None)))
    return packed(treedef, specs)


def dataset(begin: Callable[[], Iterator[Any]], specs: Any, *, count: Optional[int]) -> tf.data.Dataset:
    """See ``BackgroundLoader.as_dataset``.

    Args:
      begin: begins the next pass.
      specs: of a batch: a nesting of tensor specs.
      count: batches of a pass; None where that is not known, a negative number if it has no end.
    """

    def batches() -> Iterator[Any]:
        return map(_without_lists, begin())

    made = tf.data.Dataset.from_generator(batches, output_signature=_without_lists(specs))
    if count is None:
        return made
    return made.apply(tf.data.experimental.assert_cardinality(count if count >= 0 else tf.data.INFINITE_CARDINALITY))


def _dtype(leaf: Leaf, objects: Optional[np.ndarray]) -> tf.DType:
    if objects is None:
        try:
            return tf.as_dtype(leaf.dtype)
        except TypeError as problem:
            raise error(QueueCompatTypeError, "QC618", given=str(leaf)) from problem
    first = objects.flat[0] if objects.size else ""
    if not isinstance(first, (str, bytes)):
        raise error(QueueCompatTypeError, "QC618", given=f"a {type(first).__name__}")
    return tf.string


def _without_lists(value: Any) -> Any:
    """tf.data takes a list for one tensor; a tuple is what it takes for several."""
    if isinstance(value, Mapping):
        return {key: _without_lists(child) for key, child in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*map(_without_lists, value))
    if isinstance(value, (list, tuple)):
        return tuple(map(_without_lists, value))
    return value
