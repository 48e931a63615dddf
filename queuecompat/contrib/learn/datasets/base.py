"""``tf.contrib.learn.datasets.base``: tables in CSV files. Its data sets and downloads are not available."""

from __future__ import annotations

import csv
from typing import Any, List, NamedTuple

import numpy as np
import tensorflow.compat.v1 as tf

from queuecompat.contrib._aliases import aliases
from queuecompat.contrib.learn.datasets.mnist import Datasets

__all__ = ["Dataset", "Datasets", "load_csv_with_header", "load_csv_without_header"]


class Dataset(NamedTuple):
    """The features, ``[n, features]``, and the targets, ``[n]``."""

    data: Any
    target: Any


def load_csv_with_header(filename: Any, target_dtype: Any, features_dtype: Any, target_column: int = -1) -> Dataset:
    """The rows of a CSV file whose first row begins with the number of rows and the number of features.

    Args:
      target_column: the column of the targets; all others are features.
    Raises:
      ValueError: the file is in another form, or a row has another number of features.
      IndexError: there are more rows.
      tf.errors.NotFoundError: there is no such file.
    Differs from TF1: None known.
    Source: TF 1.15.5 ``contrib/learn/python/learn/datasets/base.py``.
    """
    header, *rows = _rows(filename)
    data = np.zeros((int(header[0]), int(header[1])), features_dtype)
    target = np.zeros(len(data), target_dtype)
    for number, row in enumerate(rows):
        target[number] = np.asarray(row.pop(target_column), target_dtype)
        data[number] = np.asarray(row, features_dtype)
    return Dataset(data, target)


def load_csv_without_header(filename: Any, target_dtype: Any, features_dtype: Any, target_column: int = -1) -> Dataset:
    """The rows of a CSV file without a header. Arguments: as ``load_csv_with_header``."""
    rows = _rows(filename)
    target = np.array([row.pop(target_column) for row in rows], target_dtype)
    return Dataset(np.array([np.asarray(row, features_dtype) for row in rows]), target)


def _rows(filename: Any) -> List[List[str]]:
    with tf.gfile.Open(filename) as file:
        return list(csv.reader(file))


__getattr__, __dir__ = aliases(__name__, {})
