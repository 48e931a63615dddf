"""Makes a ``tf.data.Dataset`` of a loader: one Python call per batch, and no copy unless TensorFlow needs one.

The only module of the loader that imports TensorFlow.
"""

from __future__ import annotations

from typing import Any, Callable, Iterator, Mapping, Optional, Sequence

import numpy as np
import tensorflow as tf

from queuecompat.errors import QueueCompatTypeError, error
from queuecompat.loader.batch_arguments import BatchSteps
from queuecompat.loader.memory.structures import ExampleSpec, Leaf, leaves_of, packed
from queuecompat.plurals import type_of

__all__ = ["dataset", "specs_of_batch", "specs_of_examples"]


def specs_of_examples(spec: ExampleSpec, objects: Sequence[np.ndarray], rows: Optional[int]) -> Any:
    """Returns the tensor specs of batches of examples with *spec*.

    Args:
      objects: the arrays of one example that hold Python objects. Text becomes string tensors.
      rows: the number of rows of every batch; None if the last batch may have fewer.
    """
    rest = iter(objects)
    specs = [
        tf.TensorSpec((rows, *leaf.shape), _dtype(leaf, next(rest) if leaf.is_object else None)) for leaf in spec.leaves
    ]
    return packed(spec.treedef, specs)


def specs_of_batch(batch: Any, batch_size: int, rows: Optional[int], steps: BatchSteps) -> Any:
    """Returns the tensor specs of the batches of which *batch* is the first; *rows* as in ``specs_of_examples``."""
    treedef, leaves = leaves_of(batch)
    specs = []
    for leaf in leaves:
        shape = [None] * leaf.ndim if steps.has_variable_shapes else list(leaf.shape)
        if leaf.ndim and steps.collate is None:
            # ``batch_transform`` may return arrays whose first axis is not that of the examples.
            shape[0] = rows if leaf.shape[0] == batch_size else None
        specs.append(tf.TensorSpec(shape, _dtype(Leaf(leaf.shape, leaf.dtype), leaf if leaf.dtype.hasobject else None)))
    return packed(treedef, specs)


def dataset(begin: Callable[[], Iterator[Any]], specs: Any, *, count: Optional[int]) -> tf.data.Dataset:
    """See ``BackgroundLoader.as_dataset``.

    Args:
      begin: begins the next pass, and returns its batches.
      specs: the nesting of tensor specs of a batch.
      count: the number of batches per pass; None if it is not known, negative if it is infinite.
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
        raise error(QueueCompatTypeError, "QC618", given=type_of(first))
    return tf.string


def _without_lists(value: Any) -> Any:
    """Returns *value* with lists replaced by tuples: tf.data would make one tensor of a list."""
    if isinstance(value, Mapping):
        return {key: _without_lists(child) for key, child in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*map(_without_lists, value))
    if isinstance(value, (list, tuple)):
        return tuple(map(_without_lists, value))
    return value
