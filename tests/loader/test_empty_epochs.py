"""An epoch of items without a single example is an error: it would train on nothing, or be tried forever."""

from __future__ import annotations

from typing import Any

import pytest

from queuecompat import BackgroundLoader, LoadError
from tests.loader import loads
from tests.loader.sources import Countable, lists

pytestmark = pytest.mark.timeout(120)


@pytest.mark.parametrize("workers", ["threads", "processes"])
@pytest.mark.parametrize("source", [range(6), Countable(6)], ids=["sequence", "iterable"])
@pytest.mark.parametrize("num_epochs", [None, 1, 2])
def test_items_that_all_fail_are_an_error_after_one_epoch(source: Any, num_epochs: Any, workers: str) -> None:
    """Without an end they used to be tried forever; with one, the loop ended without a word."""
    loader = BackgroundLoader(
        source, loads.fails, batch_size=4, num_epochs=num_epochs, on_error="skip", workers=workers, num_workers=2
    )
    with pytest.raises(
        LoadError, match=r"QC620 none of the 6 items of epoch 0 .* 6 failed, the last with FileNotFoundError: no file 5"
    ) as caught:
        lists(loader)
    assert caught.value.code == "QC620"
    assert sorted(one.index for one in loader.skipped) == list(range(6))


@pytest.mark.parametrize("num_epochs", [None, 1, 2])
def test_generators_that_yield_nothing_are_an_error_after_one_epoch(num_epochs: Any) -> None:
    with pytest.raises(LoadError, match="QC620 none of the 6 items of epoch 0 produced an example\n"):
        lists(BackgroundLoader(range(6), loads.yields_nothing, batch_size=4, num_epochs=num_epochs))


def test_a_later_epoch_without_an_example_is_one_too_after_the_batches_before_it() -> None:
    loaded = []

    def load(item: int) -> int:
        loaded.append(item)
        if len(loaded) > 4:
            raise OSError("the disk is gone")
        return item

    batches = iter(BackgroundLoader(range(4), load, batch_size=4, num_epochs=None, on_error="skip", num_workers=1))
    assert next(batches).tolist() == [0, 1, 2, 3]
    with pytest.raises(LoadError, match="QC620 none of the 4 items of epoch 1"):
        next(batches)


def test_the_rest_of_an_epoch_may_be_without_examples() -> None:
    """What came before a state was taken is not known, and was an example surely."""

    def load(item: int) -> int:
        if item > 3:
            raise ValueError("no")
        return item

    def make() -> BackgroundLoader:
        return BackgroundLoader(range(10), load, batch_size=4, on_error="skip")

    loader = make()
    next(iter(loader))
    again = make()
    again.load_state_dict(loader.state_dict())
    assert lists(again) == []


def test_an_epoch_whose_last_examples_are_dropped_is_none() -> None:
    assert lists(BackgroundLoader(range(3), batch_size=4, drop_remainder=True)) == []
