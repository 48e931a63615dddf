"""``pandas_input_fn``: where there is pandas, a ``DataFrame`` comes as columns; where there is none, it says so."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

import queuecompat
import queuecompat.v1 as tf
from queuecompat.estimator.inputs import pandas_input_fn
from tests.pipelines.running import drain


def test_without_pandas_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(TypeError, match="pip install pandas"):
        pandas_input_fn(None, shuffle=False)


@pytest.fixture
def pandas() -> Any:
    return pytest.importorskip("pandas")


def table(pandas: Any) -> Any:
    columns = {"n": np.arange(5, dtype=np.int32), "x": np.arange(5) * 0.5, "word": [f"w{n}" for n in range(5)]}
    return pandas.DataFrame(columns, index=[10, 20, 30, 40, 50])


def joined(batches: Any) -> Any:
    return {key: np.concatenate([batch[key] for batch in batches]).tolist() for key in batches[0]}


def test_columns_come_in_order_with_a_smaller_tail(pandas: Any) -> None:
    features = pandas_input_fn(table(pandas), batch_size=2, shuffle=False)()
    assert {key: (t.dtype.name, t.shape.as_list()) for key, t in features.items()} == {
        "n": ("int32", [None]),
        "x": ("float64", [None]),
        "word": ("string", [None]),
    }
    batches = drain(features)
    assert [len(batch["n"]) for batch in batches] == [2, 2, 1]
    assert joined(batches) == {"n": list(range(5)), "x": [0, 0.5, 1, 1.5, 2], "word": [b"w%d" % n for n in range(5)]}
    assert queuecompat.explain().native == []


def test_columns_of_pandas_own_string_type_are_strings(pandas: Any) -> None:
    words = pandas.DataFrame({"word": pandas.array(["a", "b"], dtype="string")})
    features = pandas_input_fn(words, batch_size=2, shuffle=False)()
    assert [batch["word"].tolist() for batch in drain(features)] == [[b"a", b"b"]]


def test_a_series_of_targets_is_a_tensor(pandas: Any) -> None:
    x = table(pandas)
    features, target = pandas_input_fn(x, x["n"] * 2, 5, shuffle=False, target_column="twice")()
    assert sorted(features) == ["n", "word", "x"]
    ((_, given),) = drain((features, target))
    assert given.tolist() == [0, 2, 4, 6, 8]


def test_a_table_of_targets_is_a_dict_even_where_names_are_the_same(pandas: Any) -> None:
    x = table(pandas)
    y = pandas.DataFrame({"n": np.arange(5) + 100, "m": np.arange(5) + 200}, index=x.index)
    ((features, targets),) = drain(pandas_input_fn(x, y, 5, shuffle=False)())
    assert features["n"].tolist() == list(range(5))
    assert {key: values.tolist() for key, values in targets.items()} == {
        "n": list(range(100, 105)),
        "m": list(range(200, 205)),
    }


@pytest.mark.parametrize("capacity", [None, 8])
def test_mixed_rows_stay_together_and_come_once_an_epoch(pandas: Any, capacity: Any) -> None:
    x = table(pandas)
    fn = pandas_input_fn(x, x["x"], 2, num_epochs=4, shuffle=True, queue_capacity=capacity, num_threads=3)
    batches = [dict(features, y=target) for features, target in drain(fn())]
    rows = joined(batches)
    assert sorted(rows["n"]) == sorted(list(range(5)) * 4)
    assert rows["x"] == rows["y"] == [n / 2 for n in rows["n"]]


def test_the_index_is_taken_with_the_rows(pandas: Any, graph: Any) -> None:
    pandas_input_fn(table(pandas), batch_size=5, shuffle=False)()
    ((index),) = drain(graph.get_tensor_by_name("fifo_queue_DequeueUpTo:0"))
    assert index.tolist() == [10, 20, 30, 40, 50]


def test_later_changes_of_the_table_are_not_seen(pandas: Any) -> None:
    x = table(pandas)
    features = pandas_input_fn(x, batch_size=5, shuffle=False)
    x["n"] = 0
    assert joined(drain(features()))["n"] == list(range(5))


def test_it_refuses_what_tf1_refused(pandas: Any) -> None:
    x = table(pandas)
    with pytest.raises(ValueError, match="shuffle"):
        pandas_input_fn(x)
    with pytest.raises(TypeError, match="target_column"):
        pandas_input_fn(x, x["n"], shuffle=False, target_column=3)
    with pytest.raises(ValueError, match="already has a column 'n'"):
        pandas_input_fn(x, x["n"], shuffle=False, target_column="n")
    with pytest.raises(ValueError, match="same index"):
        pandas_input_fn(x, x["n"].reset_index(drop=True), shuffle=False)
    for column in (pandas.Categorical(list("abcde")), pandas.date_range("2020-01-01", periods=5)):
        with pytest.raises(TypeError):
            pandas_input_fn(x.assign(odd=column), shuffle=False)()
    with pytest.raises(ValueError, match="no rows"):
        pandas_input_fn(x.iloc[:0], shuffle=False)()


def test_v1_has_it_where_tf1_had_it() -> None:
    assert tf.estimator.inputs.pandas_input_fn is pandas_input_fn
