"""``contrib.learn``'s ways with pandas tables."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from queuecompat.contrib import learn
from tests.pipelines.running import drain


@pytest.fixture
def pandas() -> Any:
    return pytest.importorskip("pandas")


def test_numbers_of_a_table_become_floats(pandas: Any) -> None:
    table = pandas.DataFrame({"a": np.array([1, 2], np.uint8), "b": [True, False], "c": [0.5, 1.5]})
    given = learn.extract_pandas_data(table)
    assert given.dtype == np.float64 and given.tolist() == [[1, 1, 0.5], [2, 0, 1.5]]
    assert learn.extract_pandas_matrix(table).shape == (2, 3)


def test_one_column_of_labels_is_taken(pandas: Any) -> None:
    assert learn.extract_pandas_labels(pandas.DataFrame({"a": [1, 2]})).tolist() == [[1], [2]]
    series = pandas.Series([1, 2])
    assert learn.extract_pandas_labels(series) is series


def test_a_column_that_is_not_numeric_is_refused_by_name(pandas: Any) -> None:
    table = pandas.DataFrame({"a": [1], "when": ["today"]})
    with pytest.raises(ValueError, match="'when'"):
        learn.extract_pandas_data(table)
    with pytest.raises(ValueError, match="one column"):
        learn.extract_pandas_labels(table)
    with pytest.raises(ValueError, match="'when'"):
        learn.extract_pandas_labels(table[["when"]])


def test_tables_are_shuffled_by_default(pandas: Any) -> None:
    assert learn.io.HAS_PANDAS
    batches = drain(learn.io.pandas_input_fn(pandas.DataFrame({"a": range(40)}), batch_size=8)())
    given = np.concatenate([batch["a"] for batch in batches]).tolist()
    assert given != list(range(40)) and sorted(given) == list(range(40))


def test_a_value_that_is_not_a_table_is_returned_unchanged() -> None:
    array = np.arange(3)
    for function in (learn.extract_pandas_data, learn.extract_pandas_labels, learn.extract_pandas_matrix):
        assert function(array) is array
