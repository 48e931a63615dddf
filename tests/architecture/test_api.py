"""The one table of TensorFlow 1's names: it is sorted, and agrees with the installed TensorFlow."""

from __future__ import annotations

import functools
import pathlib
import types
from typing import Any

import pytest
import tensorflow

import queuecompat.image
import queuecompat.readers
import queuecompat.train
import queuecompat.v1 as tf
from queuecompat import api, errors
from queuecompat._namespace import modules
from queuecompat.api import coverage
from queuecompat.codes import CODES

GUIDE = pathlib.Path(errors.__file__).parents[1] / "migration_guide"
ROWS = sorted(api.table().values(), key=lambda row: row.symbol)


def at(namespace: Any, symbol: str) -> Any:
    return functools.reduce(getattr, symbol.split(".")[1:], namespace)


def has(namespace: Any, symbol: str) -> bool:
    try:
        at(namespace, symbol)
    except (AttributeError, ImportError):
        return False
    return True


def test_the_file_is_sorted_and_has_each_name_once() -> None:
    text = (pathlib.Path(api.__file__).parent / "names.csv").read_text(encoding="utf-8")
    symbols = [line.partition(",")[0] for line in text.splitlines()[1:]]
    assert symbols == sorted(set(symbols))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.symbol)
def test_a_row_is_in_order(row: api.Row) -> None:
    assert row.status in api.STATUSES
    assert not row.code or row.code in CODES
    assert set(row.entry_points.split()) <= {"run", "v1", "as_dataset"}
    file, _, anchor = row.page.partition("#")
    assert (GUIDE / file).is_file()
    assert not anchor or f"## {anchor.upper()}\n" in (GUIDE / file).read_text(encoding="utf-8")
    if row.status == "gone":
        assert row.advice and not row.entry_points and not row.place
    if row.code and not row.advice:
        assert row.entry_points, "check has nothing to say of it"


@pytest.mark.parametrize("row", [row for row in ROWS if row.symbol.startswith("tf.")], ids=lambda row: row.symbol)
def test_a_row_is_true_of_tensorflow_and_of_the_namespace(row: api.Row) -> None:
    if row.is_of_package:
        version = [int(part) for part in tensorflow.__version__.split(".")[:2]]
        assert has(tensorflow, row.symbol) is (version < [2, 16])
        assert has(tf, f"{row.symbol}.Estimator")
        return
    if row.status == "gone":
        with pytest.raises((AttributeError, ImportError)):
            at(tf, row.symbol)
    elif row.status != "eager":
        assert has(tf, row.symbol)
    if row.status in ("kept", "eager") and row.symbol != "tf.compat.v1":
        assert has(tensorflow, row.symbol)
    elif row.code:
        assert not has(tensorflow, row.symbol), "TensorFlow 2 has it: check would raise a false alarm"


@pytest.mark.parametrize("row", [row for row in ROWS if row.status == "private"], ids=lambda row: row.symbol)
def test_a_private_name_is_the_public_one(row: api.Row) -> None:
    path, public = row.symbol.partition(".")[2], at(tf, f"tf.{row.place}")
    module, _, name = path.rpartition(".")
    is_module = isinstance(public, types.ModuleType)
    assert (modules.find(path) if is_module else getattr(modules.find_with_parents(module), name)) is public


def test_the_advice_for_a_removed_name_is_in_the_table() -> None:
    for module in ("data", "framework", "image", "learn", "lookup", "training"):
        for name, why in api.gone(f"tf.contrib.{module}").items():
            with pytest.raises(AttributeError) as caught:
                at(tf, f"tf.contrib.{module}.{name}")
            assert why in str(caught.value)


@pytest.mark.parametrize("module", [queuecompat.image, queuecompat.readers, queuecompat.train])
def test_every_function_of_ours_is_in_the_table(module: Any) -> None:
    name = module.__name__
    places = {row.place for row in ROWS if row.place.startswith(f"{name}:")}
    assert {f"{name}:{one}" for one in module.__all__} <= places


def test_a_name_is_found_by_the_module_around_it() -> None:
    assert api.find("tf.contrib.cudnn_rnn.CudnnLSTM") is api.table()["tf.contrib.cudnn_rnn"]
    assert api.find("tf.train.QueueRunner.from_proto") is api.table()["tf.train.QueueRunner"]
    assert api.find("numpy.random") is None


def test_the_page_of_the_guide_is_fresh() -> None:
    assert (GUIDE / "coverage.md").read_text(encoding="utf-8") == coverage.page(), (
        "python -m queuecompat.api.coverage > migration_guide/coverage.md"
    )
