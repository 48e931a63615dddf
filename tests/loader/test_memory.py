"""Where batches live: written in place, used again when nobody looks, and never more than was said."""

from __future__ import annotations

import gc
from typing import Any
from unittest import mock

import numpy as np
import pytest

from queuecompat import BackgroundLoader
from queuecompat.loader.memory import blocks
from tests.bench.loader.memory import Eight, Meter, One, most_examples
from tests.loader import loads


def address(array: np.ndarray) -> int:
    return array.__array_interface__["data"][0]


@pytest.mark.parametrize("load", [One, Eight])
@pytest.mark.parametrize("shuffle", [False, True])
@pytest.mark.parametrize(("batch_size", "capacity"), [(8, 24), (8, 100), (16, 50), (10, 20)])
def test_memory_is_for_no_more_than_capacity_and_two_batches(
    load: Any, shuffle: bool, batch_size: int, capacity: int
) -> None:
    most = most_examples(load(), batch_size=batch_size, capacity=capacity, shuffle=shuffle)
    assert batch_size <= most <= capacity + 2 * batch_size + 0.1  # and what aligning takes


def wide(item: int) -> np.ndarray:
    return np.full(64, item)


@pytest.mark.parametrize("load", [None, wide])
def test_a_batch_that_is_kept_stays_as_it_is(load: Any) -> None:
    kept = list(BackgroundLoader(range(400), load, batch_size=4, capacity=8))
    rows = [batch.tolist() if load is None else batch[:, 5].tolist() for batch in kept]
    assert rows == [list(range(start, start + 4)) for start in range(0, 400, 4)]


def test_a_batch_that_is_kept_keeps_no_other_memory() -> None:
    meter = Meter()
    with mock.patch.object(blocks, "_allocated", meter.allocated):
        loader = BackgroundLoader(range(400), wide, batch_size=4, capacity=40)
        for batch in loader:
            kept = batch
        del loader, batch
        gc.collect()
        assert meter.now == kept.nbytes
    assert kept[:, 3].tolist() == [396, 397, 398, 399]


@pytest.mark.parametrize("workers", ["threads", "processes"])
def test_the_memory_of_a_pass_goes_with_its_end_and_not_with_the_next_collection(workers: str) -> None:
    """What refers to itself stays until then: three batches of each pass did, besides those of the next."""
    meter = Meter()
    gc.disable()
    try:
        with mock.patch.object(blocks, "_allocated", meter.allocated):
            batches = iter(
                BackgroundLoader(range(400), wide, batch_size=4, capacity=40, workers=workers, num_workers=1)
            )
            kept = [next(batches) for _ in range(12)]
            batches.close()
            assert meter.now <= sum(batch.nbytes for batch in kept)
            del kept
            assert meter.now == 0
    finally:
        gc.enable()


@pytest.mark.parametrize("view", [False, True])
def test_memory_is_reused_as_soon_as_nothing_refers_to_it(view: bool) -> None:
    seen, held = set(), None
    for batch in BackgroundLoader(range(4000), wide, batch_size=4, capacity=8):
        if held is not None:
            assert address(batch) not in (address(held), address(held) - held[0].nbytes)
        held = held if held is not None else batch[1:] if view else batch
        seen.add(address(batch))
    assert held is not None
    assert held[:, 9].tolist() == [0, 1, 2, 3][view:]
    assert len(seen) <= 7


def test_without_copies_a_batch_lasts_until_the_next_one_is_asked_for() -> None:
    kinds: Any = {"batch_size": 4, "capacity": 8, "copy": False}
    addresses = [address(batch) for batch in list(BackgroundLoader(range(4000), wide, **kinds))]
    assert len(set(addresses)) <= 5
    for number, batch in enumerate(BackgroundLoader(range(4000), wide, **kinds)):
        assert batch[:, 63].tolist() == list(range(4 * number, 4 * number + 4))


def test_batches_begin_where_tensorflow_needs_no_copy() -> None:
    def load(item: int) -> Any:
        return np.zeros(3, np.uint8), np.zeros((5, 15), np.float32), item

    for batch in BackgroundLoader(range(20), load, batch_size=3):
        assert [address(array) % 64 for array in batch] == [0, 0, 0]


def test_very_small_batches_are_in_memory_of_their_own() -> None:
    """To borrow memory and return it took a fifth of the time of a batch of one."""
    meter = Meter()
    with mock.patch.object(blocks, "_allocated", meter.allocated):
        kept = list(BackgroundLoader(range(100), lambda item: {"x": item, "y": [item, 1.5]}, batch_size=4))
        assert meter.most == 0
        list(BackgroundLoader(range(100), wide, batch_size=4))
        assert meter.most > 0
    assert [batch["x"].tolist() for batch in kept] == [list(range(start, start + 4)) for start in range(0, 100, 4)]
    assert all(batch["x"].base is None for batch in kept)


def test_load_may_write_into_the_batch_itself() -> None:
    places = []

    def load(item: int, out: Any = None) -> Any:
        if out is None:
            return {"image": np.full((2, 2), item, np.float32), "label": item}
        places.append(address(out["image"]))
        out["image"][...] = item
        return {"image": out["image"], "label": item}

    (batch,) = BackgroundLoader(range(8), load, batch_size=8, num_workers=1)
    assert places == [address(batch["image"][row]) for row in range(1, 8)]
    assert batch["image"][:, 1, 1].tolist() == batch["label"].tolist() == list(range(8))


def test_a_result_in_another_row_of_the_same_memory_is_copied() -> None:
    images = np.arange(12.0).reshape(4, 3)
    (batch,) = BackgroundLoader(range(4), lambda item: images[3 - item], batch_size=4)
    assert batch.tolist() == images[::-1].tolist()


def test_a_generator_may_yield_the_same_array_again_and_again() -> None:
    def load(item: int) -> Any:
        array = np.zeros(2)
        for number in range(3):
            array[:] = 10 * item + number
            yield array

    (batch,) = BackgroundLoader(range(2), load, batch_size=6)
    assert batch[:, 0].tolist() == [0, 1, 2, 10, 11, 12]


def test_objects_of_any_kind_come_in_arrays_of_objects() -> None:
    def load(item: int) -> Any:
        return {"id": f"name {item}", "thing": {1, item}, "none": None, "bytes": b"x" * item}

    (batch,) = BackgroundLoader(range(3), load, batch_size=3)
    assert batch["id"].tolist() == ["name 0", "name 1", "name 2"]
    assert batch["thing"].tolist() == [{1, 0}, {1}, {1, 2}]
    assert batch["none"].tolist() == [None, None, None]
    assert batch["bytes"].tolist() == [b"", b"x", b"xx"]


def test_the_nesting_is_that_of_load() -> None:
    (batch,) = BackgroundLoader(range(2), loads.nested, batch_size=2)
    assert isinstance(batch["pair"], loads.Pair)
    assert batch["pair"].image.shape == (2, 2, 3)
    assert [column.tolist() for column in batch["pair"].label] == [[0, 1], [0.0, 0.5]]
    assert batch["name"].tolist() == ["item 0", "item 1"]
