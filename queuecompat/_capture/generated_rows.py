"""Examples from a Python generator, with one call into Python for a whole block of examples.

Rule 1: blocks straddle epochs, as in TF1; only the last block is shorter.
Rule 2: the position of the generator belongs to the graph, as in TF1: a second session continues where the
        first one stopped.
"""

from __future__ import annotations

import threading
from typing import Any, Callable, Dict, Iterator, List, Optional

import numpy as np
import tensorflow as tf

from queuecompat._native.deprecations import without_queue_deprecations

__all__ = ["blocks_of"]


def blocks_of(
    generator: Callable[[], Iterator[Dict[str, Any]]],
    first: Dict[str, Any],
    size: int,
    num_epochs: Optional[int],
    pad_value: Any,
) -> List[tf.Tensor]:
    """Returns tensors of shape ``[n, *element]`` for each key, in sorted order; *n* is *size*, or less at the end.

    Args:
      generator: returns an iterator over the examples of one epoch.
      first: an example, which determines types and shapes.
      pad_value: pads examples that are shorter in the last dimension; None: all have the same shape.
    """
    keys = sorted(first)
    types = [tf.as_dtype(first[key].dtype) for key in keys]
    shapes = [list(first[key].shape) for key in keys]
    if pad_value is not None:
        shapes = [[*shape[:-1], None] if shape else shape for shape in shapes]
    next_block = _Blocks(generator, keys, size, num_epochs, pad_value)
    with without_queue_deprecations():
        blocks = tf.compat.v1.py_func(next_block, [], types, stateful=True, name="generator")
    for block, shape in zip(blocks, shapes):
        block.set_shape([None, *shape])
    return list(blocks)


class _Blocks:
    """A function that returns the next block at each call, and raises StopIteration at the end."""

    # The name of the function in TensorFlow's messages.
    __name__ = "generator_input_fn"

    def __init__(
        self,
        generator: Callable[[], Iterator[Dict[str, Any]]],
        keys: List[str],
        size: int,
        num_epochs: Optional[int],
        pad_value: Any,
    ) -> None:
        self._keys = keys
        self._size = size
        self._pad_value = pad_value
        self._examples = _epochs(generator, num_epochs)
        self._lock = threading.Lock()

    def __call__(self) -> List[np.ndarray]:
        columns: Dict[str, List[Any]] = {key: [] for key in self._keys}
        with self._lock:
            for _, example in zip(range(self._size), self._examples):
                for key in self._keys:
                    if key not in example:
                        raise KeyError(f"the generator yielded an example without {key!r}: it has {sorted(example)}")
                    columns[key].append(np.asarray(example[key]))
        if not columns[self._keys[0]]:
            raise StopIteration
        return [self._stacked(columns[key]) for key in self._keys]

    def _stacked(self, values: List[np.ndarray]) -> np.ndarray:
        lengths = {value.shape[-1:] for value in values}
        if self._pad_value is None or len(lengths) == 1:
            return np.stack(values)
        longest = max(lengths)
        padded = np.full((len(values), *values[0].shape[:-1], *longest), self._pad_value, values[0].dtype)
        for row, value in zip(padded, values):
            row[..., : value.shape[-1]] = value
        return padded


def _epochs(generator: Callable[[], Iterator[Dict[str, Any]]], num_epochs: Optional[int]) -> Iterator[Dict[str, Any]]:
    epoch = 0
    while num_epochs is None or epoch < num_epochs:
        is_empty = True
        for example in generator():
            is_empty = False
            yield example
        if is_empty:
            return
        epoch += 1
