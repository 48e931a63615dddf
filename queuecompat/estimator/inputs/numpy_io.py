"""``numpy_input_fn``: batches of the rows of arrays."""

from __future__ import annotations

from typing import Any, Callable, Dict, Optional

import numpy as np
import tensorflow as tf

from queuecompat._capture.array_batches import batches, rows_of
from queuecompat._runtime.entry import require_graph

__all__ = ["numpy_input_fn", "require_bool"]

# What a queue that mixes keeps of its capacity, in TF1.
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
    """An input function that gives batches of the rows of arrays.

    Args:
      x: array, or dict of arrays, each ``[rows, *element]``: the features. They are fed when the pipeline
        starts and looked up by index: they do not enter the graph, and its limit of 2 GB does not hold
        for them.
      y: array ``[rows, *element]`` or dict of such: the targets; None: there are none.
      batch_size: rows in a batch.
      num_epochs: how often each row is given; None: for ever.
      shuffle: True or False, and no default. Mixed are all rows of an epoch, and a pool of *queue_capacity* rows.
      queue_capacity: most rows ahead of the consumer, besides the batch in flight.
      num_threads: at least 1; makes no difference.
    Returns:
      A function without arguments. Called in a graph, it gives features, or with *y* the pair (features,
      targets): tensors ``[batch_size, *element]`` where arrays were given, dicts of them where dicts were.
      The first dimension is None with *num_epochs*: the last batch may be smaller.
    Raises:
      ValueError: *shuffle* is not a bool. By the input function: *x* or *y* is empty, they have a key in
        common or different numbers of rows; ``num_threads < 1``.
      TypeError: by the input function, *x* is neither an array nor a dict.
      RuntimeError: QC101, QC102, QC302, by the input function.
      tf.errors.OutOfRangeError: at run time, after the last batch.
    Differs from TF1: with several threads every row comes *num_epochs* times; TF1 counted for each thread,
      and gave it *num_threads* times as often. Changes of the arrays after the start need not be seen.
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
            f"shuffle has no default: say True (as a rule, for training) or False (to evaluate and predict), "
            f"and not {shuffle}"
        )


def _features(x: Any) -> Dict[Any, Any]:
    if isinstance(x, dict):
        if not x:
            raise ValueError("x is a dict without any array")
        return dict(sorted(x.items(), key=lambda item: item[0]))
    if isinstance(x, np.ndarray):
        if x.size == 0:
            raise ValueError(f"x is an array without any element, of shape {x.shape}")
        return {None: x}
    raise TypeError(f"x must be an array or a dict of arrays, and is a {type(x).__name__}")


def _targets(y: Any, features: Dict[Any, Any]) -> Dict[Any, Any]:
    if y is None:
        return {}
    if not isinstance(y, dict):
        return {None: y}
    if not y:
        raise ValueError("y is a dict without any array; give None if there are no targets")
    both = sorted(set(features) & set(y))
    if both:
        raise ValueError(f"{both} are keys of x and of y")
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
