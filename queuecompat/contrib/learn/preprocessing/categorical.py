"""Turns rows of categories into rows of numbers."""

from __future__ import annotations

from typing import Any, Iterable, Iterator, List, Optional

import numpy as np

from queuecompat.contrib.learn.learn_io.pandas_io import extract_pandas_matrix
from queuecompat.contrib.learn.preprocessing.categorical_vocabulary import UNKNOWN, CategoricalVocabulary

__all__ = ["CategoricalProcessor"]


class CategoricalProcessor:
    """Numbers the categories of each column.

    Args:
      min_frequency: categories that occur at most this often get the number 0.
      share: whether all columns share one vocabulary.
      vocabularies: a ``CategoricalVocabulary`` for each column; None: new ones.
    Attributes:
      vocabularies_: the vocabularies.
    Differs from TF1: dask tables are not read.
    Source: TF 1.15.5 ``contrib/learn/python/learn/preprocessing/categorical.py``.
    """

    def __init__(
        self, min_frequency: int = 0, share: bool = False, vocabularies: Optional[List[CategoricalVocabulary]] = None
    ) -> None:
        self.min_frequency = min_frequency
        self.share = share
        self.vocabularies_ = vocabularies

    def freeze(self, freeze: bool = True) -> None:
        """Makes new categories unknown from now on; with False, they get numbers again."""
        for vocabulary in self.vocabularies_ or ():
            vocabulary.freeze(freeze)

    def fit(self, x: Any, unused_y: Any = None) -> CategoricalProcessor:
        """Numbers the categories of all rows, and freezes: new categories, and NaN, are unknown afterwards.

        Args:
          x: matrix, pandas table, or rows.
        """
        for row in extract_pandas_matrix(x):
            if self.vocabularies_ is None:
                shared = CategoricalVocabulary()
                self.vocabularies_ = [shared if self.share else CategoricalVocabulary() for _ in row]
            for vocabulary, value in zip(self.vocabularies_, row):
                if not _is_nan(value):
                    vocabulary.add(value)
        if self.min_frequency > 0:
            for vocabulary in self.vocabularies_ or ():
                vocabulary.trim(self.min_frequency)
        self.freeze()
        return self

    def fit_transform(self, x: Any, unused_y: Any = None) -> Iterator[np.ndarray]:
        """Calls ``fit`` and then ``transform``."""
        self.fit(x)
        return self.transform(x)

    def transform(self, x: Any) -> Iterator[np.ndarray]:
        """Turns each row into numbers.

        Yields:
          int64 ``[columns]``.
        """
        self.freeze()
        rows: Iterable[Any] = extract_pandas_matrix(x)
        for row in rows:
            yield np.array([self._number(column, value) for column, value in enumerate(row)], np.int64)

    def _number(self, column: int, value: Any) -> int:
        assert self.vocabularies_ is not None
        return UNKNOWN if _is_nan(value) else self.vocabularies_[column].get(value)


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and value != value
