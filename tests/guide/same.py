"""Whether the two columns of a page's "Side by side" are the same pipeline: the pages call it before a block."""

from __future__ import annotations

from typing import Any, Callable, List

import numpy as np
import tensorflow as tf

import queuecompat

__all__ = ["assert_same"]


def assert_same(tensorflow_1: Callable[[], Any], tf_data: Callable[[], tf.data.Dataset], *, values: str = "") -> None:
    """Fails where the datasets of the two functions differ.

    Args:
      values: what is the same about their elements: "" the elements in their order; "sorted" the rows of all of them in
        any order; "shapes" their types and shapes alone, of those that are random.
    """
    ours, theirs = queuecompat.as_dataset(tensorflow_1, strict=True), tf_data()
    if values == "shapes":
        assert ours.element_spec == theirs.element_spec, (ours.element_spec, theirs.element_spec)
        ours, theirs = ours.take(2), theirs.take(2)
        assert len(list(ours)) == len(list(theirs)) == 2
        return
    first, second = _arrays(ours), _arrays(theirs)
    assert first and len(first) == len(second), (len(first), len(second))
    if values == "sorted":
        first, second = [_sorted_rows(first)], [_sorted_rows(second)]
    for one, other in zip(first, second):
        np.testing.assert_array_equal(one, other)


def _arrays(dataset: tf.data.Dataset) -> List[Any]:
    return [part for element in dataset.as_numpy_iterator() for part in tf.nest.flatten(element)]


def _sorted_rows(arrays: List[Any]) -> Any:
    return np.sort(np.concatenate([np.ravel(one) for one in arrays]))
