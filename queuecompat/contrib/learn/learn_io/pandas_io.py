"""pandas tables as input, as ``tf.contrib.learn.io`` took them. pandas is imported when it is used."""

from __future__ import annotations

import importlib.util
import sys
from typing import Any, Callable, List, Optional

from queuecompat.estimator.inputs import pandas_io

__all__ = [
    "HAS_PANDAS",
    "extract_pandas_data",
    "extract_pandas_labels",
    "extract_pandas_matrix",
    "pandas_input_fn",
]

# Whether pandas is installed: TF1 programs read this flag.
HAS_PANDAS = importlib.util.find_spec("pandas") is not None

# NumPy's kinds of dtypes that are numbers: bool, integers, floating point.
_NUMBERS = "biuf"


def pandas_input_fn(
    x: Any,
    y: Any = None,
    batch_size: int = 128,
    num_epochs: Optional[int] = 1,
    shuffle: bool = True,
    queue_capacity: Optional[int] = 1000,
    num_threads: int = 1,
    target_column: str = "target",
) -> Callable[[], Any]:
    """``tf.estimator.inputs.pandas_input_fn``, but with a default for *shuffle*.

    Args:
      x, y, batch_size, num_epochs, shuffle, queue_capacity, num_threads, target_column: as
        ``estimator.inputs.pandas_input_fn``.
    Returns:
      As ``estimator.inputs.pandas_input_fn``.
    Raises:
      As ``estimator.inputs.pandas_input_fn``.
    Differs from TF1: As ``estimator.inputs.pandas_input_fn``.
    Source: TF 1.15.5 ``contrib/learn/python/learn/learn_io/pandas_io.py``.
    """
    return pandas_io.pandas_input_fn(x, y, batch_size, num_epochs, shuffle, queue_capacity, num_threads, target_column)


def extract_pandas_data(data: Any) -> Any:
    """The numbers of a table of predictors.

    Args:
      data: ``DataFrame`` of bools, integers or floating point numbers; anything else is returned unchanged.
    Returns:
      float64 array ``[rows, columns]``.
    Raises:
      ValueError: a column contains anything else.
    Differs from TF1: None known.
    Source: TF 1.15.5 ``contrib/learn/python/learn/learn_io/pandas_io.py``.
    """
    if not _is_table(data):
        return data
    _require_numbers(data, "data")
    return data.to_numpy().astype("float")


def extract_pandas_matrix(data: Any) -> Any:
    """The values of a table.

    Args:
      data: ``DataFrame``; anything else is returned unchanged.
    Returns:
      array ``[rows, columns]``, of a dtype that can represent every column.
    Differs from TF1: None known.
    Source: TF 1.15.5 ``contrib/learn/python/learn/learn_io/pandas_io.py``.
    """
    return data.to_numpy() if _is_table(data) else data


def extract_pandas_labels(labels: Any) -> Any:
    """The numbers of a table of one column.

    Args:
      labels: ``DataFrame``; anything else (a ``Series``) is returned unchanged.
    Returns:
      array ``[rows, 1]``.
    Raises:
      ValueError: there is more than one column, or it does not contain numbers.
    Differs from TF1: None known.
    Source: TF 1.15.5 ``contrib/learn/python/learn/learn_io/pandas_io.py``.
    """
    if not _is_table(labels):
        return labels
    if len(labels.columns) > 1:
        raise ValueError(f"labels must be one column, not {list(labels.columns)}")
    _require_numbers(labels, "labels")
    return labels.to_numpy()


def _is_table(data: Any) -> bool:
    pandas = sys.modules.get("pandas")  # a program with a table has imported pandas
    return pandas is not None and isinstance(data, pandas.DataFrame)


def _require_numbers(table: Any, what: str) -> None:
    others: List[str] = [
        f"{column!r} ({table[column].dtype})"
        for column in table
        if getattr(table[column].dtype, "kind", "O") not in _NUMBERS or table[column].dtype.name == "float128"
    ]
    if others:
        raise ValueError(f"{what} must be bools, integers or floating point numbers, not {', '.join(others)}")
