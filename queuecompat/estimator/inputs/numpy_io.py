"""``numpy_input_fn``: batches of the rows of arrays."""

from __future__ import annotations

from typing import Any, Callable, Dict, Optional

import numpy as np
import tensorflow as tf

from queuecompat._capture.array_batches import batches, rows_of
from queuecompat._session.entry import require_graph
from queuecompat.plurals import type_of

__all__ = ["numpy_input_fn", "require_bool"]

# TF1: min_after_dequeue is the capacity divided by this.
SHARE_KEPT = 4


def numpy_input_fn(
    x: Any,
    y: Any = None,
    batch_size: int = 128,
    num_epochs: Optional[int] = 1,
    shuffle: Optional[bool] = None,
    queue_capacity: int = 1000,
    num_threads: int = 1,
) -> Callable[[], Any]:
    """An input function that returns batches of the rows of arrays.

    Args:
      x: array, or dict of arrays, each ``[rows, *element]``: the features. They are read when the
        pipeline starts and looked up by index: they are not copied into the graph, so its limit of 2 GB does not
        apply to them. Do not change them while the pipeline runs: whether it sees the changes is not determined.
      y: array ``[rows, *element]`` or dict of such: the targets; None: no targets.
      batch_size: rows in a batch.
      num_epochs: how often each row is returned; None: forever.
      shuffle: True or False; it has no default. True reshuffles the rows every epoch, and draws them from a shuffle
        buffer of *queue_capacity* rows.
      queue_capacity: maximum number of rows held ahead of the consumer, not counting the batch in flight.
      num_threads: at least 1; has no other effect.
    Returns:
      A function without arguments. Called in a graph, it returns the features, or with *y* the pair (features,
      targets): a tensor ``[batch_size, *element]`` for an array, a dict of tensors for a dict. With *num_epochs*
      the first dimension is None: the last batch may be smaller.
    Raises:
      ValueError: *shuffle* is not a bool. By the input function: *x* or *y* is empty, they have a key in
        common or different numbers of rows; ``num_threads < 1``.
      TypeError: by the input function, *x* is neither an array nor a dict.
      RuntimeError: QC101, QC102, QC302, by the input function.
      tf.errors.OutOfRangeError: at run time, after the last batch.
    Differs from TF1: Running a pipeline that was not started is an error (QC301); TF1 waited forever. With several
      threads every row comes *num_epochs* times; TF1 counted epochs per thread and returned every row *num_threads*
      times as often. Arrays without rows are a ValueError; without *shuffle*, TF1 raised ZeroDivisionError.
    Source: TF 1.15.5 ``tensorflow_estimator/python/estimator/inputs/numpy_io.py``.
    """
    require_bool(shuffle)

    def input_fn() -> Any:
        features = _features(x)
        targets = _targets(y, features)
        _require_equal_lengths(features, targets)
        require_graph("numpy_input_fn")
        arrays = [np.asarray(array) for array in (*features.values(), *targets.values())]
        with tf.name_scope("enqueue_input") as scope:
            rows = rows_of(arrays, num_epochs=num_epochs, shuffle=bool(shuffle), scope=scope)
        _, *taken = batches(
            rows,
            batch_size,
            capacity=queue_capacity,
            min_after_dequeue=int(queue_capacity / SHARE_KEPT) if shuffle else None,
            num_threads=num_threads,
            is_endless=num_epochs is None,
            scope=scope,
        )
        given_features = _like(x, features, taken[: len(features)])
        return given_features if y is None else (given_features, _like(y, targets, taken[len(features) :]))

    return input_fn


def require_bool(shuffle: Any) -> None:
    """Raises ValueError unless *shuffle* is a bool."""
    if not isinstance(shuffle, bool):
        raise ValueError(
            f"shuffle has no default: pass True (usually for training) or False (to evaluate and predict), "
            f"not {shuffle}"
        )


def _features(x: Any) -> Dict[Any, Any]:
    if isinstance(x, dict):
        if not x:
            raise ValueError("x is an empty dict")
        return dict(sorted(x.items(), key=lambda item: item[0]))
    if isinstance(x, np.ndarray):
        if x.size == 0:
            raise ValueError(f"x is an empty array, of shape {x.shape}")
        return {None: x}
    raise TypeError(f"x must be an array or a dict of arrays, not {type_of(x)}")


def _targets(y: Any, features: Dict[Any, Any]) -> Dict[Any, Any]:
    if y is None:
        return {}
    if not isinstance(y, dict):
        return {None: y}
    if not y:
        raise ValueError("y is an empty dict; pass None if there are no targets")
    both = sorted(set(features) & set(y))
    if both:
        raise ValueError(f"x and y have keys in common: {both}")
    return dict(sorted(y.items(), key=lambda item: item[0]))


def _require_equal_lengths(features: Dict[Any, Any], targets: Dict[Any, Any]) -> None:
    lengths = {array.shape[0] for array in (*features.values(), *targets.values())}
    if len(lengths) != 1:
        shapes = [{key: array.shape for key, array in arrays.items()} for arrays in (features, targets)]
        raise ValueError(f"all arrays must have the same number of rows; x has the shapes {shapes[0]}, y {shapes[1]}")
    if lengths == {0}:
        raise ValueError("the arrays have no rows")


def _like(given: Any, arrays: Dict[Any, Any], taken: Any) -> Any:
    return dict(zip(arrays, taken)) if isinstance(given, dict) else taken[0]
