"""The loader with threads: order, batches, epochs, failures, ends."""

from __future__ import annotations

import threading
from typing import Any, Iterator, List

import numpy as np
import pytest

from queuecompat import BackgroundLoader, LoaderClosedError, LoadError


def lists(loader: BackgroundLoader) -> List[List[Any]]:
    return [batch.tolist() for batch in loader]


def three(item: int) -> Iterator[int]:
    for number in range(3):
        yield 10 * item + number


def test_batches_come_in_the_order_of_the_source() -> None:
    assert lists(BackgroundLoader(range(10), batch_size=4)) == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]


def test_the_last_partial_batch_may_be_dropped() -> None:
    assert lists(BackgroundLoader(range(10), batch_size=4, drop_remainder=True)) == [[0, 1, 2, 3], [4, 5, 6, 7]]


def test_batches_straddle_epochs() -> None:
    assert lists(BackgroundLoader(range(3), batch_size=2, num_epochs=2)) == [[0, 1], [2, 0], [1, 2]]


def test_iterating_again_is_the_next_epoch_in_another_order() -> None:
    loader = BackgroundLoader(range(100), batch_size=100, shuffle=True, seed=1)
    first, second = lists(loader)[0], lists(loader)[0]
    assert first != second
    assert sorted(first) == sorted(second) == list(range(100))


@pytest.mark.parametrize("num_workers", [1, 2, 8])
@pytest.mark.parametrize("several", [False, True])
def test_what_comes_does_not_depend_on_the_number_of_workers(num_workers: int, several: bool) -> None:
    def load(item: int, rng: np.random.Generator) -> Any:
        numbers = rng.integers(1000, size=4)
        return iter(numbers[: 1 + item % 4]) if several else numbers

    def run(workers: int) -> List[Any]:
        kinds = dict(batch_size=7, capacity=40, shuffle=True, seed=3, num_epochs=2)
        return lists(BackgroundLoader(range(50), load, num_workers=workers, **kinds))

    assert run(num_workers) == run(3)


def test_examples_of_one_item_keep_their_order() -> None:
    assert lists(BackgroundLoader(range(4), three, batch_size=5)) == [[0, 1, 2, 10, 11], [12, 20, 21, 22, 30], [31, 32]]


def test_an_item_that_is_left_out_moves_up_what_comes_after_it() -> None:
    def load(item: int) -> int:
        if item in (2, 3, 9):
            raise ValueError(f"no {item}")
        return item

    loader = BackgroundLoader(range(12), load, batch_size=4, on_error="skip", num_workers=3)
    assert lists(loader) == [[0, 1, 4, 5], [6, 7, 8, 10], [11]]
    assert sorted(one.index for one in loader.skipped) == [2, 3, 9]
    assert {one.error for one in loader.skipped} == {f"ValueError: no {item}" for item in (2, 3, 9)}


def test_a_failure_comes_after_the_batches_before_it_with_its_item_and_its_traceback() -> None:
    def load(item: int) -> int:
        return 10 // (6 - item)

    batches = iter(BackgroundLoader(range(12), load, batch_size=4))
    next(batches)
    with pytest.raises(LoadError, match=r"QC605 load failed on item 6 \(6\) in epoch 0: ZeroDivisionError") as caught:
        next(batches)
    assert (caught.value.item, caught.value.index, caught.value.epoch) == (6, 6, 0)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    assert any(
        "return 10 // (6 - item)" in str(entry.statement)
        for entry in pytest.ExceptionInfo.from_exception(caught.value.__cause__).traceback
    )


def test_an_item_with_scalars_of_numpy_is_named_as_plain_numbers() -> None:
    items = [("a.jpg", np.int64(0))]
    with pytest.raises(LoadError, match=r"QC605 load failed on item 0 \(\('a.jpg', 0\)\) in epoch 0"):
        next(iter(BackgroundLoader(items, lambda item: 1 // int(item[1]), batch_size=1)))


def test_breaking_out_of_the_loop_ends_the_workers() -> None:
    before = threading.active_count()
    for _ in BackgroundLoader(range(1000), batch_size=4):
        break
    assert threading.active_count() == before


def test_a_closed_loader_says_so() -> None:
    with BackgroundLoader(range(1000), batch_size=4) as loader:
        batches = iter(loader)
        next(batches)
    loader.close()
    for use in (lambda: next(batches), lambda: iter(loader)):
        with pytest.raises(LoaderClosedError, match="QC602"):
            use()
