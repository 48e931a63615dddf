"""``pandas_input_fn``: batches of the rows of a ``DataFrame``. pandas is imported only when it is used."""

from __future__ import annotations

import uuid
from typing import Any, Callable, List, Optional, Tuple

import numpy as np
import tensorflow as tf

from queuecompat._capture.array_batches import batches, rows_of
from queuecompat._session.entry import require_graph
from queuecompat.estimator.inputs.numpy_io import SHARE_KEPT, require_bool

__all__ = ["pandas_input_fn"]


def pandas_input_fn(
    x: Any,
    y: Any = None,
    batch_size: int = 128,
    num_epochs: Optional[int] = 1,
    shuffle: Optional[bool] = None,
    queue_capacity: Optional[int] = 1000,
    num_threads: int = 1,
    target_column: str = "target",
) -> Callable[[], Any]:
    """An input function that returns batches of the rows of a ``DataFrame``.

    Args:
      x: ``DataFrame``, the features. It is copied at the call.
      y: ``Series`` or ``DataFrame`` with the index of *x*: the targets; None: no targets.
      batch_size, num_epochs, shuffle, num_threads: as ``numpy_input_fn``.
      queue_capacity: as ``numpy_input_fn``; None: the number of rows of *x*, with *shuffle* four times as much.
      target_column: a column name for *y* that *x* does not have; ignored if *y* is a ``DataFrame``.
    Returns:
      A function without arguments. Called in a graph, it returns a dict from column to ``[batch_size]``
      values, or with *y* the pair (that dict, targets): a tensor for a ``Series``, a dict for a
      ``DataFrame``. The first dimension is None with *num_epochs*.
    Raises:
      TypeError: pandas is not installed; *target_column* is not a string; by the input function, TensorFlow
        has no dtype for a column (categories, dates).
      ValueError: *shuffle* is not a bool; *x* has a *target_column*; the indices differ.
        By the input function: ``num_threads < 1``, or there are no rows.
      RuntimeError: QC101, QC102, QC302, by the input function.
      tf.errors.OutOfRangeError: at run time, after the last batch.
    Differs from TF1: As ``estimator.inputs.numpy_input_fn``. Columns of pandas' own string type are accepted; TF1
      raised TypeError.
    Source: TF 1.15.5 ``tensorflow_estimator/python/estimator/inputs/pandas_io.py``.
    """
    pandas = _pandas()
    require_bool(shuffle)
    if not isinstance(target_column, str):
        raise TypeError(f"target_column must be a string, not {target_column!r}")
    table, targets = _joined(pandas, x, y, target_column)
    if queue_capacity is None:
        queue_capacity = len(x) * (SHARE_KEPT if shuffle else 1)
    capacity = queue_capacity
    min_after_dequeue = int(max(capacity / SHARE_KEPT, 1)) if shuffle else None

    def input_fn() -> Any:
        require_graph("pandas_input_fn")
        arrays = [_values(pandas, table.index), *(_values(pandas, table[column]) for column in table.columns)]
        if not len(table):
            raise ValueError("the DataFrame has no rows")
        with tf.name_scope("enqueue_input") as scope:
            _, *rows = rows_of(arrays, num_epochs=num_epochs, shuffle=bool(shuffle), scope=scope)
        _, *taken = batches(
            rows,
            batch_size,
            capacity=capacity,
            min_after_dequeue=min_after_dequeue,
            num_threads=num_threads,
            is_endless=num_epochs is None,
            scope=scope,
        )
        features = dict(zip(table.columns, taken))
        given = {name: features.pop(column) for name, column in targets}
        if y is None:
            return features
        return features, (given if isinstance(y, pandas.DataFrame) else given[target_column])

    return input_fn


def _pandas() -> Any:
    try:
        import pandas
    except ImportError as problem:
        raise TypeError("pandas_input_fn needs pandas, which is not installed: pip install pandas") from problem
    return pandas


def _joined(pandas: Any, x: Any, y: Any, target_column: str) -> Tuple[Any, List[Tuple[Any, Any]]]:
    """Returns *x* with the columns of *y* added, and the name and the column of each target."""
    table = x.copy()
    if y is None:
        return table, []
    if target_column in x:
        raise ValueError(f"x already has a column {target_column!r}; choose a different target_column for y")
    if not np.array_equal(x.index, y.index):
        raise ValueError(f"x and y must have the same index; that of x is {x.index}, that of y is {y.index}")
    if not isinstance(y, pandas.DataFrame):
        table[target_column] = y
        return table, [(target_column, target_column)]
    targets = [(name, f"{name}_{uuid.uuid4()}" if name in x else name) for name in y]
    for name, column in targets:
        table[column] = y[name]
    return table, targets


def _values(pandas: Any, column: Any) -> np.ndarray:
    """Returns the values of a column or index as TensorFlow accepts them; raises TypeError if it has no such dtype."""
    if isinstance(column.dtype, pandas.StringDtype):
        return column.to_numpy(dtype=object)
    tf.as_dtype(column.dtype)
    return column.to_numpy()
